"""The one home of LiteLLM: a chat completion with our own deadline, retries and errors.

LiteLLM takes seconds and 200 MB to import, so it is imported inside the call,
and only where a model is asked. Its retries are off (they multiply), it is never
told to drop parameters (it would drop the schema without a word), and its
`timeout` bounds only the gap between two bytes, so the deadline is kept here.
Keys come from the environment under the provider's own names; LiteLLM reads
them, and nothing here stores or logs them.
"""

from __future__ import annotations

import math
import os
import queue
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from policies.jobs.registry import Lost
from translation.call_threads import CALLS
from translation.connection import Connection
from translation.formalizers import Cancelled, CancelledError
from translation.llm_answers import Messages, Reply, read_answer, read_vectors, storable
from translation.llm_errors import LlmError, LlmKeyError
from translation.llm_failures import our_error, too_slow, unsupported_parameter

# How often a waiting call looks whether it was cancelled.
_POLL_S = 0.1


def complete(
    connection: Connection,
    messages: Messages,
    schema: Mapping[str, Any],
    *,
    without_schema: Messages,
    max_tokens: int,
    temperature: float = 0,
    cancelled: Cancelled,
    lost: Lost | None = None,
) -> Reply:
    """Ask the model once, sending again on transport trouble only.

    `without_schema` are the messages for a provider that takes no schema. Where `lost` tells
    of it at once, `cancelled` is not asked again and again.

    Raises an LlmError or CancelledError, both with `requests` set.
    """
    place = _place(connection)
    litellm = _litellm()
    deadline = time.monotonic() + connection.deadline_s
    left_out: tuple[str, ...] = ()
    sent = 0
    while True:
        try:
            asked = without_schema if "response_format" in left_out else messages
            arguments = (
                _arguments(connection, asked, schema, max_tokens, temperature, left_out) | place
            )
            answer = _in_time(litellm.completion, arguments, connection, deadline, cancelled, lost)
            return read_answer(connection, asked, answer, sent + 1, left_out)
        except _UnsupportedError as error:
            left_out = (*left_out, error.parameter)
        except CancelledError as error:
            error.requests += sent
            raise
        except LlmError as error:
            sent += error.was_sent
            _wait_or_raise(error, sent, connection, deadline, cancelled, lost)


def embed(
    connection: Connection, texts: Sequence[str], *, cancelled: Cancelled
) -> list[list[float]]:
    """A vector for each text, all of one length; sent again on transport trouble only.

    Raises an LlmError with `requests` set, or CancelledError.
    """
    litellm = _litellm()
    deadline = time.monotonic() + connection.deadline_s
    arguments = {
        "model": connection.model,
        "input": list(texts),
        "encoding_format": "float",
        "max_retries": 0,
        **_place(connection),
    }
    sent = 0
    while True:
        try:
            answer = _in_time(litellm.embedding, arguments, connection, deadline, cancelled)
            return read_vectors(connection, answer, len(texts))
        except LlmError as error:
            sent += error.was_sent
            _wait_or_raise(error, sent, connection, deadline, cancelled)


