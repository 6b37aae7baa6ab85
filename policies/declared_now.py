"""What drafts declare, kept in this process for as long as their revisions stay.

A run looks at the declarations twice for each of its spans, and they only ever grow by a few.
Reading them all again each time would cost more the longer the policy is.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import connection, transaction

from policies.composing import declarations_and_merges
from policies.models import Policy
from policywright.model import PolicyModel

# One policy of 2,000 variables takes about 2 MB.
MOST_POLICIES = 8


@dataclass(frozen=True)
class DeclaredNow:
    """The declarations of a draft's revision, and its merges resolved."""

    revision: int
    base: PolicyModel
    merged: Mapping[str, str]


# INVARIANT: what stands here was committed. `revision` grows in the transaction of each
# change, so of one policy no two contents have the same revision. The time tells apart a
# policy that was given the id of another, which is gone.
_Key = tuple[int, datetime]
_known: OrderedDict[_Key, DeclaredNow] = OrderedDict()
_lock = threading.Lock()


def declared_now(policy: Policy, revision: int) -> DeclaredNow:
    """What the draft declares; four queries where it is not known of that revision.

    `revision` is the policy's as its row has it at this moment. If the draft moves meanwhile
    the answer may be of a later one, or lie between two, as reading the rows would give it.
    """
    found = _known.get(_key(policy))
    if found is not None and found.revision >= revision:
        return found
    found = DeclaredNow(revision, *declarations_and_merges(policy))
    # Within a transaction it might be rolled back, or show what was before.
    if not connection.in_atomic_block and _revision_of(policy) == revision:
        _keep(policy, found)
    return found


def will_declare(policy: Policy, base: PolicyModel, merged: Mapping[str, str]) -> None:
    """Say what the draft declares once this transaction, which moved it by one, is committed."""
    now = DeclaredNow(policy.revision, base, merged)
    transaction.on_commit(partial(_keep, policy, now))


def _keep(policy: Policy, now: DeclaredNow) -> None:
    key = _key(policy)
    with _lock:
        before = _known.get(key)
        if before is not None and before.revision > now.revision:
            return
        _known[key] = now
        _known.move_to_end(key)
        while len(_known) > MOST_POLICIES:
            _known.popitem(last=False)


def _key(policy: Policy) -> _Key:
    return policy.pk, policy.created_at


def _revision_of(policy: Policy) -> int | None:
    return Policy.objects.filter(pk=policy.pk).values_list("revision", flat=True).first()
