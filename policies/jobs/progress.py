"""How far a job is: counts over its rows, so nothing can drift."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from policies.models import Item, Job
from policies.models.jobs import ItemState, JobState


@dataclass(frozen=True)
class Progress:
    """Counts of items; `not_started` says that no worker has touched any of them yet."""

    state: JobState
    total: int
    waiting: int
    paused: int
    running: int
    done: int
    failed: int
    cancelled: int
    not_started: bool

    @property
    def finished(self) -> bool:
        """Nothing more happens by itself: it ended, or waits for somebody to resume it."""
        return self.state != JobState.OPEN

    @property
    def ended(self) -> int:
        return self.done + self.failed + self.cancelled


def progress_of(job: Job) -> Progress:
    """Two queries, whatever the number of items."""
    state = Job.objects.values_list("state", flat=True).get(pk=job.pk)
    counts = Item.objects.filter(job=job).aggregate(
        total=Count("pk"),
        touched=Count("pk", filter=Q(fence__gt=0)),
        **{item_state.value: Count("pk", filter=Q(state=item_state)) for item_state in ItemState},
    )
    touched = counts.pop("touched")
    return Progress(
        state=JobState(state),
        not_started=state == JobState.OPEN and not touched and counts["total"] > 0,
        **counts,
    )
