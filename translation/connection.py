"""Which model is asked, where, with which key, for which price, and what one call may take."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import SplitResult, urlsplit

from translation.llm_errors import LlmNotConfiguredError

# With the word before it, it is kept as a unit's formalizer.
_MAX_NAME = 100

# Where the best known providers are asked; of others only LiteLLM's word is named.
_OWN_HOSTS = {
    "anthropic": "api.anthropic.com",
    "deepseek": "api.deepseek.com",
    "gemini": "generativelanguage.googleapis.com",
    "groq": "api.groq.com",
    "mistral": "api.mistral.ai",
    "openai": "api.openai.com",
    "openrouter": "openrouter.ai",
}

# Of these it is known that LiteLLM asks at the address given and nowhere else.
_ASK_AT_THE_ADDRESS = {
    "custom_openai",
    "hosted_vllm",
    "litellm_proxy",
    "llamafile",
    "lm_studio",
    "ollama",
    "ollama_chat",
    "openai",
}


@dataclass(frozen=True)
class Connection:
    """A model by its LiteLLM name; an empty address is the provider's own.

    `name` is what a policy calls it after `litellm:`, the model's where it has no other.
    `key_env` is the environment's variable that holds its key; empty means LiteLLM's own, or
    with `has_no_key` none: a key for one provider is not for whoever speaks like it.
    Prices are dollars for a million tokens, None where unknown; `window` is in tokens, None
    where unknown. `is_local` is declared: its host is the organisation's own.
    `deadline_s` is the wall clock for a call with all its retries; `retries` is
    how often a request is sent again; `backoff_s` the first wait between two.
    """

    model: str
    api_base: str = ""
    max_tokens: int = 8000
    deadline_s: float = 120.0
    retries: int = 2
    backoff_s: float = 1.0
    name: str = ""
    key_env: str = ""
    has_no_key: bool = False
    input_usd: Decimal | None = None
    output_usd: Decimal | None = None
    window: int | None = None
    is_local: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.model)

    @property
    def place(self) -> str:
        """` at HOST:PORT` for messages, without what an address may hold of secrets."""
        host = self._address.netloc.rpartition("@")[2]
        return f" at {host}" if host else ""

    @property
    def address(self) -> str:
        """The address without name and password, empty for the provider's own."""
        parts = self._address
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()

    @property
    def provider(self) -> str:
        """LiteLLM's word before the model; a model without one is LiteLLM's to place."""
        word, slash, _ = self.model.partition("/")
        return word if slash else ""

    @property
    def host(self) -> str:
        """What is named before text leaves: `openai at api.openai.com`."""
        provider = self.provider or self.model
        if self.place:
            return f"{provider}{self.place}"
        known = _OWN_HOSTS.get(self.provider)
        return f"{provider} at {known}" if known else f"{provider}, at that provider's own address"

    @property
    def is_external(self) -> bool:
        """Whether text leaves the organisation's own hosts.

        So it is unless the address is a loopback or private one, or declared local. A host's
        name is not looked up: what it stands for today it may not tomorrow.
        """
        if self.is_local:
            return False
        return self.provider not in _ASK_AT_THE_ADDRESS or not _is_inside(self._address)

    @property
    def forbidden(self) -> str:
        """Why a policy's text does not go there; the end of the sentence says what to do."""
        return f"this policy forbids external models, and `{self.name}` is asked at {self.host}"

    @property
    def _address(self) -> SplitResult:
        return urlsplit(self.api_base)


def connection_named(name: str = "") -> Connection:
    """The connection of that name in the models file, else LiteLLM's model of that name.

    Without a name it is POLICYWRIGHT_LLM_MODEL. Raises LlmNotConfiguredError where none is
    named, none that could be kept, or where the models file cannot be used.
    """
    from django.conf import settings

    from translation.models_file import read_models

    wanted = name or settings.POLICYWRIGHT_LLM_MODEL
    if not wanted:
        raise LlmNotConfiguredError(
            "no model is named: set POLICYWRIGHT_LLM_MODEL, or choose the built-in formalizer"
        )
    if len(wanted) > _MAX_NAME:
        raise LlmNotConfiguredError(f"a model's name has at most {_MAX_NAME} characters")
    listed = read_models(settings.POLICYWRIGHT_MODELS).get(wanted)
    return listed or with_settings(
        Connection(wanted, settings.POLICYWRIGHT_LLM_API_BASE or _from_environment(wanted))
    )


def with_settings(connection: Connection) -> Connection:
    """The connection with the settings' deadline and retries."""
    from dataclasses import replace

    from django.conf import settings

    return replace(
        connection,
        deadline_s=settings.POLICYWRIGHT_LLM_SECONDS,
        retries=settings.POLICYWRIGHT_LLM_RETRIES,
    )


def _from_environment(model: str) -> str:
    """Where LiteLLM would look by itself, so that the host we name is the host it asks."""
    provider = model.partition("/")[0].upper().replace("-", "_") if "/" in model else "OPENAI"
    for ending in ("BASE_URL", "API_BASE"):
        if address := os.environ.get(f"{provider}_{ending}"):
            return address
    return ""


def _is_inside(address: SplitResult) -> bool:
    host = address.hostname or ""
    if host == "localhost":
        return True
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(number, "ipv4_mapped", None) or number
    return mapped.is_private or mapped.is_loopback
