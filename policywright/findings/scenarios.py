"""Two nearest scenarios for a claim that is left open, and the facts it depends on.

A set of unstated facts decides a claim if some values of them make it VALID or
INVALID. The smallest such set is looked for by size, in document order; values
tried are those at which a rule changes its mind. The two scenarios then agree on
every other fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from policywright.checks import written_out
from policywright.evaluate import Value, holds
from policywright.findings.finding import Scenarios
from policywright.findings.minimal import NotDecidedError
from policywright.model import PolicyModel, Role, Variable
from policywright.solver import Session, Status
from policywright.sorts import BOOL, INT
from policywright.terms import (
    EQUALITIES,
    ORDERINGS,
    TRUE,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    and_,
    eq,
    not_,
    subterms,
)
from policywright.witness import Rounded, Witness

MAX_TRIES = 400
"""Questions asked in the search for the smallest set; beyond it a minimal set is given."""

MAX_SIZE = 3


def near_scenarios(
    session: Session,
    model: PolicyModel,
    terms: Sequence[Term],
    sides: tuple[int, int],
    base: Sequence[int],
) -> tuple[Scenarios, tuple[str, ...], bool]:
    """(scenarios, ids of the facts it depends on, whether no fact can decide it).

    `sides` are the numbers of the claim and of its negation in the session, `base`
    those of rules and facts; each side is known to be possible.
    """
    return _Search(session, model, terms, sides, base).result()


class _Search:
    def __init__(
        self,
        session: Session,
        model: PolicyModel,
        terms: Sequence[Term],
        sides: tuple[int, int],
        base: Sequence[int],
    ) -> None:
        self.session, self.model, self.base = session, model, list(base)
        self.holds, self.fails = sides
        self.terms = [written_out(model, term) for term in terms]
        rule_count = len(model.rules)
        self.stated = set(_fixed(self.terms[rule_count:-1]))
        connected = _connected(self.terms)
        self.facts = [
            variable
            for variable in model.variables
            if variable.role is Role.FACT
            and variable.id not in self.stated
            and variable.id in connected
        ]
        self.tries = 0

    def result(self) -> tuple[Scenarios, tuple[str, ...], bool]:
        for size in range(1, min(MAX_SIZE, len(self.facts)) + 1):
            for chosen in combinations(self.facts, size):
                for values in product(*(self._candidates(v) for v in chosen)):
                    found = self._decided(chosen, values)
                    if found is not None:
                        return found, tuple(v.id for v in chosen), False
                    if self.tries > MAX_TRIES:
                        return self._from_whole_cases()
        return self._from_whole_cases()

    def _decided(self, chosen: Sequence[Variable], values: Sequence[Value]) -> Scenarios | None:
        """Two scenarios if these values decide the claim; the other side differs only here."""
        fixed = [self._equals(v, value) for v, value in zip(chosen, values, strict=True)]
        can_hold = self._possible([*fixed, self.holds])
        can_fail = self._possible([*fixed, self.fails])
        if (can_hold is None) is (can_fail is None):
            return None
        decided, other_side = (can_hold or can_fail), self.fails if can_hold else self.holds
        assert decided is not None
        pair = self._pair(chosen, fixed, decided, other_side)
        if pair is None:
            return None
        decided, other = self._closer(chosen, *pair, other_side)
        return Scenarios(decided, other) if can_hold else Scenarios(other, decided)

    def _pair(
        self, chosen: Sequence[Variable], fixed: Sequence[int], decided: Witness, other_side: int
    ) -> tuple[Witness, Witness] | None:
        """Both sides with all other facts alike, taking them from one side or the other."""
        other = self._possible([*self._rest(chosen, decided), other_side])
        if other is not None:
            return decided, other
        other = self._possible([other_side])
        assert other is not None
        again = self._possible([*self._rest(chosen, other), *fixed])
        return (again, other) if again is not None else None

    def _closer(
        self, chosen: Sequence[Variable], decided: Witness, other: Witness, other_side: int
    ) -> tuple[Witness, Witness]:
        """For one number: the two neighbouring values between which the claim turns."""
        if len(chosen) != 1 or not chosen[0].sort.is_number:
            return decided, other
        variable = chosen[0]
        this_side = self.fails if other_side == self.holds else self.holds
        rest = self._rest(chosen, decided)
        near, far = decided.values[variable.id], other.values[variable.id]
        if isinstance(near, Rounded) or isinstance(far, Rounded):
            return decided, other
        between = [
            value
            for value in sorted(self._candidates(variable), key=_as_fraction)
            if _between(value, near, far)
        ]
        if _as_fraction(far) < _as_fraction(near):
            between.reverse()
        for value in between:
            at = self._equals(variable, value)
            turned = self._possible([*rest, at, other_side])
            if turned is not None:
                return decided, turned
            same = self._possible([*rest, at, this_side])
            decided = same if same is not None else decided
        return decided, other

    def _from_whole_cases(self) -> tuple[Scenarios, tuple[str, ...], bool]:
        """Fix every unstated fact as in a scenario; what its core needs, decides.

        If no whole case decides the claim, none of its facts can: the policy is silent.
        """
        for side, opposite in ((self.holds, self.fails), (self.fails, self.holds)):
            for case in self._cases(side):
                found = self._minimised(case, opposite)
                if found is not None:
                    chosen, other = found
                    pair = (case, other) if side == self.holds else (other, case)
                    return Scenarios(*pair), chosen, False
        holds, fails = self._possible([self.holds]), None
        assert holds is not None
        fails = self._possible([*self._rest((), holds), self.fails])
        if fails is None:
            fails = self._possible([self.fails])
        assert fails is not None
        return Scenarios(holds, fails), (), True

    def _cases(self, side: int) -> Iterator[Witness]:
        """Cases of one side that differ in some condition on facts alone."""
        conditions = self._conditions()
        blocked: list[int] = []
        while self.tries <= 3 * MAX_TRIES:
            case = self._possible([side, *blocked])
            if case is None:
                return
            yield case
            pattern = [c if self._true_in(c, case) else not_(c) for c in conditions]
            if not pattern:
                return
            blocked.append(self.session.add(not_(and_(*pattern))))

    def _conditions(self) -> list[Term]:
        """Every comparison or Boolean of the rules that reads unstated facts only."""
        facts = {variable.id for variable in self.facts}
        found: dict[Term, None] = {}
        for term in self.terms:
            for node in subterms(term):
                atom = isinstance(node, Symbol) or (
                    isinstance(node, Apply) and node.op in ORDERINGS | EQUALITIES
                )
                names = {n.id for n in subterms(node) if isinstance(n, Symbol)}
                if node.sort == BOOL and atom and names and names <= facts | self.stated:
                    found[node] = None
        return list(found)

    def _true_in(self, condition: Term, case: Witness) -> bool:
        return holds(condition, case.assignment(), self.model) if case.exact else True

    def _minimised(self, case: Witness, opposite: int) -> tuple[tuple[str, ...], Witness] | None:
        numbers = {v.id: self._equals_in(v, case) for v in self.facts}
        if self._possible([*numbers.values(), opposite]) is not None:
            return None
        needed = list(self.facts)
        for variable in self.facts:
            rest = [numbers[v.id] for v in needed if v is not variable]
            if self._possible([*rest, opposite]) is None:
                needed.remove(variable)
        rest = [numbers[v.id] for v in self.facts if v not in needed]
        other = self._possible([*rest, opposite]) or self._possible([opposite])
        assert other is not None
        return tuple(variable.id for variable in needed), other

    def _rest(self, chosen: Sequence[Variable], case: Witness) -> list[int]:
        return [self._equals_in(v, case) for v in self.facts if v not in chosen]

    def _equals_in(self, variable: Variable, case: Witness) -> int:
        value = case.values[variable.id]
        if isinstance(value, Rounded):
            return self.session.add(TRUE)
        return self._equals(variable, value)

    def _equals(self, variable: Variable, value: Value) -> int:
        return self.session.add(eq(variable.symbol, Literal(value, variable.sort)))

    def _possible(self, numbers: Sequence[int]) -> Witness | None:
        self.tries += 1
        status = self.session.check([*self.base, *numbers])
        if status is Status.UNKNOWN:
            raise NotDecidedError
        return self.session.witness() if status is Status.SAT else None

    def _candidates(self, variable: Variable) -> list[Value]:
        """Values at which a rule may change its mind about a variable."""
        if variable.sort == BOOL:
            return [True, False]
        if variable.sort.is_enumeration:
            datatype = self.model.datatype_by_id[variable.sort.key]
            return [value.id for value in datatype.values]
        found: set[Fraction] = set()
        for term in self.terms:
            for node in subterms(term):
                if isinstance(node, Apply) and node.op in ORDERINGS | {Op.EQ}:
                    found |= _constants_beside(node, variable)
        step = Fraction(1) if variable.sort == INT else Fraction(1, 100)
        values = {base + offset for base in found for offset in (-step, Fraction(0), step)}
        if variable.sort == INT:
            return [int(value) for value in sorted(values) if value.denominator == 1]
        return sorted(values)


def _constants_beside(node: Apply, variable: Variable) -> set[Fraction]:
    left, right = node.args
    for one, other in ((left, right), (right, left)):
        beside = isinstance(one, Symbol) and one.id == variable.id
        if beside and isinstance(other, Literal) and isinstance(other.value, (int, Fraction)):
            return {Fraction(other.value)}
    return set()


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


def _connected(terms: Sequence[Term]) -> set[str]:
    """Ids of the variables that the claim (the last term) is connected with through terms."""
    names = [{n.id for n in subterms(term) if isinstance(n, Symbol)} for term in terms]
    reached = set(names[-1])
    pending = names[:-1]
    while True:
        near = [group for group in pending if group & reached]
        if not near:
            return reached
        pending = [group for group in pending if not group & reached]
        reached.update(*near)


def _as_fraction(value: Value) -> Fraction:
    assert isinstance(value, (int, Fraction))
    return Fraction(value)


def _between(value: Value, near: Value, far: Value) -> bool:
    low, high = sorted((_as_fraction(near), _as_fraction(far)))
    return low < _as_fraction(value) < high
