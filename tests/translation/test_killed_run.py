"""A worker killed in the middle of formalizing: the next one finishes, each span once.

With a model each span is also paid for once, but for the questions that were in flight.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import Any

import pytest

from policies.audit import first_broken_link
from policies.jobs import progress_of
from policies.models import Policy, Rule, Span, Unit, User
from policies.models.jobs import ItemState
from tests.llm_server import Answer, llm_server
from tests.policies.conftest import celery, embedded, engine, own_redis
from tests.policies.engines import Engine, wait_until
from tests.translation.answering import leaves_all, limits_trips, sentences_in
from tests.translation.conftest import add_document
from translation.jobs import start_formalizing
from translation.models import Attempt, ModelReply

__all__ = ["celery", "embedded", "engine", "own_redis"]

pytestmark = pytest.mark.django_db(transaction=True)

SECTIONS = 24
TEXT = "\n\n".join(
    f"# Section {number}\n\nTrips exceeding EUR {number + 1},000 require line-manager approval."
    for number in range(SECTIONS)
)


def test_a_run_killed_in_the_middle_is_finished_with_each_span_formalized_once(
    policy: Policy, alice: User, engine: Engine
) -> None:
    add_document(policy, TEXT)
    job = start_formalizing(policy, alice)
    engine.start()
    wait_until(lambda: Unit.objects.count() >= 3, said=engine.logs)
    engine.kill()
    done = Unit.objects.count()
    assert 3 <= done < SECTIONS
    assert not progress_of(job).finished

    engine.start()
    wait_until(lambda: progress_of(job).finished, seconds=60, said=engine.logs)
    assert set(job.items.values_list("state", flat=True)) == {ItemState.DONE}
    units = Counter(Unit.objects.values_list("span", flat=True))
    assert units == Counter(Span.objects.values_list("pk", flat=True))
    assert Rule.objects.count() == SECTIONS
    assert first_broken_link(policy) is None


LONG = 200
SLOTS = 8


def question(asked: dict[str, Any]) -> str:
    return json.dumps(asked["messages"], sort_keys=True)


def answer(asked: dict[str, Any]) -> Answer:
    """A rule of every tenth sentence; keeping rules is not what is tested here."""
    text = sentences_in(asked)[0]["text"]
    answers = limits_trips if "0 require" in text else leaves_all
    return answers(asked, delay_s=0.1)


def test_fr_60_a_run_of_200_spans_killed_in_the_middle_pays_for_each_span_once(
    policy: Policy, alice: User, engine: Engine, settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n\n".join(
        f"# Section {number}\n\nTrips exceeding EUR {1000 + number} require approval."
        for number in range(LONG)
    )
    add_document(policy, text)
    policy.formalizer = "litellm:openai/hand-written"
    policy.save()
    with llm_server(choose=answer) as server:
        settings.POLICYWRIGHT_LLM_API_BASE = server.base_url
        monkeypatch.setenv("POLICYWRIGHT_LLM_API_BASE", server.base_url)
        # As in life: a busy machine renews a shorter one too late, and asks twice.
        monkeypatch.setenv("POLICYWRIGHT_TEST_LEASE_S", "5")
        job = start_formalizing(policy, alice)
        assert job.items.count() == LONG
        engine.start(slots=SLOTS)
        wait_until(lambda: Unit.objects.count() >= LONG // 3, seconds=60, said=engine.logs)
        engine.kill()
        # What the dead had sent already is still read by the server.
        wait_until(lambda: time.monotonic() - server.times[-1] > 1)
        kept = ModelReply.objects.count()
        asked_before = [question(asked) for asked in server.requests]
        assert LONG // 3 <= kept < LONG
        assert not progress_of(job).finished

        engine.start(slots=SLOTS)
        wait_until(lambda: progress_of(job).finished, seconds=60, said=engine.logs)
        asked = Counter(question(asked) for asked in server.requests)

    assert set(job.items.values_list("state", "error")) == {(ItemState.DONE, "")}, engine.logs()
    units = Counter(Unit.objects.values_list("span", flat=True))
    assert units == Counter(Span.objects.values_list("pk", flat=True))
    assert Rule.objects.count() == LONG // 10
    # At the server: what was in flight when the worker died is asked twice, all else once.
    in_flight = len(asked_before) - kept
    assert 0 <= in_flight <= SLOTS
    assert len(asked) == LONG
    assert sum(asked.values()) == LONG + in_flight
    assert {one for one, times in asked.items() if times == 2} <= set(asked_before)
    # In the rows: each span has one reply, and one attempt that was sent and counted.
    assert ModelReply.objects.count() == LONG
    paid = Attempt.objects.filter(requests__gt=0)
    assert Counter(paid.values_list("item", flat=True)) == Counter(
        job.items.values_list("pk", flat=True)
    )
    assert set(paid.values_list("requests", flat=True)) == {1}
    again = Attempt.objects.filter(requests=0)
    assert set(again.values_list("was_kept", "error_kind")) <= {(True, "")}
    assert first_broken_link(policy) is None
