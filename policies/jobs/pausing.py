"""Jobs that wait for a person: paused with a sentence, resumed by somebody.

INVARIANT: an item becomes PAUSED only under the lock of its job, while that job is PAUSED;
resuming puts all of them back in line with the job. So a job that is open never has a
paused item, and none is left behind.
"""

from __future__ import annotations

from functools import partial

from django.db import transaction

from policies.audit import record
from policies.hints import hint
from policies.jobs.leases import put_back
from policies.jobs.registry import Context, PausedError
from policies.jobs.sending import wake
from policies.models import Item, Job
from policies.models.jobs import ItemState, JobState


def pause(context: Context, error: PausedError) -> None:
    """Pause the job and what of it waits; the item under work is as if it had not begun.

    Items that others work on go on until they need what ran out, and end here too.
    """
    with transaction.atomic():
        job = locked(context.job)
        if job.state == JobState.OPEN and job.settings != error.seen:
            # Somebody resumed it in between, with other limits: so this item goes on.
            if put_back(context, ItemState.WAITING):
                transaction.on_commit(partial(wake, [context.item_id]))
        elif job.state in (JobState.OPEN, JobState.PAUSED):
            if not put_back(context, ItemState.PAUSED) or job.state == JobState.PAUSED:
                return
            Item.objects.filter(job=job, state=ItemState.WAITING).update(state=ItemState.PAUSED)
            Job.objects.filter(pk=job.pk).update(state=JobState.PAUSED, error=str(error))
            record(job.policy, None, "pause-job", f"job:{job.uid}")
            hint(job.policy, context.user)


def locked(job: Job) -> Job:
    """The job's row, locked, with its policy.

    INVARIANT: rows that name a job, an item or a policy are written while others lock these.
    `no_key` lets them: with it a lock waits for who changes a row, not for who points at it.
    Two that wait for each other would otherwise be one too many.
    """
    jobs = Job.objects.select_for_update(of=("self",), no_key=True).select_related("policy")
    return jobs.get(pk=job.pk)
