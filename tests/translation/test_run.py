"""Whole runs over real HTTP: failures told apart, cancelled at once, each question asked once."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from policies import document_store
from policies.jobs import cancel_job, progress_of
from policies.models import Job, Policy, Span, Statement, Unit, User
from policies.models.draft import StatementState
from policies.models.jobs import ItemState, JobState
from policywright.model import PolicyModel
from tests.llm_server import Answer, LlmServer, fails, llm_server, says
from tests.policies.conftest import celery, embedded, engine, own_redis
from tests.policies.engines import Engine, wait_until
from tests.translation.answering import leaves_all, limits_trips, sentences_in
from tests.translation.conftest import add_document, never
from translation.budgets import spent
from translation.formalizers import choose_formalizer
from translation.jobs import finish_inline, start_formalizing
from translation.models import Attempt, ModelReply
from translation.runs import resume_run
from translation.spans import open_sentences, text_of
from translation.table_asker import TableAsker

__all__ = ["celery", "embedded", "engine", "own_redis"]

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "sk-planted-0123456789"

# By the first word of a section's sentence: what is answered, and what that is called.
FAILURES = {
    "Keys": (fails(401, f"Incorrect API key provided: {KEY}"), "LlmKeyError"),
    "Doors": (fails(403), "LlmKeyError"),
    "Names": (fails(404), "LlmUnknownModelError"),
    "Quotas": (fails(429, "You exceeded your current quota"), "LlmQuotaError"),
    "Crowds": (fails(429, retry_after="0"), "LlmRateLimitError"),
    "Windows": (fails(400, "This model's maximum context length is 4096"), "LlmTooLongError"),
    "Filters": (fails(400, f"rejected {KEY}"), "LlmRefusedError"),
    "Servers": (fails(500), "LlmServerError"),
    "Clocks": (fails(408), "LlmTimeoutError"),
    "Lines": (Answer(b"", hangs_up=True), "LlmConnectionError"),
    "Pages": (Answer(b"<html>sign in</html>", content_type="text/html"), "LlmNotAModelError"),
    "Silence": (says(None, finish_reason="length"), "LlmEmptyError"),
    "Scissors": (says('{"statements": [', finish_reason="length"), "LlmCutError"),
}
# These fail at first, as the reason of a retry, and are answered then.
PASSING = {"Busy": fails(429, retry_after="0"), "Restarting": fails(503)}


def sections(*words: str) -> str:
    return "\n\n".join(f"# {word}\n\n{word} require approval." for word in words)


def first_word(asked: dict[str, Any]) -> str:
    return str(sentences_in(asked)[0]["text"]).split()[0]


@pytest.fixture
def begin(policy: Policy, alice: User, settings, monkeypatch: pytest.MonkeyPatch):
    """`begin(server, text)` starts a run of that text with the model of that server."""

    def start(server: LlmServer, text: str) -> Job:
        settings.POLICYWRIGHT_LLM_API_BASE = server.base_url
        monkeypatch.setenv("POLICYWRIGHT_LLM_API_BASE", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        add_document(policy, text)
        policy.formalizer = "litellm:openai/hand-written"
        policy.save()
        return start_formalizing(policy, alice)

    return start


def test_fr_28_each_failure_comes_home_with_its_kind_and_the_worker_lives(
    engine: Engine, begin
) -> None:
    asked_before: Counter[str] = Counter()

    def answer(asked: dict[str, Any]) -> Answer:
        word = first_word(asked)
        asked_before[word] += 1
        if word in FAILURES:
            return FAILURES[word][0]
        if word in PASSING and asked_before[word] == 1:
            return PASSING[word]
        return leaves_all(asked)

    words = [*FAILURES, *PASSING, "Good"]
    with llm_server(choose=answer) as server:
        job = begin(server, sections(*words))
        worker = engine.start(slots=4)
        wait_until(lambda: progress_of(job).finished, seconds=90, said=engine.logs)
        assert worker.poll() is None
    items = dict(zip(words, job.items.order_by("ordinal"), strict=True))
    for word, (_, kind) in FAILURES.items():
        item = items[word]
        assert (item.state, item.error_kind) == (ItemState.FAILED, kind), engine.logs()
        assert item.error
        assert "\n" not in item.error
        assert "Traceback" not in item.error
    for word in (*PASSING, "Good"):
        assert (items[word].state, items[word].error) == (ItemState.DONE, "")
    # Three requests for what is asked again, one for what is not; all of them are counted.
    again = {"LlmRateLimitError", "LlmServerError", "LlmTimeoutError", "LlmConnectionError"}
    for word, (_, kind) in FAILURES.items():
        expected = 3 if kind in again else 2 if kind == "LlmCutError" else 1
        counted = sum(Attempt.objects.filter(item=items[word]).values_list("requests", flat=True))
        assert (word, asked_before[word], counted) == (word, expected, expected)
    assert [asked_before[word] for word in PASSING] == [2, 2]
    assert KEY not in engine.logs()


def test_fr_63_a_run_is_cancelled_at_once_in_a_call_a_wait_and_a_drip(
    engine: Engine, begin, alice: User
) -> None:
    answers = {
        "Calls": says("late", delay_s=60),
        "Waits": fails(429, retry_after="60"),
        "Drips": replace(says("x" * 500), drip_s=0.1),
    }
    with llm_server(choose=lambda asked: answers[first_word(asked)]) as server:
        job = begin(server, sections(*answers, *(f"More{number}" for number in range(5))))
        engine.start(slots=3)
        wait_until(lambda: len(server.requests) == 3, seconds=60, said=engine.logs)
        time.sleep(0.5)
        assert cancel_job(job, alice)
        seconds = wait_until(lambda: Attempt.objects.count() == 3, seconds=10, said=engine.logs)
        time.sleep(1)
        assert len(server.requests) == 3
    # Half a second until the rows are asked, and what a busy machine adds.
    assert seconds < 3
    assert set(Attempt.objects.values_list("error_kind", "requests")) == {("CancelledError", 1)}
    assert set(job.items.values_list("state", flat=True)) == {ItemState.CANCELLED}
    assert (job.state, Unit.objects.count()) == (JobState.CANCELLED, 0)


def test_fr_27_a_run_pauses_and_is_gone_on_with_while_workers_work(
    engine: Engine, begin, alice: User
) -> None:
    words = [f"Rule{number}" for number in range(30)]
    with llm_server(choose=lambda asked: leaves_all(asked, delay_s=0.05)) as server:
        job = begin(server, sections(*words))
        Job.objects.filter(pk=job.pk).update(settings=job.settings | {"tokens": 10_000})
        engine.start(slots=3)
        wait_until(lambda: progress_of(job).finished, seconds=60, said=engine.logs)
        wait_until(lambda: not progress_of(job).running, said=engine.logs)
        job.refresh_from_db()
        progress = progress_of(job)
        assert (job.state, progress.waiting, progress.failed) == (JobState.PAUSED, 0, 0)
        # A thousand tokens a question: ten, and one more at most for each that was in work.
        assert 10 <= len(server.requests) == progress.done <= 12
        assert resume_run(job, alice, tokens=1_000_000)
        wait_until(lambda: progress_of(job).finished, seconds=60, said=engine.logs)
    assert progress_of(job).done == len(server.requests) == 30
    assert Attempt.objects.filter(requests=1).count() == Attempt.objects.count() == 30


def test_a_revision_asks_only_for_what_changed(begin, policy: Policy, alice: User) -> None:
    def text(*limits: int) -> bytes:
        trips = (f"# S{limit % 10}\n\nTrips exceeding EUR {limit} require it." for limit in limits)
        return "\n\n".join(trips).encode()

    with llm_server(choose=limits_trips) as server:
        job = begin(server, text(1000, 2001, 3002, 4003).decode())
        finish_inline(job, holder="test")
        assert len(server.requests) == 4
        document = policy.documents.get()
        document_store.add_revision(
            document, alice, data=text(1000, 2001, 3502, 4003), filename="rules.md"
        )
        second = start_formalizing(policy, alice)
        finish_inline(second, holder="test")
        assert len(server.requests) == 5
        asked = sentences_in(server.requests[-1])
        assert [one["text"] for one in asked] == ["Trips exceeding EUR 3502 require it."]
        # Back to the words of before: nothing is asked.
        document_store.add_revision(
            document, alice, data=text(1000, 2001, 3002, 4003), filename="rules.md"
        )
        finish_inline(start_formalizing(policy, alice), holder="test")
    said = Statement.objects.filter(state=StatementState.FORMALIZED)
    assert said.count() >= 5
    assert len(server.requests) == 5
    assert ModelReply.objects.count() == len(server.requests)


def test_what_was_asked_before_a_worker_died_is_answered_from_the_table(
    begin, policy: Policy
) -> None:
    """The replies are kept, the units are not: as after a kill between the two."""
    with llm_server(choose=leaves_all) as server:
        job = begin(server, sections("One", "Two", "Three"))
        formalizer = choose_formalizer(policy.formalizer, TableAsker(policy))
        for span in Span.objects.filter(revision__document__policy=policy):
            text = text_of(span, open_sentences(span, formalizer.name))
            formalizer.formalize(text, PolicyModel(), cancelled=never)
        assert (len(server.requests), Unit.objects.count()) == (3, 0)
        finish_inline(job, holder="test")
        assert (len(server.requests), Unit.objects.count()) == (3, 3)
    kept = Attempt.objects.filter(job=job)
    assert set(kept.values_list("was_kept", "requests", "prompt_tokens")) == {(True, 0, 0)}
    assert spent(job).tokens == 0
