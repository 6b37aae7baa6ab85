"""Who opened which content of which rule: nobody approves what they did not open.

A row is written when a card is shown to somebody who may decide. It is no change of the
draft and takes no lock.
"""

from __future__ import annotations

from policies.models import Policy, Rule, User
from vetting.models import Opened


def note_opened(user: User, rule: Rule, content_hash: str) -> None:
    """The person has this content before them; a query, and one more the first time.

    A broken rule has no content, and cannot be approved.
    """
    if content_hash and not has_opened(user, rule, content_hash):
        one = Opened(person=user, rule=rule, content_hash=content_hash)
        # Two windows may open it at once.
        Opened.objects.bulk_create([one], ignore_conflicts=True)


def has_opened(user: User, rule: Rule, content_hash: str) -> bool:
    return Opened.objects.filter(person=user, rule=rule, content_hash=content_hash).exists()


def opened_by(user: User, policy: Policy) -> set[tuple[str, str]]:
    """What the person opened of a draft: uids with hashes; one query."""
    rows = Opened.objects.filter(person=user, rule__policy=policy, rule__retired_at=None)
    return set(rows.values_list("rule__uid", "content_hash"))
