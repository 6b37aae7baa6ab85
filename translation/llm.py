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
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from translation.connection import Connection
from translation.formalizers import Cancelled, CancelledError
from translation.llm_errors import LlmEmptyError, LlmError
from translation.llm_failures import not_a_model, our_error, too_slow, unsupported_parameter

Messages = Sequence[Mapping[str, str]]

# How often a waiting call looks whether it was cancelled.
_POLL_S = 0.1


@dataclass(frozen=True)
class Reply:
    """An answer that ended by itself or at its limit (`was_cut`), and what it took.

    `left_out` names parameters that the provider does not take, so they were not sent:
    with `response_format` among them, the schema was asked for in the prompt only.
    """

    text: str
    was_cut: bool
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal | None
    requests: int
    left_out: tuple[str, ...]


def complete(
    connection: Connection,
    messages: Messages,
    schema: Mapping[str, Any],
    *,
    without_schema: Messages,
    max_tokens: int,
    cancelled: Cancelled,
) -> Reply:
    """Ask the model once, sending again on transport trouble only.

    `without_schema` are the messages for a provider that takes no schema.

    Raises an LlmError with `requests` set, or CancelledError.
    """
    litellm = _litellm()
    deadline = time.monotonic() + connection.deadline_s
    left_out: tuple[str, ...] = ()
    sent = 0
    while True:
        try:
            asked = without_schema if "response_format" in left_out else messages
            arguments = _arguments(connection, asked, schema, max_tokens, left_out)
            answer = _in_time(litellm.completion, arguments, connection, deadline, cancelled)
            return _reply(connection, answer, sent + 1, left_out)
        except _UnsupportedError as error:
            left_out = (*left_out, error.parameter)
        except LlmError as error:
            sent += 1
            _wait_or_raise(error, sent, connection, deadline, cancelled)


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
            return _vectors(connection, answer, len(texts))
        except LlmError as error:
            sent += 1
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
    warnings.filterwarnings("ignore", r"Item '\w+' on TypedDict class", UserWarning)
    litellm.suppress_debug_info = True
    # Its debug log holds whole requests. Ours says what happened.
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def _arguments(
    connection: Connection,
    messages: Messages,
    schema: Mapping[str, Any],
    max_tokens: int,
    left_out: Sequence[str],
) -> dict[str, Any]:
    named_schema = {"name": "policy_unit", "strict": True, "schema": schema}
    optional = {
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": named_schema},
    }
    arguments: dict[str, Any] = {
        "model": connection.model,
        "messages": [dict(message) for message in messages],
        "max_tokens": max_tokens,
        "max_retries": 0,
        **{name: value for name, value in optional.items() if name not in left_out},
    }
    return arguments | _place(connection)


def _place(connection: Connection) -> dict[str, str]:
    """Where the provider is, if not where LiteLLM looks for it by itself."""
    if not connection.api_base:
        return {}
    place = {"api_base": connection.api_base}
    if connection.model.startswith("openai/") and not os.environ.get("OPENAI_API_KEY"):
        # LiteLLM refuses to ask a local server without a key; the server ignores it.
        place["api_key"] = "none"
    return place


def _vectors(connection: Connection, answer: Any, wanted: int) -> list[list[float]]:
    """In the order of the texts; LlmBadAnswerError for anything but one vector of numbers each."""
    data = getattr(answer, "data", None)
    if not isinstance(data, list) or len(data) != wanted:
        raise not_a_model(connection)
    found: dict[Any, list[float]] = {}
    for item in data:
        vector = item.get("embedding") if isinstance(item, Mapping) else item.embedding
        index = item.get("index") if isinstance(item, Mapping) else item.index
        is_vector = isinstance(vector, list) and all(
            isinstance(one, (int, float)) and math.isfinite(one) for one in vector
        )
        if not is_vector or not vector:
            raise not_a_model(connection)
        found[index] = [float(one) for one in vector]
    ordered = [found[index] for index in range(wanted) if index in found]
    if len(ordered) != wanted or len({len(vector) for vector in ordered}) != 1:
        raise not_a_model(connection)
    return ordered


def _in_time(
    call: Callable[..., Any],
    arguments: Mapping[str, Any],
    connection: Connection,
    deadline: float,
    cancelled: Cancelled,
) -> Any:
    """The answer, awaited from a thread of its own, which is given up at the deadline."""
    results: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
    remaining_s = max(deadline - time.monotonic(), _POLL_S)

    def ask() -> None:
        try:
            results.put((call(**arguments, timeout=remaining_s), None))
        except BaseException as error:
            results.put((None, error))

    threading.Thread(target=ask, name="llm-call", daemon=True).start()
    while True:
        if cancelled():
            raise CancelledError
        try:
            answer, error = results.get(timeout=_POLL_S)
        except queue.Empty:
            if time.monotonic() >= deadline:
                raise too_slow(connection) from None
            continue
        if error is None:
            return answer
        parameter = unsupported_parameter(error)
        if parameter:
            raise _UnsupportedError(parameter)
        raise our_error(error, connection) from None


def _reply(connection: Connection, answer: Any, sent: int, left_out: tuple[str, ...]) -> Reply:
    """Raises LlmEmptyError for an answer without content, LlmBadAnswerError for no answer."""
    if not getattr(answer, "choices", None):
        raise not_a_model(connection)
    choice, usage = answer.choices[0], getattr(answer, "usage", None)
    prompt_tokens = int(getattr(usage, "prompt_tokens", 0) or 0)
    completion_tokens = int(getattr(usage, "completion_tokens", 0) or 0)
    text = choice.message.content
    if not text or not text.strip():
        raise LlmEmptyError(
            f"the model sent no content (finish reason `{choice.finish_reason}`, "
            f"{completion_tokens} tokens used); try again, or choose another model"
        )
    # Unknown is not zero: a model without a price has no cost here, not a cost of 0.
    cost = getattr(answer, "_hidden_params", {}).get("response_cost")
    return Reply(
        text=text,
        was_cut=choice.finish_reason == "length",
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost_usd=None if cost is None else Decimal(str(cost)),
        requests=sent,
        left_out=left_out,
    )


def _wait_or_raise(
    error: LlmError, sent: int, connection: Connection, deadline: float, cancelled: Cancelled
) -> None:
    """Wait before the next request; the error again where there is none to be."""
    error.requests = sent
    wait_s = _wait_before_next(error, sent, connection)
    if not error.asked_again or sent > connection.retries:
        raise error
    if time.monotonic() + wait_s >= deadline:
        raise error
    _sleep(wait_s, cancelled)


def _wait_before_next(error: LlmError, sent: int, connection: Connection) -> float:
    if error.retry_after_s is not None:
        return error.retry_after_s
    # Jitter, so that callers refused together do not come back together.
    return connection.backoff_s * 2.0 ** (sent - 1) * random.uniform(0.5, 1.5)


def _sleep(seconds: float, cancelled: Cancelled) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if cancelled():
            raise CancelledError
        time.sleep(min(left, _POLL_S))
