"""Silences a warning or a note with a reason, bound to the content of its rules, and logged.

When one of these rules changes the silence ends by itself: the diagnostic has another hash.
"""

from __future__ import annotations

from policies.audit import record
from policies.models import Policy, User
from vetting.lint import Found, silences_of
from vetting.lock import locked
from vetting.models import LintSilence
from vetting.refusals import RefusedError
from vetting.texts import check_text


def silence(policy: Policy, user: User, found: Found, *, reason: str) -> LintSilence:
    """Say that what was found may stand; the same again is one row.

    Raises RefusedError for an error, or without a reason.
    """
    if not found.may_be_silenced:
        raise RefusedError("an error is not silenced; change the rules.")
    reason = check_text(reason, "the reason", required=True)
    said = _say(policy, user, found, holds=True, reason=reason)
    assert said is not None
    return said


def end_silence(policy: Policy, user: User, found: Found) -> LintSilence | None:
    """Show it with the others again; None where it is not silenced, or not any more."""
    return _say(policy, user, found, holds=False, reason="") if found.silenced else None


def _say(
    policy: Policy, user: User, found: Found, *, holds: bool, reason: str
) -> LintSilence | None:
    """What counts from now on: where that is said already, no row is added."""
    with locked(policy) as row:
        present = silences_of(row).get(found.silence)
        if (present is not None) is holds:
            return present
        said = LintSilence.objects.create(
            policy=row,
            code=found.code,
            content_hash=found.silence,
            holds=holds,
            message=found.message,
            reason=reason,
            by=user,
        )
        action = "silence-lint" if holds else "end-silence"
        record(row, user, action, f"lint:{found.code}", new_hash=found.silence)
    return said
