"""The policy's row lock without a change of the draft: for what people say about it.

A decision, a mark or a publication leaves the draft's revision as it is, so it
must not make other people's open forms stale; it takes the lock all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from policies.archived import refuse_archived
from policies.models import Policy


@contextmanager
def locked(policy: Policy) -> Iterator[Policy]:
    """The policy's row as it is now, locked until the block ends; raises ArchivedError."""
    with transaction.atomic():
        row = Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        refuse_archived(row)
        yield row
