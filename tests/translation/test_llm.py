"""The home of LiteLLM over real HTTP, against a local server with hand-written answers."""

from __future__ import annotations

import json
import logging
import pickle
import subprocess
import sys
import threading
import time
from decimal import Decimal
from email.utils import formatdate

import pytest

from tests.llm_server import Answer, LlmServer, fails, llm_server, says
from tests.translation.conftest import connect, never
from translation import llm_errors
from translation.connection import Connection
from translation.formalizers import CancelledError
from translation.llm import complete
from translation.llm_answers import Reply
from translation.llm_errors import (
    LlmConnectionError,
    LlmEmptyError,
    LlmError,
    LlmKeyError,
    LlmNotAModelError,
    LlmQuotaError,
    LlmRateLimitError,
    LlmRefusedError,
    LlmServerError,
    LlmTimeoutError,
    LlmTooLongError,
    LlmUnknownModelError,
)

MESSAGES = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object"}


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """LiteLLM takes seconds to load, once: not a part of any time below."""
    with llm_server(says("x")) as server:
        ask(Connection("openai/hand-written", server.base_url, has_no_key=True))


def ask(connection: Connection, cancelled=never) -> Reply:
    return complete(
        connection,
        MESSAGES,
        SCHEMA,
        without_schema=[{"role": "user", "content": "hello, with the schema in words"}],
        max_tokens=50,
        cancelled=cancelled,
    )


def refusal(server: LlmServer, **changes: object) -> LlmError:
    with pytest.raises(LlmError) as caught:
        ask(connect(server, **changes))
    return caught.value


def test_an_answer_comes_with_its_tokens() -> None:
    with llm_server(says("good morning", prompt_tokens=12, completion_tokens=3)) as server:
        reply = ask(connect(server))
    assert (reply.text, reply.was_cut, reply.requests) == ("good morning", False, 1)
    assert (reply.prompt_tokens, reply.completion_tokens) == (12, 3)


def test_the_schema_is_sent_and_nothing_is_dropped() -> None:
    with llm_server(says("x")) as server:
        reply = ask(connect(server))
    sent = server.requests[0]
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    assert (sent["temperature"], sent["max_tokens"]) == (0, 50)
    assert reply.left_out == ()


def test_fr_25_a_provider_that_takes_no_schema_gets_it_in_words(monkeypatch) -> None:
    import litellm

    real = litellm.completion

    def without_response_format(**arguments):
        if "response_format" in arguments:
            raise litellm.UnsupportedParamsError(
                status_code=400, message="does not support parameters: ['response_format']"
            )
        return real(**arguments)

    monkeypatch.setattr(litellm, "completion", without_response_format)
    with llm_server(says("x")) as server:
        reply = ask(connect(server))
    assert reply.left_out == ("response_format",)
    assert len(server.requests) == 1
    assert "in words" in server.requests[0]["messages"][0]["content"]


def test_fr_27_a_model_without_a_price_has_no_cost_rather_than_none_to_pay() -> None:
    with llm_server(says("x")) as server:
        assert ask(connect(server)).cost_usd is None


def test_a_model_with_a_price_has_its_cost() -> None:
    with llm_server(says("x", prompt_tokens=1000, completion_tokens=1000)) as server:
        reply = ask(Connection("openai/gpt-4o", server.base_url))
    assert reply.cost_usd is not None
    assert 0 < reply.cost_usd < 1


def test_fr_26_two_retries_are_three_requests_and_waits_follow_retry_after() -> None:
    with llm_server(fails(429, retry_after="0.3")) as server:
        error = refusal(server, retries=2)
    assert isinstance(error, LlmRateLimitError)
    assert (len(server.requests), error.requests) == (3, 3)
    first, second, third = server.times
    assert 0.3 <= second - first < 2
    assert 0.3 <= third - second < 2


def test_fr_26_a_retry_after_that_is_a_date_is_waited_for() -> None:
    """A date has whole seconds: two from now is more than one."""
    date = formatdate(time.time() + 2, usegmt=True)
    with llm_server(fails(503, retry_after=date), says("x")) as server:
        assert ask(connect(server)).requests == 2
    first, second = server.times
    assert 0.9 <= second - first < 3


@pytest.mark.parametrize("said", ["soon", "nan", "inf", "-5", "Mon, 99 Nov 2026 00:00:00 GMT"])
def test_a_retry_after_that_says_nothing_is_our_own_wait(said: str) -> None:
    with llm_server(fails(429, retry_after=said), says("x")) as server:
        assert ask(connect(server)).requests == 2
    assert server.times[1] - server.times[0] < 3


