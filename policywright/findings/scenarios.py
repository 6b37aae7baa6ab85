"""Two near scenarios for a claim that is left open: alike in every fact but those that decide.

Where one number decides, the two stand on either side of the value at which the
claim turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from policywright.evaluate import Value
from policywright.findings.deciding import find_deciding
from policywright.findings.finding import Scenarios
from policywright.findings.questions import Deciding, Questions
from policywright.model import PolicyModel
from policywright.solver import Session
from policywright.terms import Term
from policywright.witness import Rounded, Witness


def near_scenarios(
    session: Session,
    model: PolicyModel,
    terms: Sequence[Term],
    sides: tuple[int, int],
    base: Sequence[int],
    first: Scenarios,
) -> tuple[Scenarios, tuple[str, ...], bool]:
    """(scenarios, ids of the facts it depends on, whether no fact can decide it).

    `sides` are the numbers of the claim and of its negation in the session, `base`
    those of rules and facts, `terms` the rules of the slice, the facts and the claim, in the
    same order;
    `first` is a case of each side.
    """
    questions = Questions(session, model, terms, sides, base)
    deciding, silent = find_deciding(questions, first)
    if deciding is None:
        return _alike(questions, first), (), silent
    decided, other = _pair(questions, deciding)
    if len(deciding.facts) == 1 and deciding.facts[0].sort.is_number:
        decided, other = _closer(questions, deciding, decided, other)
    scenarios = Scenarios(decided, other) if deciding.side else Scenarios(other, decided)
    return scenarios, tuple(variable.id for variable in deciding.facts), False


def _alike(questions: Questions, first: Scenarios) -> Scenarios:
    """For a silent policy: two cases with the same facts, if there are such."""
    same = questions.as_in(first.holds, questions.facts)
    fails = questions.possible([*same, questions.side(False)])
    return Scenarios(first.holds, fails) if fails is not None else first


def _pair(questions: Questions, deciding: Deciding) -> tuple[Witness, Witness]:
    """The deciding case and one of the other side, with all other facts alike if possible."""
    opposite = questions.side(not deciding.side)
    rest = [v for v in questions.facts if v not in deciding.facts]
    other = questions.possible([*questions.as_in(deciding.case, rest), opposite])
    if other is not None:
        return deciding.case, other
    other = questions.possible([opposite])
    assert other is not None
    here = questions.as_in(deciding.case, deciding.facts)
    again = questions.possible([*questions.as_in(other, rest), *here])
    return (again, other) if again is not None else (deciding.case, other)


def _closer(
    questions: Questions, deciding: Deciding, decided: Witness, other: Witness
) -> tuple[Witness, Witness]:
    """The two neighbouring values of one number between which the claim turns."""
    (variable,) = deciding.facts
    near, far = decided.values[variable.id], other.values[variable.id]
    if isinstance(near, Rounded) or isinstance(far, Rounded):
        return decided, other
    rest = questions.as_in(decided, [v for v in questions.facts if v is not variable])
    for value in _between(questions.candidates(variable), near, far):
        at = questions.equal([(variable, value)])
        turned = questions.possible([*rest, *at, questions.side(not deciding.side)])
        if turned is not None:
            return decided, turned
        same = questions.possible([*rest, *at, questions.side(deciding.side)])
        decided = same if same is not None else decided
    return decided, other


def _between(candidates: Sequence[Value], near: Value, far: Value) -> list[Value]:
    """The candidates strictly between two values, from the near one on."""
    low, high = sorted((_fraction(near), _fraction(far)))
    between = [value for value in candidates if low < _fraction(value) < high]
    return between if _fraction(near) < _fraction(far) else between[::-1]


def _fraction(value: Value) -> Fraction:
    assert isinstance(value, (int, Fraction))
    return Fraction(value)
