"""What a new revision means for what is there: sentences keep lineages, rules follow sentences.

A rule of a sentence that changed comes from the changed one from then on. Its hash
covers the sentence, so its approval lapses by itself, and comes back with the old
words. A rule of a sentence that was removed keeps pointing at it, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from documents import ReadDocument, align, changes
from documents import Sentence as ReadSentence
from policies.models import Document, DocumentRevision, Policy, RuleSource, Sentence
from policies.models.people import new_uid

# So many texts go into one query.
_BATCH = 500


def lineages_for(
    document: Document, former: DocumentRevision | None, found: ReadDocument
) -> list[str]:
    """A lineage for each sentence: that of the same sentence in a former revision, else a new one.

    The latest revision is asked first, then the older ones, so that undoing a
    change brings back the lineages, and with them what people said of them. Of the
    older ones only sentences with the very words that are still sought are loaded.
    """
    lineages = [""] * len(found.sentences)
    if former is not None:
        _take_lineages(lineages, former.sentences.order_by("ordinal"), found)
        older = Sentence.objects.filter(
            revision__document=document, revision__number__lt=former.number
        ).order_by("-revision__number", "ordinal")
        sought = {
            found.text[one.start : one.end]
            for one, lineage in zip(found.sentences, lineages, strict=True)
            if not lineage
        }
        for texts in _batches(sorted(sought)):
            rows = older.filter(text__in=texts)
            for _, group in groupby(rows, key=lambda row: row.revision_id):
                _take_lineages(lineages, group, found)
    return [lineage or new_uid() for lineage in lineages]


def _take_lineages(lineages: list[str], rows: Iterable[Sentence], found: ReadDocument) -> None:
    """Fill in the lineages of one revision's rows where none is known yet."""
    known = list(rows)
    taken = set(lineages)
    for place, match in enumerate(align(as_read(known), found)):
        if match is not None and not lineages[place] and known[match].lineage not in taken:
            lineages[place] = known[match].lineage


def _batches(texts: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), _BATCH):
        yield texts[start : start + _BATCH]


def as_read(rows: Sequence[Sentence]) -> ReadDocument:
    """Stored sentences as alignment takes them: their texts and nothing else of the document."""
    sentences = []
    at = 0
    for row in rows:
        context = (tuple(row.headings), tuple(row.context))
        sentences.append(ReadSentence(at, at + len(row.text), *context, row.number, block=0))
        at += len(row.text) + 1
    text = "\n".join(row.text for row in rows)
    return ReadDocument(text, "", "", (), (), tuple(sentences), ())


def follow_changes(
    policy: Policy,
    former: DocumentRevision,
    found: ReadDocument,
    revision: DocumentRevision,
    rows: Sequence[Sentence],
) -> None:
    """Let the rules of sentences that changed come from the changed ones."""
    before = list(former.sentences.order_by("ordinal"))
    still_there = {row.lineage for row in rows}
    successors = {
        before[one.old].lineage: rows[one.new]
        for one in changes(as_read(before), found).changed
        if before[one.old].lineage not in still_there
    }
    for source in _sources(policy, successors):
        row = successors[source.lineage]
        if _is_free(source, row):
            source.lineage, source.revision = row.lineage, revision
            source.start, source.end, source.quote = row.start, row.end, row.text
            source.save()


def follow_edits(policy: Policy, former: DocumentRevision, rows: Sequence[Sentence]) -> None:
    """Let the rules of sentences that were joined or split come from what they became.

    A source keeps the place that it was drafted from: of a split sentence that tells
    which part a rule is about, and a join undone gives each rule its own again.
    """
    still_there = {row.lineage for row in rows}
    gone = [row for row in former.sentences.all() if row.lineage not in still_there]
    successors = {old.lineage: [row for row in rows if _overlap(row, old)] for old in gone}
    same_text = set(
        DocumentRevision.objects.filter(document=former.document_id, text=former.text).values_list(
            "pk", flat=True
        )
    )
    for source in _sources(policy, successors):
        parts = successors[source.lineage]
        if source.revision_id in same_text:
            parts = [row for row in parts if _overlap(row, source)] or parts
        free = [row for row in parts if _is_free(source, row)]
        source.delete()
        for row in free:
            source.pk, source.lineage = (source.pk if row is free[0] else None), row.lineage
            source.save(force_insert=True)


def _sources(policy: Policy, lineages: Iterable[str]) -> list[RuleSource]:
    rows = RuleSource.objects.filter(rule__policy=policy, rule__retired_at=None)
    wanted = set(lineages)
    return [source for source in rows.order_by("pk") if source.lineage in wanted]


def _is_free(source: RuleSource, row: Sentence) -> bool:
    """False where the rule comes from that sentence already."""
    return not RuleSource.objects.filter(rule=source.rule_id, lineage=row.lineage).exists()


def _overlap(one: Sentence, other: Sentence | RuleSource) -> bool:
    return one.start < other.end and other.start < one.end
