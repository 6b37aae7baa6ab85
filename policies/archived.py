"""An archived policy is read and exported, and nothing of it changes.

Every change holds the policy's row lock and writes its audit row, so both refuse: whoever
takes the lock (`policies.editing`, `vetting.lock`) and `policies.audit`, which all else meets.
"""

from __future__ import annotations

from django.core.exceptions import PermissionDenied

from policies.models import Policy

SENTENCE = (
    "This policy is archived: it can be read and exported, and nothing of it changes. "
    "An owner can take it out of the archive first."
)


class ArchivedError(PermissionDenied):
    """A change of an archived policy; its page is that of what somebody may not do."""

    def __init__(self) -> None:
        super().__init__(SENTENCE)


def refuse_archived(locked: Policy) -> None:
    """Raises ArchivedError; `locked` is the row as it is under its lock."""
    if locked.archived_at is not None:
        raise ArchivedError
