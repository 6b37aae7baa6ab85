"""Finding policies, documents, sentences, rules and variables by words in them.

Only what the person may see is looked at, and each kind gives so many at most: some queries,
however much there is. All words must occur in one of a thing's texts each, in any case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Max, Model, Q, QuerySet
from django.urls import reverse

from policies.access import policies_of
from policies.models import (
    Document,
    DocumentRevision,
    Merge,
    Policy,
    Rule,
    Sentence,
    User,
    Variable,
)

Row = TypeVar("Row", bound=Model)

MAX_WORDS = 8
# Of each kind; who gets as many says more.
MAX_FOUND = 10


@dataclass(frozen=True)
class Found:
    """One thing, with what it says and where it is."""

    title: str
    says: str
    url: str
    policy: Policy


@dataclass(frozen=True)
class Group:
    """What was found of a kind; `has_more` if that is not all of it."""

    title: str
    found: tuple[Found, ...]
    has_more: bool


def search(user: User, query: str) -> list[Group]:
    """What the person may see that has all words of the query, by kind; empty ones left out."""
    words = query.split()[:MAX_WORDS]
    if not words:
        return []
    mine = policies_of(user)
    groups = (
        _group("Policies", _first(mine.filter(_all(words, "name"))), _policy),
        _group("Documents", _documents(mine, words), _document),
        _group("Rules", _rules(mine, words), _rule),
        _group("Variables", _variables(mine, words), _variable),
        _group("Sentences", _sentences(mine, words), _sentence),
    )
    return [group for group in groups if group.found]


def _group(title: str, rows: list[Row], shown: Callable[[Row], Found]) -> Group:
    return Group(title, tuple(shown(row) for row in rows[:MAX_FOUND]), len(rows) > MAX_FOUND)


def _documents(mine: QuerySet[Policy], words: Sequence[str]) -> list[Document]:
    rows = Document.objects.filter(_all(words, "title"), policy__in=mine)
    return _first(rows.select_related("policy").order_by("policy__name", "rank"))


def _rules(mine: QuerySet[Policy], words: Sequence[str]) -> list[Rule]:
    rows = Rule.objects.filter(_all(words, "name", "english"), policy__in=mine, retired_at=None)
    return _first(rows.select_related("policy").order_by("policy__name", "position", "pk"))


def _variables(mine: QuerySet[Policy], words: Sequence[str]) -> list[Variable]:
    """One that another stands for is found under that one."""
    merged = Merge.objects.filter(undone_at=None, policy__in=mine).values("from_uid")
    spoken = _all(words, "name", "phrase", "negative_phrase", "description")
    rows = Variable.objects.filter(spoken, policy__in=mine).exclude(uid__in=merged)
    return _first(rows.select_related("policy").order_by("policy__name", "name"))


def _sentences(mine: QuerySet[Policy], words: Sequence[str]) -> list[Sentence]:
    """Of each document's latest revision."""
    revisions = DocumentRevision.objects.filter(document__policy__in=mine).order_by()
    latest = revisions.values("document").annotate(last=Max("pk")).values("last")
    rows = Sentence.objects.filter(_all(words, "text"), revision__in=latest)
    rows = rows.select_related("revision__document__policy").only(
        "lineage",
        "text",
        "revision__document__title",
        "revision__document__policy__name",
        "revision__document__policy__slug",
        "revision__document__policy__archived_at",
    )
    return _first(rows.order_by("revision__document__policy__name", "revision", "ordinal"))


def _first(rows: QuerySet[Row]) -> list[Row]:
    return list(rows[: MAX_FOUND + 1])


def _all(words: Sequence[str], *fields: str) -> Q:
    """Each word in one of the fields, whatever its case.

    SQLite compares the case of plain English letters only, except in a pattern.
    """
    in_a_pattern = connection.vendor == "sqlite"
    lookup = "iregex" if in_a_pattern else "icontains"
    every = Q()
    for word in words:
        some = Q()
        for name in fields:
            some |= Q(**{f"{name}__{lookup}": re.escape(word) if in_a_pattern else word})
        every &= some
    return every


def _policy(row: Policy) -> Found:
    return Found(row.name, "", reverse("policy", args=[row.slug]), row)


def _document(row: Document) -> Found:
    return Found(row.title, "", reverse("document", args=[row.policy.slug, row.pk]), row.policy)


def _rule(row: Rule) -> Found:
    url = reverse("review-card", args=[row.policy.slug, row.uid])
    return Found(row.name, row.english, url, row.policy)


def _variable(row: Variable) -> Found:
    url = reverse("variable", args=[row.policy.slug, row.uid])
    return Found(row.phrase or row.name, row.description, url, row.policy)


def _sentence(row: Sentence) -> Found:
    document: Any = row.revision.document
    url = reverse("document", args=[document.policy.slug, document.pk])
    return Found(document.title, row.text, f"{url}?sentence={row.lineage}#here", document.policy)
