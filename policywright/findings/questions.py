"""The questions asked of a session about a claim: what can hold together, what clashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from policywright.evaluate import Value
from policywright.findings.minimal import NotDecidedError
from policywright.model import PolicyModel, Role, Variable
from policywright.solver import Limits, Session, Status, compiled
from policywright.sorts import BOOL, INT
from policywright.terms import Apply, Literal, Op, Symbol, Term, eq
from policywright.witness import Rounded, Witness


@dataclass(frozen=True)
class Deciding:
    """Facts that decide the claim, a case in which they do, and whether the claim holds in it."""

    facts: tuple[Variable, ...]
    case: Witness
    side: bool


class Questions:
    """A session with a claim and its denial, and the questions asked of it here.

    `terms` are the rules of the session, the facts given and the claim; `sides` are the
    numbers of the claim and of its denial, `base` those that are always held.
    """

    def __init__(
        self,
        session: Session,
        model: PolicyModel,
        terms: Sequence[Term],
        sides: tuple[int, int],
        base: Sequence[int],
    ) -> None:
        self.session, self.model, self.terms = session, model, terms
        self.base, self._sides = list(base), sides
        stated = set(_fixed(self.given))
        by_id = model.variable_by_id
        order = compiled(model).place_of
        known = sorted(session.known_variables(), key=order.__getitem__)
        variables = [by_id[i] for i in known if i not in stated]
        self.facts = [v for v in variables if v.role is Role.FACT]
        self.others = [v for v in variables if v.role is not Role.FACT]
        self._equal: dict[tuple[str, Value], int] = {}

    @property
    def given(self) -> Sequence[Term]:
        return self.terms[len(self.session.rules) : -1]

    def side(self, holds: bool) -> int:
        """The number of the claim, or of its denial."""
        return self._sides[0] if holds else self._sides[1]

    def possible(self, numbers: Sequence[int]) -> Witness | None:
        """A case of rules and facts with these assertions too; None if there is none."""
        return self.session.witness() if self.can_hold(numbers) else None

    def can_hold(self, numbers: Sequence[int]) -> bool:
        status = self.session.check([*self.base, *numbers])
        if status is Status.UNKNOWN:
            raise NotDecidedError
        return status is Status.SAT

    def clash(self, numbers: Sequence[int]) -> frozenset[int] | None:
        return None if self.can_hold(numbers) else self.session.core()

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
        values = ((v, case.values[v.id]) for v in variables)
        return self.equal([(v, x) for v, x in values if not isinstance(x, Rounded)])

    def candidates(self, variable: Variable) -> list[Value]:
        """Values at which a rule may change its mind about a variable."""
        if variable.sort == BOOL:
            return [True, False]
        if variable.sort.is_enumeration:
            datatype = self.model.datatype_by_id[variable.sort.key]
            return [value.id for value in datatype.values]
        found = self._thresholds(variable)
        step = Fraction(1) if variable.sort == INT else Fraction(1, 100)
        values = sorted({base + d for base in found for d in (-step, Fraction(0), step)})
        if variable.sort == INT:
            return [int(value) for value in values if value.denominator == 1]
        return list(values)

    def _thresholds(self, variable: Variable) -> set[Fraction]:
        """The numbers that rules, facts and claim compare a variable with."""
        return set().union(*(limits.get(variable.id, ()) for limits in self._limits))

    @cached_property
    def _limits(self) -> list[Limits]:
        prepared, rules = compiled(self.model), self.session.rules
        stated = self.terms[len(rules) :]
        return [*map(prepared.rule_limits, rules), *map(prepared.limits, stated)]


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
