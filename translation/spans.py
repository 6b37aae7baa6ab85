"""Which spans and sentences a formalizer has still to do.

A sentence that a later revision holds unchanged keeps its lineage, and with it
what was said of it: it is not formalized again.
"""

from __future__ import annotations

from policies.models import Policy, Sentence, Span, Statement
from policies.sources import latest_revisions, load_pointed, pointed_texts, slim
from translation.formalizers import SentenceText, SpanText


def open_spans(policy: Policy, formalizer: str) -> list[Span]:
    """Spans of the latest revisions without a unit of that formalizer, in reading order."""
    revisions = latest_revisions(policy)
    stated = _stated_lineages(policy, formalizer)
    sentences: dict[int, list[Sentence]] = {}
    for sentence in Sentence.objects.filter(revision__in=revisions).only(
        "revision_id", "lineage", "start", "end"
    ):
        if sentence.lineage not in stated:
            sentences.setdefault(sentence.revision_id, []).append(sentence)
    spans = Span.objects.filter(revision__in=revisions).exclude(units__formalizer=formalizer)
    order = ("revision__document__rank", "revision__document", "ordinal")
    return [
        span
        for span in spans.order_by(*order)
        if any(_lies_in(sentence, span) for sentence in sentences.get(span.revision_id, []))
    ]


def open_sentences(span: Span, formalizer: str) -> list[Sentence]:
    """The sentences of a span that the formalizer said nothing of yet, in order."""
    policy = span.revision.document.policy
    stated = _stated_lineages(policy, formalizer)
    sentences = Sentence.objects.filter(
        revision=span.revision, start__gte=span.start, end__lte=span.end
    )
    rows = slim(sentences).order_by("ordinal")
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


def _stated_lineages(policy: Policy, formalizer: str) -> set[str]:
    statements = Statement.objects.filter(
        unit__policy=policy, unit__formalizer=formalizer, sentence__isnull=False
    )
    return set(statements.values_list("sentence__lineage", flat=True))


def _lies_in(sentence: Sentence, span: Span) -> bool:
    return span.start <= sentence.start and sentence.end <= span.end
