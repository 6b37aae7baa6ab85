"""Compares what translators made of a span with its draft, one group of rules after another.

Rules and sentences that belong together (a list with its lead-in) are one group: its rules
together are compared with all that a translator made of its sentences. What is undecided
is said to be so, and never counts as the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from policywright.comparison import Comparison as Compared
from policywright.comparison import Differ, Same, TellingCase, Undecided, written_alike
from policywright.errors import PolicywrightError
from policywright.model import Kind, PolicyModel
from policywright.solver_pool import POOL
from policywright.solving import SolverProcess
from policywright.terms import FALSE, TRUE, Term, and_
from translation.ensemble.asking_owners import question_about
from translation.ensemble.translators import Translated
from translation.formalizers import (
    Cancelled,
    CancelledError,
    QuestionDraft,
    RuleDraft,
    UnitDraft,
)
from translation.merging.duplicates import meaning
from translation.models import Comparison, TranslationState

# For a span with all its translators; nearly all take less than a second.
SECONDS = 60

# A reading that is one of these leaves nothing to choose.
_IDLE = (TRUE, FALSE)
_SAYS_NOTHING = "it says the same whatever the case is"

_BY_WORD = {Same: Comparison.SAME, Differ: Comparison.DIFFERS, Undecided: Comparison.UNDECIDED}


@dataclass(frozen=True)
class Group:
    """Rules of a draft and the sentences that they come from, by their indexes."""

    rules: tuple[int, ...]
    sentences: tuple[int, ...]


@dataclass(frozen=True)
class TranslationDraft:
    """A translation of one sentence; `rules` are the indexes that it was compared with."""

    translator: str
    said: Translated
    comparison: Comparison
    rules: tuple[int, ...]
    reason: str = ""


@dataclass(frozen=True)
class Ensemble:
    """What further translators made of a draft, and what that leaves to ask."""

    translations: tuple[TranslationDraft, ...] = ()
    questions: tuple[QuestionDraft, ...] = ()


@dataclass
class OtherReading:
    """What some translators say together that the draft does not; `case` tells them apart."""

    terms: tuple[Term, ...]
    case: TellingCase
    translators: list[str] = field(default_factory=list)


def groups_of(rules: Sequence[RuleDraft]) -> list[Group]:
    """The rules that share sentences, however indirectly; in the order of their first rules."""
    groups: list[tuple[list[int], set[int]]] = []
    for number, rule in enumerate(rules):
        if rule.kind not in (Kind.RULE, Kind.DEFINITION):
            continue
        own, sentences = [number], set(rule.sentences)
        for group in [one for one in groups if one[1] & sentences]:
            groups.remove(group)
            own, sentences = [*group[0], *own], sentences | group[1]
        groups.append((own, sentences))
    found = [Group(tuple(sorted(own)), tuple(sorted(of))) for own, of in groups]
    return sorted(found, key=lambda group: group.rules)


def compare_translations(
    draft: UnitDraft,
    model: PolicyModel,
    said: Mapping[str, Sequence[Translated]],
    *,
    cancelled: Cancelled,
) -> Ensemble:
    """`said` maps each translator's name to its sentences; `model` holds all declarations.

    Only assumptions count of the model's rules. What is not compared within SECONDS is
    undecided. Raises CancelledError.
    """
    by_sentence = {
        name: {one.sentence: one for one in translated} for name, translated in said.items()
    }
    translations: list[TranslationDraft] = []
    questions: list[QuestionDraft] = []
    until = time.monotonic() + SECONDS
    with POOL.solver() as solver:
        for group in groups_of(draft.rules):
            if cancelled():
                raise CancelledError
            comparing = _Comparing(group, draft, model, solver, until)
            for name, sentences in by_sentence.items():
                own = [sentences[index] for index in group.sentences if index in sentences]
                translations += comparing.add(name, own)
            question = comparing.question(1 + len(said))
            if question is not None:
                questions.append(question)
    return Ensemble(tuple(translations), tuple(questions))


class _Comparing:
    """One group, compared with one translator after the other."""

    def __init__(
        self,
        group: Group,
        draft: UnitDraft,
        model: PolicyModel,
        solver: SolverProcess,
        until: float,
    ) -> None:
        self.group, self.draft, self.model = group, draft, model
        self.solver, self.until = solver, until
        self.rules = dict(_told_apart(group, draft))
        self.same = 0
        self.others: list[OtherReading] = []

    def add(self, name: str, said: Sequence[Translated]) -> Iterator[TranslationDraft]:
        """What a translator made of the group's sentences, each with how it stands to the draft."""
        terms = tuple(term for one in said for term in one.terms)
        failed = any(one.state is TranslationState.FAILED for one in said)
        compared: Compared | None = None
        if terms and not failed:
            abstained = {one.sentence for one in said if one.state is TranslationState.ABSTAINED}
            terms, compared = self._compared(terms, abstained)
            self._count(name, terms, compared)
        for one in said:
            known = compared if one.state is TranslationState.TRANSLATED else None
            word = Comparison.NONE if known is None else _BY_WORD[type(known)]
            why = known.reason if isinstance(known, Undecided) else one.reason
            yield TranslationDraft(name, one, word, self.group.rules, why)

    def question(self, count: int) -> QuestionDraft | None:
        """What to ask about the readings that differ; None where there are none, or it is asked."""
        if not self.others:
            return None
        # Sorting is stable: of two as frequent the one that came first stays first.
        others = sorted(self.others, key=lambda one: -len(one.translators))
        asked = question_about(self.rules, others, self.says_same, self.model, 1 + self.same, count)
        known = [one for one in self.draft.questions if one.rule == asked.rule]
        return None if any(self._covers(one, asked) for one in known) else asked

    def compare(self, first: Sequence[Term], second: Sequence[Term]) -> Compared:
        if written_alike(first, second):
            return Same()
        if time.monotonic() >= self.until:
            return Undecided(f"comparing this section took more than {SECONDS} seconds")
        try:
            return self.solver.compare(self.model, first, second)
        except PolicywrightError as error:
            return Undecided(str(error))

    def says_same(self, one: Term, other: Term) -> bool:
        return isinstance(self.compare([one], [other]), Same)

    def _compared(
        self, terms: tuple[Term, ...], abstained: set[int]
    ) -> tuple[tuple[Term, ...], Compared | None]:
        """What a translator reads, and how that stands to the draft.

        A rule whose own sentences it left alone stands as drafted: it does not say that the
        rule goes. None where it then says nothing else: it spoke of a part only. What says
        the same whatever the case is is no reading.
        """
        compared = self.compare(tuple(self.rules.values()), terms)
        if isinstance(compared, Differ) and any(self.says_same(and_(*terms), one) for one in _IDLE):
            return terms, Undecided(_SAYS_NOTHING)
        left = tuple(term for number, term in self.rules.items() if self._own(number) <= abstained)
        if not left or isinstance(compared, Same):
            return terms, compared
        whole = (*terms, *left)
        compared = self.compare(tuple(self.rules.values()), whole)
        return whole, None if isinstance(compared, Same) else compared

    def _own(self, number: int) -> set[int]:
        """The sentences that no other rule of the group comes from; all where each is shared."""
        sentences = set(self.draft.rules[number].sentences)
        others = (self.draft.rules[other].sentences for other in self.rules if other != number)
        return sentences.difference(*others) or sentences

    def _count(self, name: str, terms: tuple[Term, ...], compared: Compared | None) -> None:
        if isinstance(compared, Same):
            self.same += 1
        if not isinstance(compared, Differ):
            return
        for other in self.others:
            if isinstance(self.compare(other.terms, terms), Same):
                other.translators.append(name)
                return
        self.others.append(OtherReading(terms, compared.case, [name]))

    def _covers(self, known: QuestionDraft, asked: QuestionDraft) -> bool:
        """Whether a question that the draft has offers all readings of another one already."""
        if any(reading.told and reading.told.retires for reading in asked.readings):
            return False
        return all(
            any(self.says_same(reading.term, one.term) for one in known.readings)
            for reading in asked.readings
        )


def _told_apart(group: Group, draft: UnitDraft) -> Iterator[tuple[int, Term]]:
    """The group's rules by index; of those that say the same, and become one row, the first."""
    seen = set[tuple[str, str]]()
    for number in group.rules:
        rule = draft.rules[number]
        said = meaning(rule.term, rule.kind)
        if said not in seen:
            seen.add(said)
            yield number, rule.term
