"""What stays: the audit chain and the published versions."""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models.people import Policy, User


class AuditRow(AppendOnly):
    """One change of state; one chain a policy, ordered by sequence, not by clock.

    Holds ids and hashes only: names and free text live in tables that can be erased.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="audit_rows")
    sequence = models.PositiveIntegerField()
    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    action = models.CharField(max_length=40)
    object = models.CharField(max_length=100)
    old_hash = models.CharField(max_length=70, blank=True)
    new_hash = models.CharField(max_length=70, blank=True)
    at = models.DateTimeField()
    previous_hash = models.CharField(max_length=64, blank=True)
    row_hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["policy", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["policy", "sequence"], name="one_row_a_sequence")
        ]

    def __str__(self) -> str:
        return f"{self.sequence} {self.action} {self.object}"


class Version(AppendOnly):
    """A numbered, frozen snapshot: canonical record, exported bytes, their SHA-256.

    `sha256` is of `smt2`; `record_sha256` of the record's canonical bytes, as text.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    record = models.TextField()
    record_sha256 = models.CharField(max_length=64)
    smt2 = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    published_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["policy", "number"]
        constraints = [
            models.UniqueConstraint(fields=["policy", "number"], name="one_version_a_number")
        ]

    def __str__(self) -> str:
        return f"{self.policy} version {self.number}"
