"""What hangs on a thread, and what a person is told of: mentions, assignments, mail.

What somebody said or did is written once. What a person has seen is that person's alone.
"""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models import Policy, User


class Mention(AppendOnly):
    """A person named in a comment, in place of `text[start:end)`, the sign `@` included."""

    comment = models.ForeignKey("vetting.Comment", models.PROTECT, related_name="mentions")
    user = models.ForeignKey(User, models.PROTECT, related_name="mentions")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.user_id} in comment {self.comment_id}"


class About(models.TextChoices):
    """What can be given to somebody."""

    THREAD = "thread"
    RULE = "rule"
    SENTENCE = "sentence"


class Assignment(AppendOnly):
    """A thread, a rule or a sentence given to a person; of one thing the latest counts.

    `key` is the uid of the thread or rule, or the sentence's lineage. To nobody: taken back.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="assignments")
    about = models.CharField(max_length=8, choices=About.choices)
    key = models.CharField(max_length=32, db_index=True)
    to = models.ForeignKey(User, models.PROTECT, null=True, related_name="assignments")
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.about} {self.key[:8]} to {self.to_id}"


class ThreadSeen(models.Model):
    """Up to which comment a person has seen a thread; told to nobody."""

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    thread = models.ForeignKey("vetting.Thread", models.CASCADE, related_name="seen")
    upto = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "thread"], name="seen_once")]

    def __str__(self) -> str:
        return f"thread {self.thread_id} seen by {self.user_id}"


class Attention(models.Model):
    """Up to which assignment a person has seen theirs, and whether they want mail."""

    user = models.OneToOneField(User, models.CASCADE, related_name="+")
    assignments_upto = models.PositiveBigIntegerField(default=0)
    wants_mail = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"attention of {self.user_id}"


class DigestState(models.TextChoices):
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


class Digest(models.Model):
    """The message of a day to a person, and up to where it told what is new.

    It is `sending` before the mail server is asked: a run that was killed there leaves it so,
    and nobody gets two messages of one day.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    day = models.DateField()
    state = models.CharField(max_length=7, choices=DigestState.choices)
    comments_upto = models.PositiveBigIntegerField()
    assignments_upto = models.PositiveBigIntegerField()
    tries = models.PositiveSmallIntegerField(default=1)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["user", "day"], name="one_digest_a_day")]

    def __str__(self) -> str:
        return f"digest of {self.day} to {self.user_id}: {self.state}"
