"""Which spans and sentences a formalizer has still to do.

A sentence that a later revision holds unchanged keeps its lineage, and with it
what was said of it: it is not formalized again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

from policies.models import Policy, Sentence, Span, Statement
from policies.sources import latest_revisions, load_pointed, pointed_texts, slim
from translation.formalizers import SentenceText, SpanText


def open_spans(policy: Policy, formalizer: str) -> list[Span]:
    """Spans of the latest revisions without a unit of that formalizer, in reading order."""
    return [span for span, _ in open_work(policy, formalizer)]


def open_work(policy: Policy, formalizer: str) -> list[tuple[Span, list[Sentence]]]:
    """Each of the open spans with its open sentences, which know their places and no more."""
    revisions = latest_revisions(policy)
    stated = _stated_lineages(policy, formalizer)
    sentences: dict[int, list[Sentence]] = {}
    rows = Sentence.objects.filter(revision__in=revisions).order_by("start")
    for sentence in rows.only("revision_id", "lineage", "start", "end"):
        if sentence.lineage not in stated:
            sentences.setdefault(sentence.revision_id, []).append(sentence)
    spans = Span.objects.filter(revision__in=revisions).exclude(units__formalizer=formalizer)
    order = ("revision__document__rank", "revision__document", "ordinal")
    work = [
        (span, _lying_in(sentences.get(span.revision_id, []), span))
        for span in spans.order_by(*order)
    ]
    return [(span, found) for span, found in work if found]


def open_sentences(span: Span, formalizer: str) -> list[Sentence]:
    """The sentences of a span that the formalizer said nothing of yet, in order."""
    policy = span.revision.document.policy
    sentences = Sentence.objects.filter(
        revision=span.revision, start__gte=span.start, end__lte=span.end
    )
    rows = list(slim(sentences).order_by("ordinal"))
    stated = _stated_lineages(policy, formalizer, [row.lineage for row in rows])
    return [row for row in rows if row.lineage not in stated]


def text_of(span: Span, sentences: list[Sentence]) -> SpanText:
    """What a formalizer is given; one query for what the sentences point to."""
    load_pointed(sentences)
    return SpanText(
        span.revision.document.title,
        tuple(sentence_text(row) for row in sentences),
    )


def sentence_text(row: Sentence) -> SentenceText:
    """A sentence with what stands beside it, as a model is given it."""
    return SentenceText(
        row.text,
        tuple(row.headings),
        tuple(row.context),
        row.number,
        row.page,
        pointed_texts(row),
    )


def _stated_lineages(
    policy: Policy, formalizer: str, among: Collection[str] | None = None
) -> set[str]:
    statements = Statement.objects.filter(
        unit__policy=policy, unit__formalizer=formalizer, sentence__isnull=False
    )
    if among is not None:
        statements = statements.filter(sentence__lineage__in=among)
    return set(statements.values_list("sentence__lineage", flat=True))


def _lying_in(sentences: list[Sentence], span: Span) -> list[Sentence]:
    """Of sentences ordered by their start."""
    first = bisect_left(sentences, span.start, key=lambda sentence: sentence.start)
    after = bisect_left(sentences, span.end, key=lambda sentence: sentence.start)
    return [sentence for sentence in sentences[first:after] if sentence.end <= span.end]
