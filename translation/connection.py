"""Which model is asked, where, and what one call may take."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from translation.llm_errors import LlmNotConfiguredError

# With the word before it, it is kept as a unit's formalizer.
_MAX_NAME = 100


@dataclass(frozen=True)
class Connection:
    """A model by its LiteLLM name; an empty address is the provider's own.

    `deadline_s` is the wall clock for a call with all its retries; `retries` is
    how often a request is sent again; `backoff_s` the first wait between two.
    """

    model: str
    api_base: str = ""
    max_tokens: int = 8000
    deadline_s: float = 300.0
    retries: int = 2
    backoff_s: float = 1.0

    @property
    def place(self) -> str:
        """` at HOST:PORT` for messages, without what an address may hold of secrets."""
        host = urlsplit(self.api_base).netloc.rpartition("@")[2]
        return f" at {host}" if host else ""


def connection_from_settings(model: str = "") -> Connection:
    """The settings' connection, or the same with another model.

    Raises LlmNotConfiguredError where none is named, or none that could be kept.
    """
    from django.conf import settings

    name = model or settings.POLICYWRIGHT_LLM_MODEL
    if not name:
        raise LlmNotConfiguredError(
            "no model is named: set POLICYWRIGHT_LLM_MODEL, or choose the built-in formalizer"
        )
    if len(name) > _MAX_NAME:
        raise LlmNotConfiguredError(f"a model's name has at most {_MAX_NAME} characters")
    return Connection(name, settings.POLICYWRIGHT_LLM_API_BASE)