def test_callers_refused_together_do_not_come_back_together() -> None:
    waits = set()
    for _ in range(3):
        with llm_server(fails(429, retry_after="0.1"), says("x")) as server:
            ask(connect(server, backoff_s=0.5))
        waits.add(round(server.times[1] - server.times[0], 3))
    assert len(waits) == 3
    assert all(0.1 <= wait < 1 for wait in waits)


def test_a_wait_longer_than_the_deadline_is_not_begun() -> None:
    began = time.monotonic()
    with llm_server(fails(429, retry_after="3600")) as server:
        assert isinstance(refusal(server), LlmRateLimitError)
    assert len(server.requests) == 1
    assert time.monotonic() - began < 10


def test_trouble_that_passes_is_not_an_error() -> None:
    with llm_server(fails(503), fails(500), says("at last")) as server:
        reply = ask(connect(server))
    assert (reply.text, reply.requests) == ("at last", 3)


def test_no_answer_in_time_ends_the_call_at_our_deadline() -> None:
    began = time.monotonic()
    with llm_server(says("too late", delay_s=30)) as server:
        error = refusal(server, deadline_s=0.5)
        assert isinstance(error, LlmTimeoutError)
        assert "within 0.5 seconds" in str(error)
        assert time.monotonic() - began < 5


def test_a_server_that_drips_bytes_does_not_hold_the_call() -> None:
    answer = says("slow")
    began = time.monotonic()
    with llm_server(Answer(answer.body, drip_s=0.2)) as server:
        assert isinstance(refusal(server, deadline_s=0.7), LlmTimeoutError)
        assert time.monotonic() - began < 5


def test_a_cancelled_call_is_given_up() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with (
        llm_server(says("too late", delay_s=30)) as server,
        pytest.raises(CancelledError),
    ):
        ask(connect(server), cancelled=stop.is_set)
    assert time.monotonic() - began < 5


def test_fr_63_a_call_that_was_cancelled_before_is_not_made_and_one_in_flight_is_counted() -> None:
    with llm_server(fails(500), says("late", delay_s=30)) as server:
        with pytest.raises(CancelledError) as before:
            ask(connect(server), cancelled=lambda: True)
        assert (server.requests, before.value.requests) == ([], 0)
        with pytest.raises(CancelledError) as during:
            ask(connect(server), cancelled=lambda: len(server.requests) == 2)
        assert (len(server.requests), during.value.requests) == (2, 2)


def test_fr_63_a_wait_is_given_up_at_once() -> None:
    answered: list[float] = []

    def cancelled() -> bool:
        if server.requests and not answered:
            answered.append(time.monotonic())
        return bool(answered) and time.monotonic() > answered[0] + 0.5

    with llm_server(fails(429, retry_after="15")) as server:
        with pytest.raises(CancelledError) as caught:
            ask(connect(server), cancelled=cancelled)
        assert time.monotonic() - answered[0] < 1.5
    assert (len(server.requests), caught.value.requests) == (1, 1)


@pytest.mark.parametrize(
    ("answer", "expected", "requests"),
    [
        (fails(401), LlmKeyError, 1),
        (fails(403), LlmKeyError, 1),
        (fails(404), LlmUnknownModelError, 1),
        (fails(400), LlmRefusedError, 1),
        (fails(400, "This model's maximum context length is 4096 tokens"), LlmTooLongError, 1),
        (fails(429, "You exceeded your current quota"), LlmQuotaError, 1),
        (fails(500), LlmServerError, 3),
        (fails(502), LlmServerError, 3),
        (fails(408), LlmTimeoutError, 3),
        (Answer(b"<html>sign in</html>", content_type="text/html"), LlmNotAModelError, 1),
        (Answer(b"<html>sign in</html>"), LlmNotAModelError, 1),
        (Answer(b"[1]"), LlmNotAModelError, 1),
        (Answer(b"{}"), LlmNotAModelError, 1),
        (Answer(b'{"choices": []}'), LlmNotAModelError, 1),
    ],
)
def test_each_failure_is_told_apart(answer: Answer, expected: type, requests: int) -> None:
    with llm_server(answer) as server:
        error = refusal(server)
    assert type(error) is expected
    assert (len(server.requests), error.requests) == (requests, requests)
    assert "\n" not in str(error)
    assert "Traceback" not in str(error)


