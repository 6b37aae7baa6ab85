"""How far documents are covered, by section, at a cost that hardly grows with them.

The states of sentences are those of `vetting.sentences`, by `vetting.outline`: this is for
marks and counts on a page; what a person decides on is worked out from the rows again.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery

from policies.models import AuditRow, DocumentRevision, Policy, Section, Statement, Unit
from translation.models import Question
from vetting.outline import Covered, Outline, outline
from vetting.sentences import SentenceState

Words = tuple[tuple[int, int], ...]
# A row's id; the time tells it apart from one that had the same id and is gone.
_Key = tuple[int, datetime]
_lock = threading.Lock()


@dataclass(frozen=True)
class SectionCover:
    """A section with what became of its sentences."""

    ordinal: int
    level: int
    part: int
    headings: tuple[str, ...]
    page: int
    sentences: tuple[Covered, ...]
    revision: int = 0

    @property
    def title(self) -> str:
        return self.headings[-1] if self.headings else ""

    @property
    def counts(self) -> list[tuple[str, int]]:
        return counted(self.sentences)

    @cached_property
    def waiting(self) -> int:
        return sum(one.waits for one in self.sentences)


@dataclass(frozen=True)
class Coverage:
    """A revision's sections; `approved` and `total` are of all rules of the policy."""

    sections: tuple[SectionCover, ...]
    approved: int
    total: int

    @cached_property
    def sentences(self) -> list[Covered]:
        return [one for section in self.sections for one in section.sentences]

    @cached_property
    def by_lineage(self) -> dict[str, Covered]:
        return {one.lineage: one for one in self.sentences}

    def whole_section(self, section: SectionCover) -> list[SectionCover]:
        """A section with its parts and with the sections below it."""
        return with_those_below(self.sections[section.ordinal - 1 :])

    def next_waiting(self, after: int = 0) -> Covered | None:
        """The first sentence behind an ordinal that waits, else the first at all."""
        waiting = [one for one in self.sentences if one.waits]
        return next(
            (one for one in waiting if one.ordinal > after), waiting[0] if waiting else None
        )


def with_those_below(sections: Sequence[SectionCover]) -> list[SectionCover]:
    """The first of the sections, with its parts and with the sections below it."""
    top = sections[0]
    path = top.headings
    found: list[SectionCover] = []
    for one in sections:
        begins_anew = one.part == 1 and one is not top
        is_below = one.headings[: len(path)] == path and one.level > top.level
        if one.revision != top.revision or (begins_anew and not is_below):
            break
        found.append(one)
    return found


def counted(sentences: Iterable[Covered]) -> list[tuple[str, int]]:
    """How many sentences are in each state, in the order of the states."""
    counts = Counter(one.state for one in sentences)
    return [(str(state), counts[state]) for state in SentenceState if counts[state]]


def cover(policy: Policy, revision: DocumentRevision) -> Coverage:
    """What became of each sentence of a revision."""
    whole = cover_all(policy)
    if revision.pk in whole.documents:
        sections = tuple(one for one in whole.sections if one.revision == revision.pk)
    else:  # another took its place meanwhile
        sections = _sections(whole.outline, [(revision.pk, revision.created_at)])
    return Coverage(sections, whole.outline.approved, whole.outline.total)


@dataclass(frozen=True, eq=False)
class WholeCoverage:
    """Of all documents of a policy, in reading order, and the rules with them.

    `documents` has the document's id and title by the id of its latest revision.
    """

    outline: Outline
    sections: tuple[SectionCover, ...]
    documents: dict[int, tuple[int, str]]

    @cached_property
    def sentences(self) -> list[Covered]:
        return [one for section in self.sections for one in section.sentences]


def cover_all(policy: Policy) -> WholeCoverage:
    """What became of each present sentence; one query where nothing was said or changed since
    it was asked last in this process.

    Else it is worked out again from the rows, see `outline`.
    """
    key, stamp = (policy.pk, policy.created_at), _stamp(policy)
    known = _whole.get(key)
    if known is not None and known[0] == stamp:
        return known[1]
    found = _cover_all(policy)
    # Within a transaction it might be rolled back, or show what was before.
    if not connection.in_atomic_block:
        _keep(_whole, {key: (stamp, found)}, _MOST_POLICIES)
    return found


# INVARIANT: whatever an outline rests on is written with a row of the audit log, in the same
# transaction, or is a unit, a question or a revision. So while the last of each is the same,
# nothing moved; what is read after the stamp is at least as new as it.
_Stamp = tuple[Any, ...]
_whole: OrderedDict[_Key, tuple[_Stamp, WholeCoverage]] = OrderedDict()
# One of 1,500 rules and 7,000 sentences takes about 4 MB.
_MOST_POLICIES = 8


