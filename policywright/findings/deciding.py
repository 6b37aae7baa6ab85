"""Which missing facts would decide a claim that is left open.

A set of unstated facts decides the claim if some values of them make it VALID or
INVALID. Fixing every fact as in a scenario and asking for the other side gives
such a set as an unsat core, or shows that this case stays open. Cases that stay
open are ruled out by the region of facts for which both sides remain possible,
until a deciding case is found or none is left: then the policy is silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

from policywright.checks import written_out
from policywright.evaluate import Value
from policywright.findings.finding import Scenarios
from policywright.findings.minimal import NotDecidedError, minimal_core
from policywright.model import PolicyModel, Role, Variable
from policywright.solver import Session, Status
from policywright.sorts import BOOL, INT
from policywright.terms import (
    ORDERINGS,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    eq,
    or_,
    subterms,
)
from policywright.witness import Witness

MAX_CASES = 40
"""Open cases ruled out before the search for a deciding one is given up."""

MAX_PAIRS = 400
"""Values of single facts looked at; beyond it a minimal set is given, not a smallest."""

MAX_TRIES = 200


@dataclass(frozen=True)
class Deciding:
    """Facts that decide the claim, a case in which they do, and the side they decide it to."""

    facts: tuple[Variable, ...]
    case: Witness
    side: int


class Questions:
    """A session with the claim's two sides, and the questions asked of it here."""

    def __init__(
        self,
        session: Session,
        model: PolicyModel,
        terms: Sequence[Term],
        sides: tuple[int, int],
        base: Sequence[int],
    ) -> None:
        self.session, self.model, self.terms = session, model, terms
        self.holds, self.fails = sides
        self.base = list(base)
        stated = set(_fixed(terms[len(session.rules) : -1]))
        known = session.known_variables()
        self.facts = [
            v
            for v in model.variables
            if v.role is Role.FACT and v.id in known and v.id not in stated
        ]
        self._equal: dict[tuple[str, Value], int] = {}

    def other(self, side: int) -> int:
        return self.fails if side == self.holds else self.holds

    def possible(self, numbers: Sequence[int]) -> Witness | None:
        """A case of rules and facts with these assertions too; None if there is none."""
        status = self.session.check([*self.base, *numbers])
        if status is Status.UNKNOWN:
            raise NotDecidedError
        return self.session.witness() if status is Status.SAT else None

    def clash(self, numbers: Sequence[int]) -> frozenset[int] | None:
        status = self.session.check([*self.base, *numbers])
        if status is Status.UNKNOWN:
            raise NotDecidedError
        return self.session.core() if status is Status.UNSAT else None

    def equal(self, wanted: Sequence[tuple[Variable, Value]]) -> list[int]:
        """Numbers of `variable = value`, added at once where they are new."""
        new = [(v, value) for v, value in wanted if (v.id, value) not in self._equal]
        if new:
            terms = [eq(v.symbol, Literal(value, v.sort)) for v, value in new]
            for (v, value), number in zip(new, self.session.add_all(terms), strict=True):
                self._equal[v.id, value] = number
        return [self._equal[v.id, value] for v, value in wanted]

    def as_in(self, case: Witness, variables: Sequence[Variable]) -> list[int]:
        """Numbers that fix variables as in a case; a rounded value fixes nothing."""
        exact = case.assignment()
        return self.equal([(v, exact[v.id]) for v in variables if v.id in exact])

    def candidates(self, variable: Variable) -> list[Value]:
        """Values at which a rule may change its mind about a variable."""
        if variable.sort == BOOL:
            return [True, False]
        if variable.sort.is_enumeration:
            datatype = self.model.datatype_by_id[variable.sort.key]
            return [value.id for value in datatype.values]
        found = self._thresholds.get(variable.id, set())
        step = Fraction(1) if variable.sort == INT else Fraction(1, 100)
        values = sorted({base + d for base in found for d in (-step, Fraction(0), step)})
        if variable.sort == INT:
            return [int(value) for value in values if value.denominator == 1]
        return list(values)

    @cached_property
    def _thresholds(self) -> Mapping[str, set[Fraction]]:
        found: dict[str, set[Fraction]] = {}
        for term in self.terms:
            for node in subterms(written_out(self.model, term)):
                if isinstance(node, Apply) and node.op in ORDERINGS | {Op.EQ}:
                    _constants_beside(node, found)
        return found


def find_deciding(questions: Questions, first: Scenarios) -> tuple[Deciding | None, bool]:
    """(the smallest deciding facts found, whether it is certain that there are none)."""
    starts = ((first.holds, questions.holds), (first.fails, questions.fails))
    found = [d for case, side in starts if (d := _decided_by(questions, case, side)) is not None]
    if not found:
        decided, silent = _search_cases(questions)
        if decided is None:
            return None, silent
        found = [decided]
    best = min(found, key=lambda d: len(d.facts))
    if len(best.facts) > 1:
        best = _single(questions, first, best) or best
    if len(best.facts) > 2:
        best = _pair(questions) or best
    return best, False


