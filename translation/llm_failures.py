"""Tells a provider's failures apart, by the whole chain of causes.

LiteLLM's own classes do not: a server that is not running is a status 500 to
it, and so is a login page. What a provider wrote is never repeated, since it
may hold a part of a key.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from translation.connection import Connection
from translation.llm_errors import (
    LlmConnectionError,
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

_TIMEOUTS = {"Timeout", "APITimeoutError", "ReadTimeout"}
_CONNECTION = {
    "ConnectError",
    "ConnectTimeout",
    "ReadError",
    "WriteError",
    "RemoteProtocolError",
    "ServerDisconnectedError",
}
_NO_ANSWER = {"JSONDecodeError", "IndexError", "AttributeError", "KeyError", "ValidationError"}


def our_error(error: BaseException, connection: Connection) -> LlmError:
    """Ours for theirs, with what a `Retry-After` header asked."""
    chain = {type(cause).__name__ for cause in _causes(error)}
    ours = _told_apart(chain, getattr(error, "status_code", None), str(error), connection)
    ours.retry_after_s = _retry_after_s(error)
    ours.was_sent = not _was_refused_by_litellm(chain, str(error))
    return ours


def unsupported_parameter(error: BaseException) -> str:
    """The parameter that LiteLLM says the provider does not take, or nothing."""
    if type(error).__name__ == "UnsupportedParamsError":
        for parameter in ("temperature", "response_format"):
            if parameter in str(error):
                return parameter
    return ""


def too_slow(connection: Connection) -> LlmTimeoutError:
    return LlmTimeoutError(
        f"`{connection.model}` did not answer within {connection.deadline_s:g} seconds; "
        "try again, or choose a faster model"
    )


def not_a_model(connection: Connection) -> LlmNotAModelError:
    return LlmNotAModelError(
        f"what answers for `{connection.model}`{connection.place} is not a model's server; "
        "check the address"
    )


def _told_apart(chain: set[str], status: int | None, text: str, connection: Connection) -> LlmError:
    model, place = f"`{connection.model}`", connection.place
    if chain & _TIMEOUTS:
        return too_slow(connection)
    if chain & _CONNECTION:
        return LlmConnectionError(
            f"no server answers for {model}{place}; check the address, and that it runs"
        )
    if "AuthenticationError" in chain or "Missing credentials" in text:
        return LlmKeyError(f"the key for {model} is missing or refused; check it")
    if status == 429 and ("insufficient_quota" in text or "current quota" in text):
        return LlmQuotaError(f"the account for {model} is used up; add credit to it")
    if status == 429:
        return LlmRateLimitError(f"the provider of {model} refuses so many requests; try later")
    if status == 403:
        return LlmKeyError(f"the key has no access to {model}; ask its provider")
    if status == 404:
        return LlmUnknownModelError(f"there is no model {model}{place}; check its name")
    if _names_no_provider(chain, text):
        return LlmUnknownModelError(
            f"{model} does not name a provider; write it as LiteLLM does, like `openai/NAME`"
        )
    if "ContextWindowExceededError" in chain:
        return LlmTooLongError(f"the text is too long for {model}; choose a larger model")
    if chain & _NO_ANSWER or _says_no_answer(text):
        return not_a_model(connection)
    if status is not None and 400 <= status < 500:
        return LlmRefusedError(f"the provider of {model} refused the request (status {status})")
    return LlmServerError(f"the server of {model} failed (status {status or 'unknown'}); try later")


def _names_no_provider(chain: set[str], text: str) -> bool:
    return "LLM Provider NOT provided" in text or "LiteLLMUnknownProvider" in chain


def _was_refused_by_litellm(chain: set[str], text: str) -> bool:
    """Before anything was sent."""
    return _names_no_provider(chain, text) or "Missing credentials" in text


def _says_no_answer(text: str) -> bool:
    return "invalid response from LLM endpoint" in text or "response with no 'choices'" in text


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _retry_after_s(error: BaseException) -> float | None:
    """What the header asks to wait, in seconds or as a date; None where it says neither."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    said = str(headers.get("retry-after", ""))
    try:
        seconds = float(said)
    except ValueError:
        seconds = _seconds_until(said)
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _seconds_until(date: str) -> float:
    """Not a number for what is no date. A date without a zone is in UTC, as HTTP has it."""
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return (then - datetime.now(UTC)).total_seconds()
