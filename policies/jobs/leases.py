"""Leases: one holder at a time works on an item, and a dead holder does not block it.

All times are the database's, so that the clocks of workers need not agree.
"""

from __future__ import annotations

from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now

from policies.jobs.limits import LEASE_S, MAX_ATTEMPTS
from policies.jobs.registry import Context
from policies.models import Item
from policies.models.jobs import ItemState

WORKER_DIED = f"The worker stopped {MAX_ATTEMPTS} times while it worked on this; it was set aside."

# INVARIANT: every claim, renewal and write below is one UPDATE whose conditions are
# columns of the item itself. A condition on another table would be answered from an
# old snapshot by PostgreSQL, and two holders could win.
_DUE = Q(state=ItemState.WAITING) | Q(state=ItemState.RUNNING, lease_until__lt=Now())


def after(seconds: float) -> ExpressionWrapper[Any]:
    """The database's time, some seconds from now (or ago)."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def due(limit: int) -> list[int]:
    """Ids of items that anybody may claim: urgent ones, then the oldest first."""
    order = ("-urgent", "pk")
    return list(Item.objects.filter(_DUE).order_by(*order).values_list("pk", flat=True)[:limit])


def urgent() -> list[int]:
    """Ids of urgent items that anybody may claim, the oldest first."""
    rows = Item.objects.filter(_DUE, urgent=True).order_by("pk")
    return list(rows.values_list("pk", flat=True))


def suspects() -> list[int]:
    """Due items whose worker died with them, or beside them, once before."""
    lost = Item.objects.filter(_DUE, attempts__gt=0, attempts__lt=MAX_ATTEMPTS)
    return list(lost.order_by("pk").values_list("pk", flat=True))


def is_suspect(item_id: int) -> bool:
    return Item.objects.filter(pk=item_id, attempts__gt=0).exists()


def claim(item_id: int, holder: str, *, max_attempts: int = MAX_ATTEMPTS) -> Context | None:
    """Take an item, or None if it is not to be had: done, cancelled, held, or set aside.

    One that was tried as often as `max_attempts` is left alone, too.
    """
    won = Item.objects.filter(_DUE, pk=item_id, attempts__lt=max_attempts).update(
        state=ItemState.RUNNING,
        holder=holder,
        lease_until=after(LEASE_S),
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
    )
    if not won:
        return None
    item = Item.objects.select_related("job__policy", "job__created_by").get(pk=item_id)
    # Between the claim and here the item may have been cancelled; the fence tells.
    if item.holder != holder or item.state != ItemState.RUNNING:
        return None
    return Context(item.pk, item.key, holder, item.fence, item.attempts, item.job, item.payload)


def set_aside_killers() -> list[int]:
    """Fail the items whose workers died too often; gives back the ids of their jobs."""
    late = Item.objects.filter(
        state=ItemState.RUNNING, lease_until__lt=Now(), attempts__gte=MAX_ATTEMPTS
    )
    jobs = []
    for pk, job_id in late.values_list("pk", "job_id"):
        if late.filter(pk=pk).update(
            state=ItemState.FAILED, error=WORKER_DIED, fence=F("fence") + 1, finished_at=Now()
        ):
            jobs.append(job_id)
    return jobs


def held(*contexts: Context) -> QuerySet[Item]:
    """The items' rows while their holders still have them: update through it, or not at all.

    At least one context.
    """
    own = (Q(pk=one.item_id, holder=one.holder, fence=one.fence) for one in contexts)
    return Item.objects.filter(reduce(or_, own), state=ItemState.RUNNING)


def release(context: Context) -> bool:
    """Give an item back untouched, to be tried again while attempts are left."""
    if context.attempt >= MAX_ATTEMPTS:
        return False
    return bool(held(context).update(state=ItemState.WAITING, holder="", lease_until=None))


def put_back(context: Context, state: ItemState) -> bool:
    """Give an item back as if it had not been claimed; False if it is no longer held."""
    return bool(
        held(context).update(
            state=state, holder="", lease_until=None, sent_at=None, attempts=F("attempts") - 1
        )
    )


def release_all(holder_prefix: str) -> int:
    """Give back all that a process holds when it is told to stop at once."""
    return Item.objects.filter(state=ItemState.RUNNING, holder__startswith=holder_prefix).update(
        state=ItemState.WAITING,
        holder="",
        lease_until=None,
        fence=F("fence") + 1,
        attempts=F("attempts") - 1,
    )
