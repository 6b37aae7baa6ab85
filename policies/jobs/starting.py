"""What people do with jobs: start, cancel, resume, try again what failed.

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
from policies.hints import hint
from policies.jobs.pausing import locked
from policies.jobs.registry import kind_named
from policies.jobs.running import finalize_if_done
from policies.jobs.sending import wake
from policies.models import Item, Job, Policy, User
from policies.models.jobs import ItemState, JobState

# A setting of a job that grows each time: whoever decided on a pause before is told by it.
_RESUMED = "resumed"
_UNFINISHED = (ItemState.WAITING, ItemState.PAUSED, ItemState.RUNNING)
# Of an item that is cancelled: whoever works on it writes nothing more.
_CANCELLED = {
    "state": ItemState.CANCELLED,
    "fence": F("fence") + 1,
    "lease_until": None,
    "finished_at": Now(),
}


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
    """Stop a job, paused or not: nothing begins, and what is under way leaves no result.

    What was done stays. False if the job had ended already.
    """
    with transaction.atomic():
        cancelled = Job.objects.filter(
            pk=job.pk, state__in=(JobState.OPEN, JobState.PAUSED)
        ).update(state=JobState.CANCELLED, finished_at=Now())
        if not cancelled:
            return False
        Item.objects.filter(job=job, state__in=_UNFINISHED).update(**_CANCELLED)
        record(job.policy, user, "cancel-job", f"job:{job.uid}")
        hint(job.policy, user)
    job.refresh_from_db()
    return True


def cancel_open_jobs(policy: Policy, user: User) -> int:
    """Stop all jobs of a policy, in the caller's transaction; gives their number."""
    rows = Job.objects.select_for_update(no_key=True).order_by("pk")
    found = rows.filter(policy=policy, state__in=(JobState.OPEN, JobState.PAUSED))
    uids = dict(found.values_list("pk", "uid"))
    Job.objects.filter(pk__in=uids).update(state=JobState.CANCELLED, finished_at=Now())
    Item.objects.filter(job__in=uids, state__in=_UNFINISHED).update(**_CANCELLED)
    for uid in uids.values():
        record(policy, user, "cancel-job", f"job:{uid}")
    return len(uids)


def resume_job(job: Job, user: User, settings: dict[str, Any]) -> bool:
    """Put the items of a paused job back in line, and change these settings of it.

    False if the job is not paused: somebody resumed or cancelled it before.
    """
    with transaction.atomic():
        paused = locked(job)
        if paused.state != JobState.PAUSED:
            return False
        resumed = {_RESUMED: paused.settings.get(_RESUMED, 0) + 1}
        Job.objects.filter(pk=job.pk).update(
            state=JobState.OPEN, error="", settings={**paused.settings, **settings, **resumed}
        )
        Item.objects.filter(job=job, state=ItemState.PAUSED).update(state=ItemState.WAITING)
        record(paused.policy, user, "resume-job", f"job:{job.uid}")
        _tell_workers(job)
    job.refresh_from_db()
    return True


def retry_failed(job: Job, user: User) -> int:
    """Put the failed items of a job back in line; gives their number.

    The job is open again, and is finalized again after its last item. A cancelled
    job stays cancelled; of a paused one they are paused too, and go on with the others.
    """
    with transaction.atomic():
        state = locked(job).state
        if state == JobState.CANCELLED:
            return 0
        is_paused = state == JobState.PAUSED
        count = Item.objects.filter(job=job, state=ItemState.FAILED).update(
            state=ItemState.PAUSED if is_paused else ItemState.WAITING,
            error="",
            error_kind="",
            attempts=0,
            holder="",
            sent_at=None,
            finished_at=None,
        )
        if count:
            record(job.policy, user, "retry-job", f"job:{job.uid}")
        if count and not is_paused:
            Job.objects.filter(pk=job.pk).update(state=JobState.OPEN, error="", finished_at=None)
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
