"""Runs one item: claim, work outside any transaction, write while the lease holds.

Both engines call `run_item`; it may be called any number of times for one item.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from policies.audit import record
from policies.hints import hint
from policies.jobs.keeping import kept
from policies.jobs.leases import (
    claim,
    held,
    is_suspect,
    put_back,
    release,
    set_aside_killers,
)
from policies.jobs.pausing import pause
from policies.jobs.registry import (
    Context,
    JobError,
    Kind,
    PausedError,
    PutBackError,
    kind_named,
)
from policies.jobs.sending import wake
from policies.models import Item, Job
from policies.models.jobs import ItemState, JobState
from policies.writing import written

logger = logging.getLogger(__name__)

# A worker that dies takes all its items along, and one of them may be the cause. Two
# of those are never tried side by side in one process again: so an innocent one is not
# there when the guilty one strikes the second time, and is not set aside with it.
_suspects_one_by_one = threading.Lock()

UNEXPECTED = "Something went wrong in this step that we did not foresee; the server's log names it."
DATABASE_AWAY = "The database could not be reached while this was being worked on; try it again."


def run_item(item_id: int, holder: str) -> bool:
    """Do one item if it is to be had; True if this call claimed it."""
    context = claim(item_id, holder, max_attempts=1)
    if context is not None:
        return _run(context)
    if not is_suspect(item_id) or not _suspects_one_by_one.acquire(blocking=False):
        return False
    try:
        context = claim(item_id, holder)
        return context is not None and _run(context)
    finally:
        _suspects_one_by_one.release()


def _run(context: Context) -> bool:
    try:
        kind = kind_named(context.job.kind)
        with kept(context):
            result = kind.handle(context.payload, context)
        _finish(context, kind, result)
    except JobError as error:
        _fail(context, str(error), error.kind)
    except PausedError as error:
        pause(context, error)
    except PutBackError:
        if put_back(context, ItemState.WAITING):
            wake([context.item_id])
    except (OperationalError, InterfaceError):
        logger.warning("item %s met a database error", context.item_id, exc_info=True)
        if not release(context):
            _fail(context, DATABASE_AWAY)
    except Exception:
        logger.exception("item %s failed", context.item_id)
        _fail(context, UNEXPECTED)
    finalize_if_done(context.job.pk)
    return True


def tidy() -> None:
    """Set aside what killed its workers, and finalize jobs whose last worker died before it did."""
    set_aside_killers()
    unfinished = Item.objects.filter(state__in=(ItemState.WAITING, ItemState.RUNNING))
    complete = Job.objects.filter(state=JobState.OPEN).exclude(pk__in=unfinished.values("job"))
    for job_id in list(complete.values_list("pk", flat=True)):
        finalize_if_done(job_id)


def finalize_if_done(job_id: int) -> None:
    """Close an open job whose items are all done, failed or cancelled; it is finalized once."""
    if _unfinished(job_id):
        return
    try:
        with transaction.atomic():
            _finalize(job_id)
    except JobError as error:
        _close_with_error(job_id, str(error))
    except (OperationalError, InterfaceError):
        # The sweep comes back to it.
        logger.warning("job %s could not be finalized yet", job_id, exc_info=True)
    except Exception:
        logger.exception("the finalizer of job %s failed", job_id)
        _close_with_error(job_id, UNEXPECTED)


def _finalize(job_id: int) -> None:
    jobs = Job.objects.select_for_update(of=("self",), no_key=True)
    jobs = jobs.select_related("policy", "created_by")
    job = jobs.filter(pk=job_id, state=JobState.OPEN).first()
    # Asked again under the lock: a retry may have opened an item in between.
    if job is None or _unfinished(job_id):
        return
    finalize = kind_named(job.kind).finalize
    if finalize is not None:
        finalize(job)
    Job.objects.filter(pk=job_id).update(state=JobState.DONE, finished_at=Now())
    record(job.policy, None, "finish-job", f"job:{job.uid}")
    hint(job.policy, job.created_by)


def _close_with_error(job_id: int, sentence: str) -> None:
    with transaction.atomic():
        job = Job.objects.select_related("policy", "created_by").get(pk=job_id)
        closed = Job.objects.filter(pk=job_id, state=JobState.OPEN).update(
            state=JobState.DONE, error=sentence, finished_at=Now()
        )
        if closed:
            record(job.policy, None, "finish-job", f"job:{job.uid}")
            hint(job.policy, job.created_by)


def _unfinished(job_id: int) -> bool:
    return Item.objects.filter(
        job=job_id, state__in=(ItemState.WAITING, ItemState.RUNNING)
    ).exists()


def _finish(context: Context, kind: Kind, result: Any) -> None:
    with written():
        # Locks the row as well: it is cancelled or taken over before this, or not at all.
        if not _end(context, ItemState.DONE):
            logger.info("item %s is no longer held: its late result is dropped", context.item_id)
            return
        kind.save(context, result)


def _fail(context: Context, sentence: str, kind: str = "") -> None:
    _end(context, ItemState.FAILED, sentence, kind)


def _end(context: Context, state: ItemState, error: str = "", kind: str = "") -> bool:
    return bool(
        held(context).update(
            state=state, error=error, error_kind=kind, lease_until=None, finished_at=Now()
        )
    )
