"""A revision cut into sections, so that a page of one needs nothing of the others."""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models.documents import DocumentRevision


class Section(AppendOnly):
    """A heading and what stands below it up to the next one, or a part of a long one.

    `headings` is its path, its own title last; `level` is 0 before the first heading.
    `part` counts the parts of a long section from 1. `first` is the ordinal of its
    first sentence. `sentences` are pairs of lineage and hash (`sentence_hash`), in
    order: sentences are written once, so the hashes hold as long as the row.

    `text` is its slice of the revision's text, which begins at `start`; `content`
    holds its blocks, sentences and references with offsets in that slice, see
    `policies.sections`.
    """

    revision = models.ForeignKey(DocumentRevision, models.PROTECT, related_name="sections")
    ordinal = models.PositiveIntegerField()
    level = models.PositiveIntegerField(default=0)
    part = models.PositiveIntegerField(default=1)
    headings = models.JSONField(default=list)
    page = models.PositiveIntegerField(default=0)
    first = models.PositiveIntegerField()
    sentences = models.JSONField(default=list)
    start = models.PositiveIntegerField()
    text = models.TextField()
    content = models.JSONField(default=dict)

    class Meta:
        ordering = ["revision", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "ordinal"], name="one_section_a_place")
        ]

    def __str__(self) -> str:
        return f"section {self.ordinal} of {self.revision_id}"
