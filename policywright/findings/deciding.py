"""Which missing facts would decide a claim that is left open: the fewest that do.

A set of unstated facts decides the claim if some values of them make it VALID or
INVALID.
"""

from __future__ import annotations

from itertools import combinations, product

from policywright.evaluate import Value
from policywright.findings.finding import Scenarios
from policywright.findings.questions import Deciding, Questions
from policywright.findings.silence import decided_by, inner_questions, search_cases
from policywright.witness import Witness

MAX_PAIRS = 400
"""Values of single facts looked at; beyond it a minimal set is given, not a smallest."""

MAX_TRIES = 200


def find_deciding(questions: Questions, first: Scenarios) -> tuple[Deciding | None, bool]:
    """(the smallest deciding facts found, whether it is certain that there are none)."""
    inner = inner_questions(questions)
    starts = ((first.holds, True), (first.fails, False))
    found = [
        decided
        for case, side in starts
        if (decided := decided_by(questions, inner, case, side)) is not None
    ]
    if not found:
        decided, silent = search_cases(questions, inner)
        if decided is None:
            return None, silent
        found = [decided]
    best = min(found, key=lambda d: len(d.facts))
    if len(best.facts) > 1:
        best = _single(questions, first) or best
    if len(best.facts) > 2:
        best = _pair(questions) or best
    return best, False


def _single(questions: Questions, first: Scenarios) -> Deciding | None:
    """One fact with one value that decides: a value that one side never takes."""
    taken = {True: _pairs_of(first.holds), False: _pairs_of(first.fails)}
    pairs = [(v, value) for v in questions.facts for value in questions.candidates(v)]
    for variable, value in pairs[:MAX_PAIRS]:
        for side in (True, False):
            if (variable.id, value) in taken[not side]:
                continue
            numbers = questions.equal([(variable, value)])
            other = questions.possible([*numbers, questions.side(not side)])
            if other is not None:
                taken[not side] |= _pairs_of(other)
                continue
            case = questions.possible([*numbers, questions.side(side)])
            if case is not None:
                return Deciding((variable,), case, side)
    return None


def _pairs_of(case: Witness) -> set[tuple[str, Value]]:
    return set(case.assignment().items())


def _pair(questions: Questions) -> Deciding | None:
    """Two facts that decide, looked for among few facts only."""
    tries = 0
    for chosen in combinations(questions.facts, 2):
        for values in product(*(questions.candidates(v) for v in chosen)):
            tries += 1
            if tries > MAX_TRIES:
                return None
            numbers = questions.equal(list(zip(chosen, values, strict=True)))
            can = {s: questions.can_hold([*numbers, questions.side(s)]) for s in (True, False)}
            if can[True] is not can[False]:
                case = questions.possible([*numbers, questions.side(can[True])])
                assert case is not None, "a case that was possible is not so when asked again"
                return Deciding(chosen, case, can[True])
    return None
