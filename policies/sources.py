"""Sentences as the sources of rules: which revision is the present one, what stands beside them.

What a sentence points to (a clause, a definition, a footnote) belongs to its context:
when that changes, what was said of the sentence asks again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from django.db.models import QuerySet

from policies.models import DocumentRevision, Policy, Sentence, SourcePart
from policywright.model import Source

# What a revision holds that is as long as the document: no list of revisions needs it.
LONG_FIELDS = (
    "text",
    "headings",
    "blocks",
    "notes",
    "links",
    "definitions",
    "references",
)
# What it holds of a whole document; no list of sentences needs it.
BULKY = (*LONG_FIELDS, "choices", "abbreviations", "edits")
POINTED = "see: "
"""What a piece of context begins with that is the text of another sentence."""


def source_of(sentence: Sentence) -> Source:
    """A sentence as a source, with the context shown beside it."""
    revision = sentence.revision
    return Source(
        revision.document.title,
        str(revision.number),
        sentence.start,
        sentence.end,
        sentence.text,
        (
            *sentence.headings,
            *sentence.context,
            *(f"{POINTED}{text}" for text in pointed_texts(sentence)),
        ),
    )


def source_in(sentence: Sentence, part: str) -> Source:
    """A sentence as the source of a rule; what it does other than state it is context too."""
    source = source_of(sentence)
    if part == SourcePart.STATES:
        return source
    return replace(source, context=(*source.context, str(SourcePart(part).label)))


def pointed_texts(sentence: Sentence) -> tuple[str, ...]:
    """The sentences that this one leans on; one query where `load_pointed` did not load them."""
    if not sentence.pointed:
        return ()
    if not hasattr(sentence, "_pointed_texts"):
        load_pointed([sentence])
    texts: tuple[str, ...] = sentence._pointed_texts  # type: ignore[attr-defined]
    return texts


def load_pointed(sentences: Sequence[Sentence]) -> None:
    """Keep with each sentence the texts that it points to; one query for what is not among them."""
    known = {(one.revision_id, one.ordinal): one.text for one in sentences}
    wanted = [one for one in sentences if one.pointed]
    missing = {
        (one.revision_id, ordinal)
        for one in wanted
        for ordinal in one.pointed
        if (one.revision_id, ordinal) not in known
    }
    if missing:
        rows = Sentence.objects.filter(
            revision__in={revision for revision, _ in missing},
            ordinal__in={ordinal for _, ordinal in missing},
        )
        for revision, ordinal, text in rows.values_list("revision", "ordinal", "text"):
            known[revision, ordinal] = text
    for one in wanted:
        places = ((one.revision_id, ordinal) for ordinal in one.pointed)
        texts = tuple(known[place] for place in places if place in known)
        one._pointed_texts = texts  # type: ignore[attr-defined]


def latest_revisions(policy: Policy) -> list[int]:
    """The id of the latest revision of each document, in rank order."""
    latest: dict[int, int] = {}
    revisions = DocumentRevision.objects.filter(document__policy=policy)
    for pk, document in revisions.order_by("number").values_list("pk", "document"):
        latest[document] = pk
    return list(latest.values())


def slim(sentences: QuerySet[Sentence]) -> QuerySet[Sentence]:
    """With revision and document, but without what a revision holds of the whole document."""
    return sentences.select_related("revision__document").defer(
        *(f"revision__{name}" for name in BULKY)
    )


def sentences_by_lineage(
    policy: Policy, lineages: Collection[str], revisions: Collection[int] | None = None
) -> dict[str, Sentence]:
    """The present sentences of these lineages, with what they point to; three queries at most.

    `revisions` are the latest ones, if the caller knows them.
    """
    latest = latest_revisions(policy) if revisions is None else revisions
    rows = Sentence.objects.filter(revision__in=latest, lineage__in=lineages)
    found = {sentence.lineage: sentence for sentence in slim(rows)}
    load_pointed(list(found.values()))
    return found
