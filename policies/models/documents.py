"""Documents, their immutable revisions, and the sentences that all else points into."""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models.people import Policy, User, new_uid


class Blob(models.Model):
    """Original bytes, kept in the database since workers may be elsewhere."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()

    def __str__(self) -> str:
        return self.sha256


class Document(models.Model):
    """A document of a policy; `rank` 1 is the highest."""

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="documents")
    title = models.CharField(max_length=200)
    rank = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["rank", "pk"]

    def __str__(self) -> str:
        return self.title


class DocumentRevision(AppendOnly):
    """One text, normalised once, without markup; every later object points into it.

    `headings`, `blocks` and `notes` are what `documents.read` found, as JSON.
    """

    document = models.ForeignKey(Document, models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    blob = models.ForeignKey(Blob, models.PROTECT, related_name="+")
    filename = models.CharField(max_length=200)
    media_type = models.CharField(max_length=60)
    text = models.TextField()
    headings = models.JSONField(default=list)
    blocks = models.JSONField(default=list)
    notes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["document", "number"]
        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="one_revision_a_number")
        ]

    def __str__(self) -> str:
        return f"{self.document}, revision {self.number}"


class Sentence(AppendOnly):
    """`[start, end)` in code points of the revision's text.

    `lineage` stays the same in a later revision that holds the sentence unchanged:
    rules and decisions point at lineages. `text` repeats the slice, so that no
    page need load the whole revision.
    """

    revision = models.ForeignKey(DocumentRevision, models.PROTECT, related_name="sentences")
    lineage = models.CharField(max_length=32, default=new_uid, db_index=True)
    ordinal = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    headings = models.JSONField(default=list)
    context = models.JSONField(default=list)
    number = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["revision", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "ordinal"], name="one_sentence_a_place"),
            models.UniqueConstraint(fields=["revision", "lineage"], name="one_lineage_once"),
            models.CheckConstraint(
                condition=models.Q(start__lt=models.F("end")), name="sentence_not_empty"
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Span(AppendOnly):
    """A part of a revision small enough for one formalizer call."""

    revision = models.ForeignKey(DocumentRevision, models.PROTECT, related_name="spans")
    ordinal = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        ordering = ["revision", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "ordinal"], name="one_span_a_place")
        ]

    def __str__(self) -> str:
        return f"span {self.ordinal} of {self.revision_id}"
