"""Questions: what the words of a sentence leave open, put to the policy's owner."""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models import Policy, Rule, Unit
from policies.models.people import new_uid


class QuestionKind(models.TextChoices):
    BOUNDARY = "boundary"
    OUTCOME = "outcome"
    READING = "reading"


class Question(AppendOnly):
    """A rule's readings and the case that tells them apart.

    `boundary` maps a variable's uid to the value at the edge, as exact text.
    `readings` is a list of {"label", "term"}: terms as JSON by uid; the drafted
    reading comes first. A rule with an open question cannot be approved.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="questions")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    rule = models.ForeignKey(Rule, models.PROTECT, related_name="questions")
    unit = models.ForeignKey(Unit, models.PROTECT, null=True, related_name="questions")
    kind = models.CharField(max_length=10, choices=QuestionKind.choices)
    text = models.TextField()
    boundary = models.JSONField(default=dict)
    readings = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.text[:60]
