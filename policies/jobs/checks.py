"""Start-up checks: settings of the queue that would have work handed out twice."""

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
