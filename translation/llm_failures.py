"""Tells a provider's failures apart, by the whole chain of causes.

LiteLLM's own classes do not: a server that is not running is a status 500 to
it, and so is a login page. What a provider wrote is never repeated, since it
may hold a part of a key.
"""

from __future__ import annotations

from collections.abc import Iterator

from translation.connection import Connection
from translation.llm_errors import (
    LlmBadAnswerError,
    LlmConnectionError,
    LlmError,
    LlmKeyError,
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


def not_a_model(connection: Connection) -> LlmBadAnswerError:
    return LlmBadAnswerError(
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
    if "LLM Provider NOT provided" in text or "LiteLLMUnknownProvider" in chain:
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


def _says_no_answer(text: str) -> bool:
    return "invalid response from LLM endpoint" in text or "response with no 'choices'" in text


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _retry_after_s(error: BaseException) -> float | None:
    """What the header says in seconds; a date, which few servers send, is not read."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return max(float(headers.get("retry-after", "")), 0.0)
    except ValueError:
        return None
