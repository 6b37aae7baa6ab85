"""Threads, rules and sentences that are given to somebody, and taken back."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Exists, OuterRef, QuerySet

from policies.audit import record
from policies.models import Membership, Policy, Rule, Sentence, User
from vetting.lock import locked
from vetting.models import Thread
from vetting.refusals import RefusedError
from vetting.thread_models import About, Assignment


def assign(policy: Policy, by: User, about: About, key: str, to: User | None) -> Assignment | None:
    """Give a thing to a member, or take it back; None where it is so already.

    Raises RefusedError for somebody who is no member, and for a thing that is not the policy's.
    """
    with locked(policy) as row:
        if not _is_there(row, about, key):
            raise RefusedError("this is no longer here; nothing was assigned.")
        if to is not None and not _may_have(row, to):
            raise RefusedError("choose somebody who is a member of this policy.")
        now = present_of(row, [key]).get(key)
        if (now.to_id if now else None) == (to.pk if to else None):
            return None
        made = Assignment.objects.create(policy=row, about=about, key=key, to=to, by=by)
        # Not `rule:...`: a thing that is given to somebody is not yet read by who gave it.
        whom = f"to:{to.pk}" if to else "to:nobody"
        record(row, by, "assign" if to else "unassign", f"assignment:{about}:{key}:{whom}")
    return made


def latest(policy: Policy | None = None) -> QuerySet[Assignment]:
    """The assignments that count, those to nobody left out."""
    later = Assignment.objects.filter(
        policy=OuterRef("policy"), key=OuterRef("key"), pk__gt=OuterRef("pk")
    )
    rows = Assignment.objects.filter(~Exists(later), to__isnull=False)
    return rows if policy is None else rows.filter(policy=policy)


def present_of(policy: Policy | None, keys: Collection[str]) -> dict[str, Assignment]:
    """Whom these things are given to, by key, of one policy or of all; one query."""
    rows = latest(policy).filter(key__in=keys).select_related("to", "by")
    return {one.key: one for one in rows}


def keys_of(policy: Policy, user: User) -> set[str]:
    """The keys of what is given to a person; one query."""
    return set(latest(policy).filter(to=user).values_list("key", flat=True))


def cards_of(policy: Policy, user: User) -> set[str]:
    """The keys of the cards that are given to a person, or of which a thread is; two queries."""
    own = keys_of(policy, user)
    about = Thread.objects.filter(policy=policy, uid__in=own).values_list("rule__uid", "lineage")
    return own | {key for pair in about for key in pair if key}


def _is_there(policy: Policy, about: About, key: str) -> bool:
    if about is About.THREAD:
        return Thread.objects.filter(policy=policy, uid=key).exists()
    if about is About.RULE:
        return Rule.objects.filter(policy=policy, uid=key, retired_at=None).exists()
    rows = Sentence.objects.filter(revision__document__policy=policy, lineage=key)
    return rows.exists()


def _may_have(policy: Policy, user: User) -> bool:
    return user.is_active and Membership.objects.filter(policy=policy, user=user).exists()
