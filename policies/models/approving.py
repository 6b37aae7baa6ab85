"""Whose approval the rules of a section need, and who approves in whose place."""

from __future__ import annotations

from django.db import models

from policies.models.documents import Document
from policies.models.people import Policy, User, new_uid


class SectionApprover(models.Model):
    """A person whose approval the rules of a section need, and of those below it.

    `headings` is the section's path; empty, it is the whole document. Ended rows stay.
    """

    document = models.ForeignKey(Document, models.CASCADE, related_name="approvers")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    headings = models.JSONField(default=list)
    person = models.ForeignKey(User, models.PROTECT, related_name="+")
    added_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    ended_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.person_id} must approve {' › '.join(self.headings)}"


class Delegation(models.Model):
    """`to` may approve in the place of `person`, up to and with the day `until`.

    Ended rows stay: what was approved meanwhile rests on them.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="delegations")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    person = models.ForeignKey(User, models.PROTECT, related_name="+")
    to = models.ForeignKey(User, models.PROTECT, related_name="+")
    until = models.DateField()
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.to_id} for {self.person_id} until {self.until}"
