"""Where the parts of a run stand in their documents, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import JSONField, OuterRef, Subquery

from policies.models import Policy, Sentence, Span

_FIRST_WORDS = 70


@dataclass(frozen=True)
class Where:
    """A span by its section: `path` is the document and the headings above it.

    `begins` are the first words of its first sentence, whose lineage and ordinal lead to
    its place; they tell apart the spans of one long section.
    """

    path: str
    begins: str
    document: int
    lineage: str
    ordinal: int


def where_spans_stand(policy: Policy, spans: Iterable[int]) -> dict[int, Where]:
    """The place of each of the policy's spans; one query."""
    first = Sentence.objects.filter(
        revision=OuterRef("revision"), start__gte=OuterRef("start"), end__lte=OuterRef("end")
    ).order_by("ordinal")
    rows = Span.objects.filter(pk__in=set(spans), revision__document__policy=policy).annotate(
        headings=Subquery(first.values("headings")[:1], output_field=JSONField()),
        text=Subquery(first.values("text")[:1]),
        lineage=Subquery(first.values("lineage")[:1]),
        place=Subquery(first.values("ordinal")[:1]),
    )
    fields = ("pk", "headings", "text", "lineage", "place")
    places = rows.values_list(*fields, "revision__document", "revision__document__title")
    return {
        pk: Where(_path(title, headings or []), _shortened(text or ""), document, lineage, ordinal)
        for pk, headings, text, lineage, ordinal, document, title in places
        if lineage
    }


def _path(title: str, headings: list[str]) -> str:
    """A document's title that is its first heading, too, is said once."""
    above = [heading for heading in headings if heading]
    if above and above[0].casefold() == title.casefold():
        above = above[1:]
    return " › ".join([title, *above])


def _shortened(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _FIRST_WORDS else words[:_FIRST_WORDS].rsplit(" ", 1)[0] + " …"
