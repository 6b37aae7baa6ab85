"""What people do with jobs: start, cancel, try again what failed.

Rows are locked in one order everywhere: job, its items, then the policy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from policies.audit import record
from policies.jobs.registry import kind_named
from policies.jobs.running import finalize_if_done
from policies.jobs.sending import wake
from policies.models import Item, Job, Policy, User
from policies.models.jobs import ItemState, JobState


def start_job(
    policy: Policy,
    user: User | None,
    kind: str,
    items: Iterable[tuple[str, dict[str, Any]]],
    *,
    key: str,
    settings: dict[str, Any] | None = None,
    urgent: bool = False,
) -> Job:
    """Start a job of (key, payload) items; the same `key` gives the same job, once.

    Keys need be unique within the policy and kind, item keys within the job.
    Workers hear of it when the transaction around it commits, and never if it
    does not. `urgent` items come before all others: for one that somebody waits for.
    """
    kind_named(kind)
    with transaction.atomic():
        job, created = Job.objects.get_or_create(
            key=_own_key(policy, kind, key),
            defaults={
                "policy": policy,
                "kind": kind,
                "created_by": user,
                "settings": settings or {},
            },
        )
        if created:
            rows = [
                Item(
                    job=job,
                    key=f"{job.uid}:{item_key}",
                    ordinal=ordinal,
                    payload=payload,
                    urgent=urgent,
                )
                for ordinal, (item_key, payload) in enumerate(items, start=1)
            ]
            Item.objects.bulk_create(rows, batch_size=500)
            record(policy, user, "start-job", f"job:{job.uid}")
            _tell_workers(job)
    return job


def cancel_job(job: Job, user: User) -> bool:
    """Stop a job: nothing new begins, and what is under way leaves no result.

    What was done stays. False if the job had ended already.
    """
    with transaction.atomic():
        cancelled = Job.objects.filter(pk=job.pk, state=JobState.OPEN).update(
            state=JobState.CANCELLED, finished_at=Now()
        )
        if not cancelled:
            return False
        Item.objects.filter(job=job, state__in=(ItemState.WAITING, ItemState.RUNNING)).update(
            state=ItemState.CANCELLED,
            fence=F("fence") + 1,
            lease_until=None,
            finished_at=Now(),
        )
        record(job.policy, user, "cancel-job", f"job:{job.uid}")
    job.refresh_from_db()
    return True


def retry_failed(job: Job, user: User) -> int:
    """Put the failed items of a job back in line; gives their number.

    The job is open again, and is finalized again after its last item. A cancelled
    job stays cancelled.
    """
    with transaction.atomic():
        locked = Job.objects.select_for_update().get(pk=job.pk)
        if locked.state == JobState.CANCELLED:
            return 0
        count = Item.objects.filter(job=job, state=ItemState.FAILED).update(
            state=ItemState.WAITING, error="", attempts=0, holder="", sent_at=None, finished_at=None
        )
        if count:
            Job.objects.filter(pk=job.pk).update(state=JobState.OPEN, error="", finished_at=None)
            record(job.policy, user, "retry-job", f"job:{job.uid}")
            _tell_workers(job)
    job.refresh_from_db()
    return count


def _own_key(policy: Policy, kind: str, key: str) -> str:
    """The key as stored: no key of another policy can be met, and any length fits."""
    digest = hashlib.sha256(key.encode()).hexdigest()[:40]
    return f"{policy.pk}:{kind}:{digest}"


def _tell_workers(job: Job) -> None:
    waiting = Item.objects.filter(job=job, state=ItemState.WAITING).order_by("pk")
    ids = list(waiting.values_list("pk", flat=True))
    transaction.on_commit(partial(wake, ids))
    if not ids:
        transaction.on_commit(partial(finalize_if_done, job.pk))
