"""How far a document is covered, by section, at a cost that hardly grows with it.

The states of sentences are those of `vetting.sentences`, of the whole document and
from six queries: sentences are known by lineage and hash alone, and a rule's present
content by the hash that is kept with its row. This is for marks and counts on a
page; what a person decides on is worked out from the rows again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from policies.models import DocumentRevision, Policy, Rule, Section, Statement
from policies.models.draft import StatementState
from policies.present import question_hash
from policies.sources import sentences_by_lineage, source_in
from translation.models import Question
from vetting.models import Decision, MarkKind, SentenceMark, Verdict
from vetting.review import ReviewState
from vetting.sentences import WAITS, SentenceState, judge_state

Words = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Covered:
    """A sentence by its ordinal."""

    lineage: str
    ordinal: int
    state: SentenceState
    has_rules: bool

    @property
    def waits(self) -> bool:
        return self.state in WAITS


@dataclass(frozen=True)
class SectionCover:
    """A section with what became of its sentences."""

    ordinal: int
    level: int
    part: int
    headings: tuple[str, ...]
    page: int
    sentences: tuple[Covered, ...]

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
        path = section.headings
        found: list[SectionCover] = []
        for one in self.sections[section.ordinal - 1 :]:
            begins_anew = one.part == 1 and one is not section
            if begins_anew and (one.headings[: len(path)] != path or one.level <= section.level):
                break
            found.append(one)
        return found

    def next_waiting(self, after: int = 0) -> Covered | None:
        """The first sentence behind an ordinal that waits, else the first at all."""
        waiting = [one for one in self.sentences if one.waits]
        return next(
            (one for one in waiting if one.ordinal > after), waiting[0] if waiting else None
        )


def counted(sentences: Iterable[Covered]) -> list[tuple[str, int]]:
    """How many sentences are in each state, in the order of the states."""
    counts = Counter(one.state for one in sentences)
    return [(str(state), counts[state]) for state in SentenceState if counts[state]]


def cover(policy: Policy, revision: DocumentRevision, latest: Collection[int]) -> Coverage:
    """What became of each sentence of a revision; `latest` are the present revisions' ids."""
    rules = _rules(policy, latest)
    said = _Said(rules, _marks(policy), _statements(policy))
    rows = Section.objects.filter(revision=revision).order_by("ordinal")
    fields = ("ordinal", "level", "part", "headings", "page", "first", "sentences")
    sections = tuple(
        SectionCover(
            ordinal,
            level,
            part,
            tuple(headings),
            page,
            tuple(
                said.of(lineage, present, place)
                for place, (lineage, present) in enumerate(sentences, start=first)
            ),
        )
        for ordinal, level, part, headings, page, first, sentences in rows.values_list(*fields)
    )
    approved = sum(rule.state is ReviewState.APPROVED for rule in rules.values())
    return Coverage(sections, approved, len(rules))


@dataclass
class _Rule:
    uid: str
    by_hand: bool
    state: ReviewState
    sources: list[tuple[str, str]] = field(default_factory=list)


class _Said:
    """What is known of sentences by their lineage."""

    def __init__(
        self,
        rules: Mapping[int, _Rule],
        marks: Mapping[tuple[str, str], str],
        statements: Mapping[str, set[str]],
    ) -> None:
        self.marks, self.statements = marks, statements
        self.rules: dict[str, list[_Rule]] = {}
        for rule in rules.values():
            for lineage, _ in rule.sources:
                self.rules.setdefault(lineage, []).append(rule)

    def of(self, lineage: str, present: str, ordinal: int) -> Covered:
        rules = self.rules.get(lineage, [])
        mark = self.marks.get((lineage, present), "")
        state = judge_state(
            {rule.state for rule in rules},
            by_hand=any(rule.by_hand for rule in rules),
            mark="" if mark == MarkKind.WITHDRAWN else mark,
            unsaid=_unsaid(self.statements.get(lineage, ())),
        )
        return Covered(lineage, ordinal, state, bool(rules))


def _unsaid(states: Collection[str]) -> str:
    """A failure before an abstention, as in `vetting.sentences`."""
    for state in (StatementState.FAILED, StatementState.ABSTAINED):
        if state in states:
            return state.value
    return ""


def _rules(policy: Policy, latest: Collection[int]) -> dict[int, _Rule]:
    """The live rules by key, each with its state by the hash in its row."""
    said = Decision.objects.filter(rule=OuterRef("pk"), content_hash=OuterRef("content_hash"))
    asked = Question.objects.filter(rule=OuterRef("pk"))
    rows = Rule.objects.filter(policy=policy, retired_at=None).annotate(
        said=Subquery(said.order_by("-pk").values("verdict")[:1]),
        unanswered=Exists(asked.filter(answers=None)),
        answered=Exists(asked.exclude(answers=None)),
    )
    found: dict[int, _Rule] = {}
    unsure: set[int] = set()
    for row in rows.order_by("position", "pk", "sources__pk").values(
        *("pk", "uid", "content_hash", "unit", "said", "unanswered", "answered"),
        *("sources__lineage", "sources__part"),
    ):
        key = row["pk"]
        if key not in found:
            approved = bool(row["content_hash"]) and row["said"] == Verdict.APPROVE
            state = ReviewState.APPROVED if approved else ReviewState.WAITING
            found[key] = _Rule(row["uid"], row["unit"] is None, state)
            if row["unanswered"]:
                found[key].state = ReviewState.QUESTION_OPEN
            elif row["answered"] and not approved:
                unsure.add(key)
        if row["sources__lineage"]:
            found[key].sources.append((row["sources__lineage"], row["sources__part"]))
    for key in _with_open_questions({key: found[key] for key in unsure}, policy, latest):
        found[key].state = ReviewState.QUESTION_OPEN
    return found


def _with_open_questions(
    rules: Mapping[int, _Rule], policy: Policy, latest: Collection[int]
) -> set[int]:
    """Of rules whose questions are all answered, those with an answer that does not count.

    No rule is approved over an open question, so one that is approved as it stands
    need not be looked at.
    """
    if not rules:
        return set()
    wanted = {lineage for rule in rules.values() for lineage, _ in rule.sources}
    present = sentences_by_lineage(policy, wanted, latest)
    asked: dict[int, tuple[int, str, set[str]]] = {}
    rows = Question.objects.filter(rule__in=rules)
    fields = ("pk", "rule", "text", "readings", "answers__content_hash")
    for pk, rule, text, readings, answer in rows.values_list(*fields):
        if pk not in asked:
            sources = [
                source_in(present[lineage], part)
                for lineage, part in rules[rule].sources
                if lineage in present
            ]
            asked[pk] = (rule, question_hash(text, readings, sources), set())
        asked[pk][2].add(answer)
    return {rule for rule, present_hash, answers in asked.values() if present_hash not in answers}


def _marks(policy: Policy) -> dict[tuple[str, str], str]:
    """The kind of the latest mark by lineage and by the content that it was made on."""
    rows = SentenceMark.objects.filter(policy=policy).order_by("pk")
    return {
        (lineage, content): kind
        for lineage, content, kind in rows.values_list("lineage", "content_hash", "kind")
    }


def _statements(policy: Policy) -> dict[str, set[str]]:
    """The states of what the latest unit that speaks of a sentence says of it."""
    rows = Statement.objects.filter(unit__policy=policy, sentence__isnull=False)
    return {lineage: set(states) for lineage, states in _of_latest_unit(rows, "state").items()}


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
