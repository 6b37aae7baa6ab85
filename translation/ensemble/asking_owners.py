"""The question to the owner where translators read a group of rules otherwise than its draft.

It is about one of the rules. A reading that differs in that rule alone is a condition in
its place. One that says in one condition what several rules say takes the place of them:
it names those that go. One that says more has the rule and what is said besides; one that
says less names a rule that goes, and leaves the rest as it is. The text is ours, never a
model's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from policywright.english.asking import render_question
from policywright.finding_kinds import FindingKind
from policywright.model import PolicyModel
from policywright.terms import Term, and_
from translation.formalizers import QuestionDraft, Reading, Told
from translation.models import QuestionKind

if TYPE_CHECKING:
    from translation.ensemble.comparing import OtherReading

SaysSame = Callable[[Term, Term], bool]


@dataclass(frozen=True)
class _Matched:
    """A reading beside the draft: the rules that it has as they are, and what it says besides."""

    kept: frozenset[int]
    besides: tuple[Term, ...]


def question_about(
    rules: Mapping[int, Term],
    others: Sequence[OtherReading],
    says_same: SaysSame,
    model: PolicyModel,
    as_drafted: int,
    count: int,
) -> QuestionDraft:
    """`rules` are the group's by index, `as_drafted` of `count` translations read so."""
    matched = [_match(rules, other.terms, says_same) for other in others]
    changed = [number for number in rules if any(number not in one.kept for one in matched)]
    about = _about(list(rules), changed, matched)
    case = others[0].case
    readings = [
        Reading(
            _label(as_drafted, count, is_draft=True),
            rules[about],
            Told((), case.claim, _said(case.first), as_drafted),
        )
    ]
    for other, one in zip(others, matched, strict=True):
        term, retires = _as_reading(rules, about, changed, one)
        # In the case of the first, others may say anything: it is told where it is shown.
        says = _said(case.second) if other is others[0] else ""
        number = len(other.translators)
        told = Told(retires, case.claim, says, number)
        readings.append(Reading(_label(number, count), term, told))
    return QuestionDraft(
        about, QuestionKind.READING, render_question(model, case), dict(case.facts), tuple(readings)
    )


def _match(rules: Mapping[int, Term], terms: Sequence[Term], says_same: SaysSame) -> _Matched:
    """Each condition with a rule that says the same, if there is one, else once besides."""
    kept: set[int] = set()
    besides: list[Term] = []
    for term in terms:
        # What is said of each item of a list is said once; it stands for one rule.
        order = sorted(rules, key=lambda number: number in kept)
        found = next((number for number in order if says_same(rules[number], term)), None)
        if found is not None:
            kept.add(found)
        elif not any(says_same(one, term) for one in besides):
            besides.append(term)
    return _Matched(frozenset(kept), tuple(besides))


def _about(rules: Sequence[int], changed: Sequence[int], matched: Collection[_Matched]) -> int:
    """The first changed rule that something is left of in every reading, else the first one."""
    candidates = [*changed, *rules]
    return next(
        (
            number
            for number in candidates
            if all(one.besides or number in one.kept for one in matched)
        ),
        candidates[0],
    )


def _as_reading(
    rules: Mapping[int, Term], about: int, changed: Sequence[int], one: _Matched
) -> tuple[Term, tuple[int, ...]]:
    """What the rule says in a reading, and which rules then go."""
    parts = [rules[about]] if about in one.kept else []
    parts += one.besides
    retires = [number for number in changed if number != about and number not in one.kept]
    if not parts:
        # All that is left of this reading is another rule: it moves here.
        moved = min(one.kept)
        parts, retires = [rules[moved]], [*retires, moved]
    return and_(*parts), tuple(sorted(retires))


def _label(number: int, count: int, *, is_draft: bool = False) -> str:
    read = "reads" if number == 1 else "read"
    among = "" if not is_draft else ": the draft" if number == 1 else ", the draft among them"
    return f"{number} of {count} translations {read} it so{among}"


def _said(kind: FindingKind) -> str:
    return "" if kind is FindingKind.UNDECIDED else kind.value
