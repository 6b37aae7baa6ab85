"""Start-up checks: settings under which work would be handed out twice, or never end."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register
def visibility_outlasts_the_hard_limit(**kwargs: Any) -> list[CheckMessage]:
    """FR-59: a message must stay away for longer than its work may take."""
    if settings.POLICYWRIGHT_JOBS != "celery":
        return []
    visible_again_s = settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("visibility_timeout", 3600)
    limit_s = settings.CELERY_TASK_TIME_LIMIT
    if limit_s is not None and limit_s < visible_again_s:
        return []
    return [
        Error(
            f"The broker hands a message out again after {visible_again_s} s, but an item may "
            f"be worked on for {'ever' if limit_s is None else f'{limit_s} s'}.",
            hint="Set CELERY_TASK_TIME_LIMIT below the broker's visibility_timeout.",
            id="policies.E001",
        )
    ]


@register
def a_document_is_read_within_the_hard_limit(**kwargs: Any) -> list[CheckMessage]:
    """Else a slow file ends its worker, and not with a sentence for its owner."""
    limit_s = settings.CELERY_TASK_TIME_LIMIT
    reading_s = settings.DOCUMENT_LIMITS["seconds"]
    if settings.POLICYWRIGHT_JOBS != "celery" or limit_s is None or reading_s < limit_s:
        return []
    return [
        Error(
            f"A document may be read for {reading_s} s, but a worker is ended after {limit_s} s.",
            hint=f"Set POLICYWRIGHT_DOCUMENT_SECONDS below {limit_s}.",
            id="policies.E002",
        )
    ]