def _decided_by(questions: Questions, case: Witness, side: int) -> Deciding | None:
    """A minimal set of facts whose values in this case decide the claim; None if it is open."""
    exact = case.assignment()
    facts = [v for v in questions.facts if v.id in exact]
    numbers = questions.as_in(case, facts)
    opposite = questions.other(side)
    core = questions.clash([*numbers, opposite])
    if core is None:
        return None
    needed, _ = minimal_core(numbers, [opposite], core, questions.clash)
    return Deciding(tuple(facts[numbers.index(n)] for n in needed), case, side)


def _search_cases(questions: Questions) -> tuple[Deciding | None, bool]:
    blocked: list[int] = []
    for side in (questions.holds, questions.fails):
        while True:
            case = questions.possible([side, *blocked])
            if case is None:
                break
            numbers = questions.as_in(case, questions.facts)
            other = questions.possible([*numbers, questions.other(side)])
            if other is None:
                return _decided_by(questions, case, side), False
            pair = (case, other) if side == questions.holds else (other, case)
            stuck = len(blocked) >= MAX_CASES or not (case.exact and other.exact)
            if stuck or not questions.session.is_whole:
                return None, False
            blocked.append(_rule_out(questions, *pair))
    return None, True


def _rule_out(questions: Questions, holds: Witness, fails: Witness) -> int:
    """Exclude the facts for which what follows in either case may still follow."""
    facts = {variable.id for variable in questions.facts}
    parts = []
    for case, side in ((holds, questions.holds), (fails, questions.fails)):
        values = {i: v for i, v in case.assignment().items() if i not in facts}
        parts.append(([*questions.base, side], values))
    return questions.session.add_not_both(parts)


def _single(questions: Questions, first: Scenarios, best: Deciding) -> Deciding | None:
    """One fact with one value that decides: a value that one side never takes."""
    pairs = [(v, value) for v in questions.facts for value in questions.candidates(v)]
    pairs = pairs[:MAX_PAIRS]
    seen = {questions.holds: [first.holds], questions.fails: [first.fails]}
    missing = {side: _never_taken(questions, pairs, side, seen[side]) for side in seen}
    for variable, value in pairs:
        for side, opposite in (
            (questions.holds, questions.fails),
            (questions.fails, questions.holds),
        ):
            if (variable.id, value) in missing[opposite]:
                case = questions.possible([*questions.equal([(variable, value)]), side])
                if case is not None:
                    return Deciding((variable,), case, side)
    return None


def _never_taken(
    questions: Questions,
    pairs: Sequence[tuple[Variable, Value]],
    side: int,
    seen: list[Witness],
) -> set[tuple[str, Value]]:
    """The pairs that no case of a side has; each question clears all that its case has."""
    left = {(v.id, value): v for v, value in pairs}
    while True:
        for case in seen:
            for variable_id, value in case.assignment().items():
                left.pop((variable_id, value), None)
        if not left:
            return set()
        options = [eq(v.symbol, Literal(value, v.sort)) for (_, value), v in left.items()]
        found = questions.possible([questions.session.add(or_(*options)), side])
        if found is None:
            return set(left)
        seen[:] = [found]


def _pair(questions: Questions) -> Deciding | None:
    """Two facts that decide, looked for among few facts only."""
    tries = 0
    for chosen in combinations(questions.facts, 2):
        for values in product(*(questions.candidates(v) for v in chosen)):
            tries += 1
            if tries > MAX_TRIES:
                return None
            numbers = questions.equal(list(zip(chosen, values, strict=True)))
            can = {s: questions.possible([*numbers, s]) for s in (questions.holds, questions.fails)}
            for side, case in can.items():
                if case is not None and can[questions.other(side)] is None:
                    return Deciding(chosen, case, side)
    return None


def _constants_beside(node: Apply, found: dict[str, set[Fraction]]) -> None:
    left, right = node.args
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Symbol) and isinstance(other, Literal):
            value = other.value
            if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
                found.setdefault(one.id, set()).add(Fraction(value))


def _fixed(facts: Sequence[Term]) -> Iterator[str]:
    """Ids of variables that a fact sets to one value."""
    for fact in facts:
        if isinstance(fact, Symbol):
            yield fact.id
        elif isinstance(fact, Apply) and fact.op is Op.AND:
            yield from _fixed(fact.args)
        elif isinstance(fact, Apply) and fact.op is Op.NOT and isinstance(fact.args[0], Symbol):
            yield fact.args[0].id
        elif isinstance(fact, Apply) and fact.op is Op.EQ:
            left, right = fact.args
            if isinstance(left, Symbol) and isinstance(right, Literal):
                yield left.id
            elif isinstance(right, Symbol) and isinstance(left, Literal):
                yield right.id
