"""The pages of a run in each state that has a page of its own, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from policies.document_store import add_document
from policies.jobs.embedded import run_next
from policies.models import Job, Policy, Sentence, User
from policies.people import create_policy
from tests.failing_server import DEADLINE_S, DOCUMENT, choose
from tests.in_browser.making import OWNER
from tests.llm_server import llm_server
from translation.jobs import start_formalizing
from translation.models import Attempt
from translation.runs import resume_run

MODELS = """
[house]
model = "openai/hand-written"
api_base = "{house}"

[far]
model = "anthropic/claude-sonnet"
key_env = "HAND_WRITTEN_KEY"
input_usd_per_million = 3
output_usd_per_million = 15
"""


@contextmanager
def failing_run(
    settings: Any, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> Iterator[Iterator[tuple[str, str]]]:
    """Names and paths of pages; each is as it is when the next one is asked for."""
    with llm_server(choose=choose) as server:
        file = folder / "models.toml"
        file.write_text(MODELS.format(house=server.base_url), encoding="utf-8")
        monkeypatch.setenv("HAND_WRITTEN_KEY", "a key of nobody’s")
        settings.POLICYWRIGHT_MODELS = str(file)
        settings.POLICYWRIGHT_LLM_SECONDS = DEADLINE_S
        settings.POLICYWRIGHT_LLM_RETRIES = 0
        yield _pages(_approvals())


def _approvals() -> Policy:
    owner = User.objects.get(email=OWNER)
    policy = create_policy(owner, name="Approvals", formalizer="litellm:house")
    add_document(policy, owner, title="Approvals", data=DOCUMENT.encode(), filename="approvals.md")
    return policy


def _pages(policy: Policy) -> Iterator[tuple[str, str]]:
    owner, base = User.objects.get(email=OWNER), f"/policies/{policy.slug}/"
    yield "models", f"{base}models/"
    yield "run-before-unpriced", f"{base}formalize/"
    _choose(policy, translators=["litellm:far", "builtin"])
    yield "run-before", f"{base}formalize/"
    yield "front-models", base
    _choose(policy, forbids_external_models=True)
    yield "run-refused", f"{base}formalize/"
    _choose(policy, translators=[], forbids_external_models=False)
    job = start_formalizing(policy, owner, tokens=2_000)
    own = f"{base}jobs/{job.uid}/"
    yield "run-begins", own
    while Job.objects.get(pk=job.pk).state == "open" and run_next("pictures"):
        pass
    yield "run-paused", own
    _let_go_on(job)
    while run_next("pictures"):
        pass
    yield "run-failed", own
    yield "run-asked", f"{own}asked/"
    undeclared = Attempt.objects.filter(job=job, reply__text__contains="bonusSigned")
    yield "run-attempt", f"{base}asked/{undeclared.latest('pk').pk}/"
    refused = Attempt.objects.filter(job=job, error_kind="LlmKeyError").latest("pk")
    yield "run-attempt-failed", f"{base}asked/{refused.pk}/"
    sentence = Sentence.objects.get(text__contains="A bonus requires")
    yield "run-tried", f"{base}sentences/{sentence.lineage}/tried/"
    yield "review-tried", f"{base}review/{sentence.lineage}/"


def _choose(policy: Policy, **choice: Any) -> None:
    for name, value in choice.items():
        setattr(policy, name, value)
    policy.save(update_fields=list(choice))


def _let_go_on(job: Job) -> None:
    job.refresh_from_db()
    assert job.created_by
    assert resume_run(job, job.created_by, tokens=5_000_000)
