"""How this installation reads documents: its limits, and the abbreviations it knows."""

from __future__ import annotations

from django.conf import settings

from documents import Limits
from policies.models import Policy


def document_limits() -> Limits:
    """What one document may take at most, as the environment says (docs/operations.md)."""
    return Limits(**settings.DOCUMENT_LIMITS)


def abbreviations_for(policy: Policy) -> tuple[str, ...]:
    """After one of these a sentence goes on: the organisation's and the policy's own."""
    return tuple(dict.fromkeys([*settings.DOCUMENT_ABBREVIATIONS, *policy.abbreviations]))