def _stamp(policy: Policy) -> _Stamp | None:
    own = {"policy": OuterRef("pk")}
    audited = AuditRow.objects.filter(**own).order_by("-sequence").values("sequence")
    units = Unit.objects.filter(**own).order_by("-pk").values("pk")
    questions = Question.objects.filter(**own).order_by("-pk").values("pk")
    revisions = DocumentRevision.objects.filter(document__policy=OuterRef("pk"))
    last = [audited, units, questions, revisions.order_by("-pk").values("pk")]
    rows = Policy.objects.filter(pk=policy.pk)
    return rows.values_list("revision", *(Subquery(one[:1]) for one in last)).first()


def _cover_all(policy: Policy) -> WholeCoverage:
    """Four queries, four more where an answer may have lapsed, and one for revisions that are new
    to this process."""
    latest: dict[int, tuple[int, datetime, str]] = {}
    rows = DocumentRevision.objects.filter(document__policy=policy)
    fields = ("document", "pk", "created_at", "document__title")
    for document, *own in rows.order_by("document__rank", "document", "number").values_list(
        *fields
    ):
        latest[document] = (own[0], own[1], own[2])
    known = outline(policy, [pk for pk, *_ in latest.values()])
    sections = _sections(known, [(pk, at) for pk, at, _ in latest.values()])
    documents = {pk: (document, title) for document, (pk, _, title) in latest.items()}
    return WholeCoverage(known, sections, documents)


def _sections(known: Outline, revisions: Sequence[_Key]) -> tuple[SectionCover, ...]:
    return tuple(
        SectionCover(
            ordinal,
            level,
            part,
            headings,
            page,
            tuple(map(known.sentence, sentences)),
            revision,
        )
        for revision, ordinal, level, part, headings, page, sentences in _rows(revisions)
    )


# Sections are written once, with their revision, and so are kept in this process.
# Each sentence as it is where nobody touched it.
_Row = tuple[int, int, int, int, tuple[str, ...], int, tuple[Covered, ...]]
_kept: OrderedDict[_Key, list[_Row]] = OrderedDict()
# Of a document of 7,000 sentences they take about 3 MB.
_MOST_REVISIONS = 32


def _rows(revisions: Sequence[_Key]) -> list[_Row]:
    """The sections of the revisions, in their order."""
    known = {key: kept for key in revisions if (kept := _kept.get(key)) is not None}
    missing = {key[0]: key for key in revisions if key not in known}
    if missing:
        found: dict[_Key, list[_Row]] = {key: [] for key in missing.values()}
        rows = Section.objects.filter(revision__in=missing).order_by("revision", "ordinal")
        fields = ("revision", "ordinal", "level", "part", "headings", "page", "first", "sentences")
        for revision, ordinal, level, part, headings, page, first, sentences in rows.values_list(
            *fields
        ):
            untouched = tuple(
                Covered(lineage, place, present, SentenceState.UNTOUCHED)
                for place, (lineage, present) in enumerate(sentences, start=first)
            )
            row = (revision, ordinal, level, part, tuple(headings), page, untouched)
            found[missing[revision]].append(row)
        known |= found
        # Within a transaction they might be rolled back.
        if not connection.in_atomic_block:
            _keep(_kept, found, _MOST_REVISIONS)
    return [row for key in revisions for row in known[key]]


def _keep(kept: OrderedDict[_Key, Any], found: Mapping[_Key, Any], most: int) -> None:
    with _lock:
        for key, value in found.items():
            kept[key] = value
            kept.move_to_end(key)
        while len(kept) > most:
            kept.popitem(last=False)


def words_not_carried(policy: Policy, lineages: Collection[str]) -> dict[str, Words]:
    """Of some sentences the words that no rule carries, as `[start, end)` in each; one query."""
    rows = Statement.objects.filter(unit__policy=policy, sentence__lineage__in=lineages)
    return {
        lineage: tuple((int(start), int(end)) for words in said for start, end in words)
        for lineage, said in _of_latest_unit(rows, "words").items()
    }


def _of_latest_unit(rows: QuerySet[Statement], field: str) -> dict[str, list[Any]]:
    """By lineage, a field of each statement of the latest unit that speaks of the sentence."""
    latest: dict[str, tuple[int, list[Any]]] = {}
    fields = ("sentence__lineage", "unit", field)
    for lineage, unit, said in rows.order_by("unit", "pk").values_list(*fields):
        if lineage not in latest or latest[lineage][0] != unit:
            latest[lineage] = (unit, [])
        latest[lineage][1].append(said)
    return {lineage: said for lineage, (_, said) in latest.items()}