class _UnsupportedError(Exception):
    """The provider takes no such parameter; nothing was sent."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


def _litellm() -> Any:
    # Without this, importing LiteLLM fetches a price list from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import logging
    import warnings

    import litellm

    # A remark of Pydantic's on LiteLLM's own types, made with the first answer.
    warnings.filterwarnings("ignore", r"Items? '.* on TypedDict class", UserWarning)
    litellm.suppress_debug_info = True
    # Its debug log holds whole requests. Ours says what happened.
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logger = logging.getLogger(name)
        # Setting it again empties what all loggers know of their levels.
        if logger.level != logging.CRITICAL:
            logger.setLevel(logging.CRITICAL)
    return litellm


def _arguments(
    connection: Connection,
    messages: Messages,
    schema: Mapping[str, Any],
    max_tokens: int,
    temperature: float,
    left_out: Sequence[str],
) -> dict[str, Any]:
    named_schema = {"name": "policy_unit", "strict": True, "schema": schema}
    optional = {
        "temperature": temperature,
        "response_format": {"type": "json_schema", "json_schema": named_schema},
    }
    arguments: dict[str, Any] = {
        "model": connection.model,
        # A model's own words come back to it: half a pair of surrogates could not be sent.
        "messages": [
            {name: storable(text) for name, text in message.items()} for message in messages
        ],
        "max_tokens": max_tokens,
        "max_retries": 0,
        **{name: value for name, value in optional.items() if name not in left_out},
    }
    return arguments


def _place(connection: Connection) -> dict[str, str]:
    """Where the provider is and the key for it, if not where LiteLLM looks by itself."""
    place = {"api_base": connection.api_base} if connection.api_base else {}
    if connection.key_env:
        key = os.environ.get(connection.key_env)
        if not key:
            raise LlmKeyError(
                f"`{connection.key_env}`, which is to hold the key for `{connection.name}`, "
                "is not set; set it where the work is done"
            )
        return {**place, "api_key": key}
    if connection.has_no_key:
        return {**place, "api_key": "none"}
    needs_one = connection.model.startswith("openai/") and connection.api_base
    if needs_one and not os.environ.get("OPENAI_API_KEY"):
        # LiteLLM refuses to ask a local server without a key; the server ignores it.
        place["api_key"] = "none"
    return place


def _in_time(
    call: Callable[..., Any],
    arguments: Mapping[str, Any],
    connection: Connection,
    deadline: float,
    cancelled: Cancelled,
    lost: Lost | None = None,
) -> Any:
    """The answer, awaited from another thread, which is left alone at the deadline."""
    if cancelled():
        raise CancelledError
    results: queue.SimpleQueue[tuple[Any, BaseException | None] | None] = queue.SimpleQueue()
    # Whole seconds: LiteLLM keeps a client for each timeout that it was ever given.
    remaining_s = math.ceil(max(deadline - time.monotonic(), _POLL_S))

    def ask() -> None:
        try:
            results.put((call(**arguments, timeout=remaining_s), None))
        except BaseException as error:
            results.put((None, error))

    CALLS.run(ask)
    found = _first(results, deadline, cancelled, lost)
    if found is None:
        raise too_slow(connection)
    answer, error = found
    if error is None:
        return answer
    parameter = unsupported_parameter(error)
    if parameter:
        raise _UnsupportedError(parameter)
    raise our_error(error, connection) from None


def _first(
    results: queue.SimpleQueue[Any], deadline: float, cancelled: Cancelled, lost: Lost | None
) -> Any:
    """What comes first, or None at the deadline; CancelledError once the work is cancelled."""
    if lost is not None:
        # What says that it is lost comes through the same queue, so that nothing is polled.
        with lost.telling(lambda: results.put(None)):
            try:
                found = results.get(timeout=max(deadline - time.monotonic(), 0))
            except queue.Empty:
                return None
        if found is None:
            raise _given_up(requests=1)
        return found
    while True:
        if cancelled():
            raise _given_up(requests=1)
        try:
            return results.get(timeout=_POLL_S)
        except queue.Empty:
            if time.monotonic() >= deadline:
                return None


def _wait_or_raise(
    error: LlmError,
    sent: int,
    connection: Connection,
    deadline: float,
    cancelled: Cancelled,
    lost: Lost | None = None,
) -> None:
    """Wait before the next request; the error again where there is none to be."""
    error.requests = sent
    wait_s = _wait_before_next(error, sent, connection)
    if not error.asked_again or sent > connection.retries:
        raise error
    if time.monotonic() + wait_s >= deadline:
        raise error
    _sleep(wait_s, sent, cancelled, lost)


def _wait_before_next(error: LlmError, sent: int, connection: Connection) -> float:
    # Jitter, so that callers refused together do not come back together.
    if error.retry_after_s is not None:
        return error.retry_after_s + connection.backoff_s * random.uniform(0, 0.5)
    return connection.backoff_s * 2.0 ** (sent - 1) * random.uniform(0.5, 1.5)


def _given_up(requests: int) -> CancelledError:
    error = CancelledError()
    error.requests = requests
    return error


def _sleep(seconds: float, sent: int, cancelled: Cancelled, lost: Lost | None) -> None:
    if lost is not None:
        if lost.wait(seconds):
            raise _given_up(sent)
        return
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if cancelled():
            raise _given_up(sent)
        time.sleep(min(left, _POLL_S))
