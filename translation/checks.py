"""Start-up checks: settings with which a run would fail, or never end."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from translation.llm_errors import LlmNotConfiguredError
from translation.models_file import read_models


@register
def the_models_file_can_be_used(**kwargs: Any) -> list[CheckMessage]:
    try:
        read_models(settings.POLICYWRIGHT_MODELS)
    except LlmNotConfiguredError as error:
        return [Error(error.as_sentence(), id="translation.E001")]
    return []
