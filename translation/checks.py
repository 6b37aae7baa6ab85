"""Start-up checks: settings with which a run would fail, or never end."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from translation.ensemble import comparing
from translation.llm_errors import LlmNotConfiguredError
from translation.models_file import read_models
from translation.table_asker import turn_s

# What may be made of a span's replies after the last one came: typing, comparing, saving.
_AFTERWARDS_S = 30 + comparing.SECONDS


@register
def the_models_file_can_be_used(**kwargs: Any) -> list[CheckMessage]:
    try:
        read_models(settings.POLICYWRIGHT_MODELS)
    except LlmNotConfiguredError as error:
        return [Error(error.as_sentence(), id="translation.E001")]
    return []


@register
def a_span_is_worked_on_within_the_hard_limit(**kwargs: Any) -> list[CheckMessage]:
    """Else a slow model ends its worker, and not with a sentence for its owner."""
    limit_s = settings.CELERY_TASK_TIME_LIMIT
    fits = limit_s is None or turn_s() + _AFTERWARDS_S <= limit_s
    if settings.POLICYWRIGHT_JOBS != "celery" or fits:
        return []
    return [
        Error(
            f"A span may be worked on for {turn_s():g} s, but a worker is ended after {limit_s} s.",
            hint=f"Set POLICYWRIGHT_LLM_SECONDS below {(limit_s - _AFTERWARDS_S) // 2}.",
            id="translation.E002",
        )
    ]
