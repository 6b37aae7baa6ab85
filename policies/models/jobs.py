"""Jobs and their items: the rows are the truth, messages are wake-ups."""

from __future__ import annotations

from django.db import models

from policies.models.people import Policy, User, new_uid


class JobState(models.TextChoices):
    OPEN = "open"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class ItemState(models.TextChoices):
    WAITING = "waiting"
    PAUSED = "paused"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(models.Model):
    """A piece of work; progress is a count over its items. `key` makes a start happen once.

    `error` says why the finalizer failed, if it did, or why the job is paused.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="jobs")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=100, unique=True)
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.OPEN)
    settings = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.uid[:8]}"


class Item(models.Model):
    """One step of a job, claimed by compare-and-set.

    `fence` grows with each claim: a holder whose lease was taken over writes nothing.
    `sent_at` is when the last wake-up message went out, for the sweep. Somebody
    waits before the screen for an `urgent` one: it comes before all others. `error_kind`
    names the kind of its error, as the room that does the work tells them apart.
    """

    job = models.ForeignKey(Job, models.CASCADE, related_name="items")
    key = models.CharField(max_length=150, unique=True)
    ordinal = models.PositiveIntegerField(default=0)
    payload = models.JSONField(default=dict)
    urgent = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=ItemState.choices, default=ItemState.WAITING)
    holder = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True)
    fence = models.PositiveIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    error_kind = models.CharField(max_length=40, blank=True)
    sent_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["job", "ordinal"]
        indexes = [
            models.Index(fields=["state", "lease_until"]),
            models.Index(fields=["state"], condition=models.Q(urgent=True), name="urgent_items"),
        ]

    def __str__(self) -> str:
        return self.key
