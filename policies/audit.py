"""The audit chain: every change of state writes its row in the same transaction.

One chain a policy, ordered by sequence. A row's hash covers its fields and the
previous row's hash, keyed with AUDIT_KEY, so that nobody without the key can
write a chain that verifies. Rows hold ids and hashes, never names or free text.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from policies.archived import ArchivedError
from policies.models import AuditRow, Policy, User


@dataclass(frozen=True)
class Change:
    """What an audit row says was done. `object` is a kind and an id, such as `rule:3f2a...`."""

    action: str
    object: str
    old_hash: str = ""
    new_hash: str = ""


def record(
    policy: Policy,
    actor: User | None,
    action: str,
    object: str,
    *,
    old_hash: str = "",
    new_hash: str = "",
    even_archived: bool = False,
) -> AuditRow:
    """Append a row; the caller's transaction holds both the change and its row.

    An archived policy changes in no way, so it takes none (`ArchivedError`), except of
    what concerns its people wherever they are: `even_archived`.
    """
    change = Change(action, object, old_hash, new_hash)
    return record_all(policy, actor, [change], even_archived=even_archived)[0]


def record_all(
    policy: Policy,
    actor: User | None,
    changes: Sequence[Change],
    *,
    is_locked: bool = False,
    even_archived: bool = False,
) -> list[AuditRow]:
    """Append a row for each change, in order, from three queries.

    The policy's row lock is taken here, so that two writers get two sequence numbers; not
    where `is_locked` says that this transaction has it.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("an audit row is written in the transaction of its change")
    if not changes:
        return []
    # Rows that point at the policy may be written meanwhile; see `jobs.pausing.locked`.
    if not is_locked:
        rows_of = Policy.objects.select_for_update(no_key=True)
        if rows_of.values_list("archived_at", flat=True).get(pk=policy.pk) and not even_archived:
            raise ArchivedError
    ends = AuditRow.objects.filter(policy=policy).order_by("-sequence")
    sequence, previous = ends.values_list("sequence", "row_hash").first() or (0, "")
    rows = []
    for number, change in enumerate(changes, start=sequence + 1):
        row = AuditRow(
            policy=policy,
            sequence=number,
            actor=actor,
            action=change.action,
            object=change.object,
            old_hash=change.old_hash,
            new_hash=change.new_hash,
            at=timezone.now(),
            previous_hash=previous,
        )
        row.row_hash = previous = chain_hash(row)
        rows.append(row)
    return AuditRow.objects.bulk_create(rows)


def chain_hash(row: AuditRow) -> str:
    fields = [
        row.policy_id,
        row.sequence,
        row.actor_id,
        row.action,
        row.object,
        row.old_hash,
        row.new_hash,
        row.at.isoformat(),
        row.previous_hash,
    ]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return hmac.new(settings.AUDIT_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()


def first_broken_link(policy: Policy) -> AuditRow | None:
    """The first row whose hash, previous hash or sequence does not fit; None if all do."""
    previous = ""
    rows = AuditRow.objects.filter(policy=policy).order_by("sequence").iterator()
    for sequence, row in enumerate(rows, start=1):
        fits = row.sequence == sequence and row.previous_hash == previous
        if not fits or row.row_hash != chain_hash(row):
            return row
        previous = row.row_hash
    return None