def test_a_server_that_is_not_there_is_a_connection_error() -> None:
    with llm_server(says("x")) as server:
        gone = connect(server)
    with pytest.raises(LlmConnectionError) as caught:
        ask(gone)
    assert "127.0.0.1" in str(caught.value)
    assert caught.value.requests == 3


def test_a_name_without_a_provider_says_how_to_write_it() -> None:
    with pytest.raises(LlmUnknownModelError) as caught:
        ask(Connection("no-such-provider-or-model", "http://127.0.0.1:9"))
    assert "openai/NAME" in str(caught.value)
    assert caught.value.requests == 0


def test_fr_24_an_answer_without_content_names_its_reason_and_its_tokens() -> None:
    answer = says(None, finish_reason="length", completion_tokens=400)
    with llm_server(answer) as server:
        error = refusal(server)
    assert isinstance(error, LlmEmptyError)
    assert "`length`" in str(error)
    assert "400 tokens" in str(error)
    assert (error.prompt_tokens, error.completion_tokens, error.cost_usd) == (900, 400, None)


def test_fr_27_a_server_that_counts_nothing_still_reaches_a_limit() -> None:
    body = json.loads(says("x" * 300).body)
    del body["usage"]
    with llm_server(Answer(json.dumps(body).encode())) as server:
        unknown = ask(connect(server))
        priced = ask(Connection("openai/gpt-4o", server.base_url))
    assert (unknown.completion_tokens, unknown.cost_usd) == (100, None)
    assert unknown.prompt_tokens > 0
    assert priced.cost_usd is not None
    assert priced.cost_usd > 0


def test_a_server_that_counts_nonsense_does_not_pass_what_a_row_holds() -> None:
    with llm_server(says("x", prompt_tokens=10**30, completion_tokens=-7)) as server:
        reply = ask(connect(server))
    assert reply.prompt_tokens == 2**31 - 1
    assert reply.completion_tokens > 0


def test_a_price_of_the_connection_goes_before_the_list() -> None:
    with llm_server(says("x", prompt_tokens=1_000_000, completion_tokens=500_000)) as server:
        reply = ask(
            Connection(
                "openai/gpt-4o", server.base_url, input_usd=Decimal(3), output_usd=Decimal(4)
            )
        )
    assert reply.cost_usd == Decimal(5)


def test_what_postgresql_refuses_is_taken_out_of_a_reply() -> None:
    body = says("a b").body.replace(b"a b", b"a\\u0000b\\ud800c\\ud83d\\ude00")
    with llm_server(Answer(body)) as server:
        assert ask(connect(server)).text == "a\ufffdb\ufffdc\U0001f600"


def test_fr_28_every_error_of_ours_can_be_carried_in_a_pickle() -> None:
    kinds = [kind for kind in vars(llm_errors).values() if isinstance(kind, type)]
    errors = [kind for kind in kinds if issubclass(kind, LlmError)]
    assert len(errors) == 17
    for kind in errors:
        error = kind("one sentence")
        error.requests, error.retry_after_s, error.completion_tokens = 3, 1.5, 400
        carried = pickle.loads(pickle.dumps(error))
        assert type(carried) is kind
        assert (str(carried), vars(carried)) == ("one sentence", vars(error))


def test_a_key_goes_to_the_server_and_nowhere_else(monkeypatch, caplog, capfd) -> None:
    key = "sk-not-a-real-key-1234567890"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    caplog.set_level(logging.DEBUG)
    with llm_server(fails(401, f"Incorrect API key provided: {key}"), says("x")) as server:
        error = refusal(server)
        ask(connect(server))
    assert server.headers[0]["authorization"] == f"Bearer {key}"
    said = capfd.readouterr()
    for text in (str(error), repr(vars(error)), caplog.text, said.out, said.err):
        assert key not in text


def test_what_an_address_holds_of_secrets_is_not_repeated() -> None:
    connection = Connection("openai/x", "http://someone:secret@127.0.0.1:9/v1")
    assert connection.place == " at 127.0.0.1:9"


def test_the_rest_of_the_room_does_not_load_litellm() -> None:
    code = (
        "import sys, django; django.setup(); "
        "import translation.jobs, translation.litellm_formalizer, translation.llm; "
        "sys.exit('litellm' in sys.modules)"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings", "PATH": ""}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
