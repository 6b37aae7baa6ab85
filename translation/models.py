"""Questions that the words of a sentence leave open, and proposals of what may be one.

A question is put to the policy's owner; a proposal to merge is compared by a person.
"""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models import Policy, Rule, Unit, User
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


class MergeKind(models.TextChoices):
    VARIABLE = "variable"
    DATATYPE = "datatype"


class MergeProposal(models.Model):
    """Two symbols that look alike; `first` was declared first.

    `content_hash` covers what was compared of both: a proposal about what has changed
    since is not shown. `evidence` says how near the two are, what the contrast guard
    found, and for datatypes which values are one. Refused, it is not made again.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="merge_proposals")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    kind = models.CharField(max_length=8, choices=MergeKind.choices)
    first = models.CharField(max_length=32)
    second = models.CharField(max_length=32)
    content_hash = models.CharField(max_length=70)
    evidence = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    refused_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    refused_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "first", "second", "content_hash"], name="one_proposal_a_pair"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.first} and {self.second}"


class TextVector(models.Model):
    """What a remote embedding model made of a text, so that no text is sent to it twice."""

    model = models.CharField(max_length=120)
    text_hash = models.CharField(max_length=64)
    vector = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["model", "text_hash"], name="one_vector_a_text")
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.text_hash[:12]}"
