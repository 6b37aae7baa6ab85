"""Which models a policy may choose, and the service that keeps its choice."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from policies.audit import record
from policies.models import Policy, User
from translation.connection import connection_named
from translation.ensemble.translators import NOBODY, translators_of
from translation.llm_errors import LlmNotConfiguredError
from translation.models_file import read_models
from translation.naming import BUILTIN, BUILTIN_SAID

MODEL = "litellm:"
# Each one more asks about every sentence once more.
MAX_TRANSLATORS = 6
# Where LiteLLM looks for the keys of the best known providers, at their own addresses.
_KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
}
# As LiteLLM writes them: `openai/gpt-4o`, `ollama/llama3:8b`.
_MODEL_NAME = re.compile(r"[^\s,`\0-\x1f\x7f-\x9f]{1,100}")


class ChoiceError(Exception):
    """A choice that cannot be kept; `field` is the form's, the message one sentence for it."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True)
class Choice:
    """A formalizer or translator: how a policy names it, how people do, where text goes.

    `trouble` is the sentence that says why it cannot be asked as things are.
    """

    name: str
    label: str
    where: str
    is_external: bool = False
    trouble: str = ""

    @property
    def title(self) -> str:
        """The label where it begins a line; a model's name stays as it is written."""
        return self.label[:1].upper() + self.label[1:] if self.name == BUILTIN else self.label


def choice_named(name: str) -> Choice:
    """What a policy's word for a formalizer means here and now; an empty one, the settings'."""
    wanted = name or settings.POLICYWRIGHT_FORMALIZER
    if wanted == BUILTIN:
        return Choice(wanted, BUILTIN_SAID, "on this server; it asks no model")
    word, _, model = wanted.partition(":")
    if word != MODEL[:-1]:
        return Choice(wanted, wanted, "", trouble=f"`{wanted[:80]}` is no formalizer.")
    try:
        connection = connection_named(model)
    except LlmNotConfiguredError as error:
        return Choice(wanted, model or "a model", "", trouble=error.as_sentence())
    label = connection.name
    if connection.name != connection.model:
        label = f"{connection.name} ({connection.model})"
    return Choice(wanted, label, connection.host, connection.is_external)


def translator_title(name: str) -> str:
    """What a translator is called on a page: it is kept with ` #2` where a model is asked again."""
    model, blank, again = name.partition(" ")
    return f"{choice_named(model).title}{blank}{again}"


def choices_for(policy: Policy) -> list[Choice]:
    """The built-in formalizer, the models file's connections, and what the policy has chosen.

    Raises LlmNotConfiguredError for a models file that cannot be used.
    """
    names = [BUILTIN, *(MODEL + name for name in read_models(settings.POLICYWRIGHT_MODELS))]
    if settings.POLICYWRIGHT_LLM_MODEL:
        names.append(MODEL + settings.POLICYWRIGHT_LLM_MODEL)
    names += [name for name in (policy.formalizer, *policy.translators) if name.startswith(MODEL)]
    return [choice_named(name) for name in dict.fromkeys(names)]


def chosen_by(policy: Policy) -> list[Choice]:
    """Who drafts, then who translates again: the policy's own choice, else the settings'."""
    return [choice_named(name) for name in (policy.formalizer, *translators_of(policy))]


def missing_key(name: str) -> str:
    """The environment's variable that is to hold the key of a model and does not, if any.

    Of a provider that is not known here, nothing is said.
    """
    connection = connection_named(name.removeprefix(MODEL))
    if connection.key_env:
        return "" if os.environ.get(connection.key_env) else connection.key_env
    if connection.has_no_key or connection.api_base:
        return ""
    variables = _KEYS.get(connection.provider, ())
    return "" if not variables or any(map(os.environ.get, variables)) else variables[0]


def model_typed(text: str, field: str) -> str:
    """A model's name as somebody typed it, as a policy names it. Raises ChoiceError."""
    typed = text.strip().removeprefix(MODEL)
    if not _MODEL_NAME.fullmatch(typed):
        raise ChoiceError(
            field,
            f"`{typed[:60]}` is no model’s name: write it as LiteLLM does, like `openai/gpt-4o`, "
            "without blanks and with at most 100 characters.",
        )
    return MODEL + typed


def shown_hash(policy: Policy) -> str:
    """What a form says of the choice it showed."""
    said = [policy.formalizer, policy.translators, policy.forbids_external_models]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


def set_models(
    policy: Policy,
    user: User,
    *,
    formalizer: str,
    translators: Sequence[str],
    forbids_external: bool,
    shown: str,
) -> bool:
    """Keep who drafts, who translates again, and whether text may leave. False if it is so.

    Raises ChoiceError for what cannot be: then nothing is changed.
    """
    _check(formalizer, translators, forbids_external)
    with transaction.atomic():
        row = Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        before = shown_hash(row)
        if before != shown:
            raise ChoiceError(
                "", "Somebody changed this after you opened the page; yours is not kept yet."
            )
        row.formalizer, row.translators = formalizer, list(translators)
        row.forbids_external_models = forbids_external
        after = shown_hash(row)
        if after == before:
            return False
        row.save(update_fields=["formalizer", "translators", "forbids_external_models"])
        record(row, user, "set-models", f"policy:{row.pk}", old_hash=before, new_hash=after)
    policy.refresh_from_db()
    return True


def _check(formalizer: str, translators: Sequence[str], forbids_external: bool) -> None:
    if len(translators) > MAX_TRANSLATORS:
        raise ChoiceError(
            "translators",
            f"These are {len(translators)} translators; {MAX_TRANSLATORS} are the most.",
        )
    if NOBODY in translators and len(translators) > 1:
        raise ChoiceError("translators", "Choose nobody, or those who are to translate.")
    drafts = choice_named(formalizer)
    again = [choice_named(name) for name in translators if name != NOBODY]
    if drafts.name == BUILTIN and BUILTIN in translators:
        raise ChoiceError(
            "translators",
            f"`{drafts.title}` drafts already, and would only say the same once more.",
        )
    for field, one in (("formalizer", drafts), *(("translators", one) for one in again)):
        if one.trouble:
            raise ChoiceError(field, one.trouble)
        if one.is_external and forbids_external:
            raise ChoiceError(
                field,
                f"`{one.label}` is external, {one.where}: choose another, "
                "or do not forbid external models.",
            )
