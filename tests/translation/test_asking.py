"""Through the table of replies: each question is sent once, and every attempt leaves a row."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.apps import apps
from django.db import connection as database
from django.db import connections

from policies.jobs import Context, PausedError, PutBackError, cancel_job, start_job
from policies.jobs.leases import claim
from policies.models import Job, Policy, User
from tests.llm_server import Answer, fails, llm_server, says
from tests.policies.job_handlers import KIND
from tests.translation.conftest import connect, never
from translation import table_asker
from translation.connection import Connection
from translation.formalizers import CancelledError
from translation.llm_answers import Reply
from translation.llm_errors import LlmError, LlmForbiddenError, LlmTimeoutError
from translation.models import Attempt, ModelReply, Purpose
from translation.table_asker import TableAsker

pytestmark = pytest.mark.django_db(transaction=True)

MESSAGES = [{"role": "user", "content": "hello"}]


def ask(
    asker: TableAsker,
    connection: Connection,
    text: str = "hello",
    schema: dict[str, Any] | None = None,
    cancelled=never,
    **changes: Any,
) -> Reply:
    message = [{"role": "user", "content": text}]
    values = {"max_tokens": 50, "purpose": Purpose.DRAFT, **changes}
    return asker.ask(
        connection, message, schema or {}, without_schema=message, cancelled=cancelled, **values
    )


@pytest.fixture
def in_job(policy: Policy, alice: User):
    """`in_job(**settings)` is the context of a claimed item of a job with these settings."""

    def begin(**settings: Any) -> Context:
        job = start_job(policy, alice, KIND, [("a", {})], key=str(settings), settings=settings)
        context = claim(job.items.get().pk, "test")
        assert context is not None
        return context

    return begin


def test_a_question_is_sent_once(policy: Policy) -> None:
    with llm_server(says("one", prompt_tokens=12, completion_tokens=3), says("two")) as server:
        first = ask(TableAsker(policy), connect(server))
        again = ask(TableAsker(policy), connect(server))
    assert len(server.requests) == 1
    assert again == replace(first, requests=0)
    row = ModelReply.objects.get()
    assert (row.text, row.model, row.place) == ("one", "openai/hand-written", server.base_url)
    assert row.messages == MESSAGES
    sent, kept = Attempt.objects.all()
    assert (sent.requests, sent.prompt_tokens, sent.completion_tokens) == (1, 12, 3)
    assert (kept.was_kept, kept.requests, kept.prompt_tokens, kept.reply) == (True, 0, 0, row)
    assert not sent.was_kept
    assert sent.reply == row


@pytest.mark.parametrize(
    "other",
    [
        {"text": "hello?"},
        {"schema": {"type": "object"}},
        {"max_tokens": 51},
        {"sample": 1},
        {"temperature": 0.5},
    ],
)
def test_anything_else_is_another_question(policy: Policy, other: dict[str, Any]) -> None:
    with llm_server(says("x")) as server:
        ask(TableAsker(policy), connect(server))
        ask(TableAsker(policy), connect(server), **other)
    assert len(server.requests) == ModelReply.objects.count() == 2


def test_another_model_or_place_is_another_question_and_another_key_is_not(policy, monkeypatch):
    monkeypatch.setenv("HOUSE_LLM_KEY", "sk-house")
    with llm_server(says("x")) as server, llm_server(says("y")) as elsewhere:
        asked = connect(server)
        for connection in (
            asked,
            replace(asked, model="openai/other"),
            replace(asked, api_base=elsewhere.base_url),
            replace(asked, name="house", key_env="HOUSE_LLM_KEY", deadline_s=9, window=5),
        ):
            ask(TableAsker(policy), connection)
    assert (len(server.requests), len(elsewhere.requests)) == (2, 1)


def test_what_another_policy_asked_is_asked_again(policy: Policy, alice: User) -> None:
    other = Policy.objects.create(slug="other", name="Other", created_by=alice)
    with llm_server(says("x")) as server:
        ask(TableAsker(policy), connect(server))
        ask(TableAsker(other), connect(server))
    assert len(server.requests) == 2


def test_two_workers_that_ask_the_same_at_once_go_on_with_the_same_reply(policy: Policy) -> None:
    def at_once(_: int) -> str:
        try:
            return ask(TableAsker(policy), connect(server)).text
        finally:
            connections.close_all()

    answers = iter([says("one", delay_s=0.3), says("two", delay_s=0.3)])
    with llm_server(choose=lambda _: next(answers)) as server, ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(at_once, range(2)))
    assert len(server.requests) == 2
    assert set(texts) == {ModelReply.objects.get().text}
    assert [one.requests for one in Attempt.objects.all()] == [1, 1]


FAILURES = [
    (fails(401, "Incorrect API key provided: sk-planted-0123456789"), "LlmKeyError", 1),
    (fails(403), "LlmKeyError", 1),
    (fails(404), "LlmUnknownModelError", 1),
    (fails(400, "bad sk-planted-0123456789"), "LlmRefusedError", 1),
    (fails(400, "This model's maximum context length is 4096 tokens"), "LlmTooLongError", 1),
    (fails(429, "You exceeded your current quota"), "LlmQuotaError", 1),
    (fails(429), "LlmRateLimitError", 3),
    (fails(500, "sk-planted-0123456789"), "LlmServerError", 3),
    (fails(408), "LlmTimeoutError", 3),
    (Answer(b"<html>sk-planted-0123456789</html>"), "LlmNotAModelError", 1),
    (Answer(b"", hangs_up=True), "LlmConnectionError", 3),
    (says(None, prompt_tokens=900, completion_tokens=400), "LlmEmptyError", 1),
]


@pytest.mark.parametrize(("answer", "kind", "requests"), FAILURES)
def test_fr_28_each_failure_leaves_its_class_its_sentence_and_what_it_took(
    policy: Policy, answer: Answer, kind: str, requests: int, monkeypatch, caplog, capfd
) -> None:
    key = "sk-planted-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    caplog.set_level(logging.DEBUG)
    with llm_server(answer) as server, pytest.raises(LlmError) as caught:
        ask(TableAsker(policy), connect(server))
    row = Attempt.objects.get()
    assert (row.error_kind, row.error) == (kind, caught.value.as_sentence())
    assert row.requests == len(server.requests) == requests
    assert row.reply is None
    assert row.prompt_tokens + row.completion_tokens == (1300 if kind == "LlmEmptyError" else 0)
    assert key in server.headers[0]["authorization"]
    assert_nowhere(key, caplog, capfd)


def test_a_key_is_in_no_row_and_no_line_of_a_log_after_success(policy, monkeypatch, caplog, capfd):
    monkeypatch.setenv("HOUSE_LLM_KEY", "sk-planted-0123456789")
    caplog.set_level(logging.DEBUG)
    with llm_server(says("x")) as server:
        ask(TableAsker(policy), connect(server, key_env="HOUSE_LLM_KEY"))
    assert "sk-planted" in server.headers[0]["authorization"]
    assert_nowhere("sk-planted-0123456789", caplog, capfd)


def assert_nowhere(key: str, caplog: Any, capfd: Any) -> None:
    said = capfd.readouterr()
    for text in (caplog.text, said.out, said.err, *every_row()):
        assert key not in text


def every_row() -> list[str]:
    """All rows of all tables, as text."""
    rows = []
    with database.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')
            rows += [repr(row) for row in cursor.fetchall()]
    return rows


def test_the_search_for_a_key_would_find_it(policy: Policy) -> None:
    Job.objects.create(policy=policy, kind="x", key="k", error="sk-planted-0123456789")
    assert any("sk-planted" in row for row in every_row())


def test_what_postgresql_refuses_is_stored_and_given_as_it_is_stored(policy: Policy) -> None:
    body = says("a-b").body.replace(b"a-b", b"a\\u0000b\\ud800")
    with llm_server(Answer(body)) as server:
        first = ask(TableAsker(policy), connect(server), text="nul \0 and half \ud800")
        again = ask(TableAsker(policy), connect(server), text="nul \0 and half \ud800")
    assert first.text == again.text == ModelReply.objects.get().text == "a\ufffdb\ufffd"
    assert ModelReply.objects.get().messages[0]["content"] == "nul \ufffd and half \ufffd"


def test_fr_63_a_cancelled_question_is_given_up_soon_and_counted(in_job, alice) -> None:
    context = in_job()
    with llm_server(says("late", delay_s=30)) as server:
        timer = threading.Timer(0.5, cancel, (context.job, alice))
        timer.start()
        began = time.monotonic()
        with pytest.raises(CancelledError):
            ask(TableAsker(context.policy, context), connect(server), cancelled=context.cancelled)
        assert time.monotonic() - began < 0.5 + 1.2
    row = Attempt.objects.get()
    assert (row.error_kind, row.requests, row.item_id) == ("CancelledError", 1, context.item_id)
    with pytest.raises(CancelledError):
        ask(TableAsker(context.policy, context), connect(server), cancelled=context.cancelled)
    assert Attempt.objects.count() == len(server.requests) == 1
    timer.join()


def cancel(job: Job, user: User) -> None:
    cancel_job(job, user)
    connections.close_all()


def test_fr_27_a_spent_limit_in_tokens_pauses_before_the_next_question(in_job) -> None:
    context = in_job(hosts=["openai at 127.0.0.1"], tokens=1000)
    with llm_server(says("x", prompt_tokens=900, completion_tokens=100)) as server:
        here = connect(server)
        Job.objects.update(settings={"hosts": [here.host], "tokens": 1000})
        ask(TableAsker(context.policy, context), here)
        with pytest.raises(PausedError) as caught:
            ask(TableAsker(context.policy, context), here, text="more")
        # What is in the table costs nothing, and is given.
        ask(TableAsker(context.policy, context), here)
    assert len(server.requests) == 1
    assert "used 1,000 tokens of 1,000" in str(caught.value)
    assert caught.value.seen == Job.objects.get().settings


def test_fr_27_a_spent_limit_in_dollars_pauses_and_an_unknown_price_is_not_zero(in_job) -> None:
    context = in_job()
    with llm_server(says("x", prompt_tokens=1_000_000, completion_tokens=0)) as server:
        unknown = connect(server)
        priced = replace(unknown, name="house", input_usd=Decimal("0.3"), output_usd=Decimal(1))
        Job.objects.update(settings={"hosts": [unknown.host], "tokens": 9_000_000, "usd": "0.50"})
        for number in range(2):
            ask(TableAsker(context.policy, context), unknown, text=f"unknown {number}")
            ask(TableAsker(context.policy, context), priced, text=f"priced {number}")
        with pytest.raises(PausedError, match=r"has cost USD 0\.60 of USD 0\.50"):
            ask(TableAsker(context.policy, context), priced, text="more")
    costs = [row.cost_usd for row in Attempt.objects.order_by("pk")]
    assert costs[::2] == [None, None]
    assert all(cost is not None and cost >= Decimal("0.3") for cost in costs[1::2])


def test_a_policy_that_forbids_it_meanwhile_sends_no_more_text_out(in_job) -> None:
    context = in_job()
    with llm_server(says("x")) as server:
        inside = connect(server)
        outside = replace(inside, model="someone/hand-written")
        Job.objects.update(settings={"hosts": [inside.host, outside.host]})
        Policy.objects.update(forbids_external_models=True)
        ask(TableAsker(context.policy, context), inside)
        with pytest.raises(PausedError, match="forbids external models"):
            ask(TableAsker(context.policy, context), outside)
    assert len(server.requests) == 1


def test_where_there_is_no_run_to_pause_forbidden_text_is_an_error(policy: Policy, in_job) -> None:
    Policy.objects.update(forbids_external_models=True)
    outside = Connection("openai/x", "https://models.example/v1")
    for asker in (TableAsker(policy), TableAsker(policy, in_job())):
        with pytest.raises(LlmForbiddenError, match=r"openai at models\.example"):
            ask(asker, outside)


def test_a_host_that_was_not_named_before_the_run_is_not_asked(in_job) -> None:
    context = in_job(hosts=["openai at 127.0.0.1:1"])
    with llm_server(says("x")) as server, pytest.raises(PausedError, match="was not named"):
        ask(TableAsker(context.policy, context), connect(server))
    assert server.requests == []


def test_a_turn_that_gained_something_goes_back_in_line_in_time(in_job, monkeypatch) -> None:
    monkeypatch.setattr(table_asker, "turn_s", lambda: 2.0)
    context = in_job()
    with llm_server(says("x")) as server:
        asker = TableAsker(context.policy, context)
        quick = connect(server, deadline_s=1.9)
        ask(asker, quick)
        time.sleep(0.2)
        with pytest.raises(PutBackError):
            ask(asker, quick, text="more")
        # The next turn begins with what the last one gained.
        asker = TableAsker(context.policy, context)
        ask(asker, quick)
        ask(asker, quick, text="more")
    assert len(server.requests) == 2


def test_a_turn_that_gained_nothing_ends_with_a_sentence_and_in_time(in_job, monkeypatch) -> None:
    monkeypatch.setattr(table_asker, "turn_s", lambda: 2.0)
    context = in_job()
    began = time.monotonic()
    with llm_server(says("late", delay_s=30)) as server:
        asker = TableAsker(context.policy, context)
        slow = connect(server, deadline_s=1.2)
        with pytest.raises(LlmTimeoutError, match=r"within 1\.2 seconds"):
            ask(asker, slow)
        with pytest.raises(LlmTimeoutError, match="left no time"):
            ask(asker, slow, text="more")
    assert time.monotonic() - began < 3
