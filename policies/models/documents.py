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

    `headings`, `blocks`, `notes`, `links`, `definitions` and `references` are what
    `documents.read` found, as JSON; `policies.structures` makes them again of it.
    `choices` are the owner's, as pairs of name and value, and `abbreviations` those
    that the splitter was given.

    `edits` are the joins and splits of sentences by hand that this revision rests
    on. One made by such an edit has the same bytes and text as `based_on`, the
    revision that was read from the file.
    """

    document = models.ForeignKey(Document, models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    blob = models.ForeignKey(Blob, models.PROTECT, related_name="+")
    filename = models.CharField(max_length=200)
    media_type = models.CharField(max_length=100)
    text = models.TextField()
    headings = models.JSONField(default=list)
    blocks = models.JSONField(default=list)
    notes = models.JSONField(default=list)
    links = models.JSONField(default=list)
    definitions = models.JSONField(default=list)
    references = models.JSONField(default=list)
    choices = models.JSONField(default=list)
    abbreviations = models.JSONField(default=list)
    edits = models.JSONField(default=list)
    based_on = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
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
    page need load the whole revision. `page` counts from 1, 0 where there are none.
    `pointed` are the ordinals of the sentences of this revision that it leans on.
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
    page = models.PositiveIntegerField(default=0)
    pointed = models.JSONField(default=list)

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


class UploadState(models.TextChoices):
    PENDING = "pending"
    READING = "reading"
    ASKED = "asked"
    REFUSED = "refused"
    STORED = "stored"


class Upload(models.Model):
    """A file or a pasted text on its way to be a revision; read by an item of a job.

    `document` is null where it is to become a new one; else `after` is the number of
    the latest revision that its form showed. `blob` and `filename` are kept only
    while the upload waits; `text`, what was pasted, while its form may be shown again.
    `problem` is the sentence of a refused upload, or the question of one that was
    asked, with `options` as pairs of value and words for the choice `asks`.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="uploads")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    document = models.ForeignKey(Document, models.CASCADE, null=True, related_name="uploads")
    after = models.PositiveIntegerField(default=0)
    title = models.CharField(max_length=200, blank=True)
    filename = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    choices = models.JSONField(default=dict)
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, related_name="+")
    state = models.CharField(max_length=8, choices=UploadState.choices, default=UploadState.PENDING)
    problem = models.TextField(blank=True)
    asks = models.CharField(max_length=40, blank=True)
    options = models.JSONField(default=list)
    job = models.OneToOneField("Job", models.SET_NULL, null=True, related_name="upload")
    revision = models.ForeignKey(DocumentRevision, models.SET_NULL, null=True, related_name="+")
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"upload {self.uid[:8]}: {self.state}"


class SectionScope(models.Model):
    """'Applies where the country is DE': a condition on all rules of one section.

    `headings` is the section's path, outermost title first, and covers what is below
    it. `term` is JSON over uids, as a rule's. `content_hash` and `english` are the
    present ones, kept for lists as a rule's hash is; what counts is made again from the
    parts. Approvals are decisions of a higher room. One taken back is kept, as history.
    """

    document = models.ForeignKey(Document, models.CASCADE, related_name="scopes")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    headings = models.JSONField(default=list)
    term = models.JSONField()
    english = models.TextField(blank=True)
    content_hash = models.CharField(max_length=70, blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    retired_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"scope of {' / '.join(self.headings)}"
