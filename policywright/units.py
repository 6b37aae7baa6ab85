"""Finds numbers that are compared or added although they are counted in different units.

A constant takes the unit it meets. Products combine units and quotients divide
them. A fixed ratio converts where the rule writes it: `7 × weeks` is a number of
days, `percentage ÷ 100` is a share. A constant may also be a price or a rate
between two kinds of things (`50 × nights` meets EUR), never between two units of
one kind: not between currencies, not percent and share by anything but 100.
A date minus a date is a number of days; a date plus days is a date. Where a
variable has no unit nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from policywright.model import PolicyModel
from policywright.sorts import BOOL
from policywright.terms import ARITHMETIC, EQUALITIES, ORDERINGS, Apply, Literal, Op, Symbol, Term
from policywright.terms import fold as fold_term
from policywright.unit_algebra import (
    DATE,
    DAYS,
    Measure,
    combine,
    has_currency,
    is_part,
    parse_unit,
    ratio,
    same_kind,
)

_DAYS = Measure(((DAYS, 1),))
_VERBS = {Op.ADD: "adds", Op.SUB: "subtracts", Op.ITE: "chooses between"}


@dataclass(frozen=True, slots=True)
class UnitProblem:
    """Two units that meet in a rule or a definition; `message` is one sentence."""

    rule_id: str
    message: str
    units: tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Constant:
    """Arithmetic of constants only: it takes the unit it meets."""

    value: Fraction | None


_Counted = Measure | _Constant | None  # None: nothing is known


def unit_problems(model: PolicyModel) -> tuple[UnitProblem, ...]:
    """Every pair of units that meet wrongly, definitions first, then rules in order."""
    known: dict[str, _Counted] = {v.id: parse_unit(v.unit) for v in model.variables}
    problems: list[UnitProblem] = []
    for definition in model.ordered_definitions:
        reading = _Reading(model, known, f"definition `{definition.name}`")
        known[definition.id] = fold_term(definition.term, reading.visit)
        problems += reading.problems(definition.id)
    for rule in model.rules:
        reading = _Reading(model, known, f"rule `{rule.name}`")
        fold_term(rule.term, reading.visit)
        problems += reading.problems(rule.id)
    return tuple(problems)


class _Reading:
    """One term, read for its units from the leaves up."""

    def __init__(self, model: PolicyModel, known: Mapping[str, _Counted], where: str) -> None:
        self.model = model
        self.known = known
        self.where = where
        self.found: dict[str, tuple[str, str]] = {}

    def problems(self, rule_id: str) -> Iterator[UnitProblem]:
        for message, units in self.found.items():
            yield UnitProblem(rule_id, message, units)

    def visit(self, node: Term, args: Sequence[_Counted]) -> _Counted:
        if isinstance(node, Symbol):
            return self.known.get(node.id)
        if isinstance(node, Literal):
            is_number = isinstance(node.value, (int, Fraction)) and node.sort.is_number
            return _Constant(Fraction(node.value)) if is_number else None
        if node.op in ORDERINGS or node.op in EQUALITIES:
            self.meet_all("compares", args)
            return None
        if node.op is Op.ITE:
            return self.meet_all(_VERBS[Op.ITE], args[1:]) if node.sort != BOOL else None
        return self.arithmetic(node, args) if node.op in ARITHMETIC else None

    def arithmetic(self, node: Apply, args: Sequence[_Counted]) -> _Counted:
        if node.op in (Op.TO_REAL, Op.TO_INT):
            return args[0]
        if node.op is Op.NEG:
            return self.scaled(args, Fraction(-1))
        if node.op is Op.ADD or node.op is Op.SUB:
            if any(isinstance(arg, Measure) and arg.is_date for arg in args):
                return self.of_dates(node.op, args)
            return self.meet_all(_VERBS[node.op], args)
        if node.op is Op.MUL:
            return self.product(args, ())
        return self.product(args[:1], args[1:])

    def meet_all(self, verb: str, args: Iterable[_Counted]) -> _Counted:
        """What amounts of one unit are counted in; two units are a problem."""
        result: _Counted = _Constant(None)
        for arg in args:
            if isinstance(arg, Measure) and isinstance(result, Measure):
                result = self.meet(verb, result, arg)
            elif not isinstance(result, Measure):
                result = arg if isinstance(arg, Measure) or result is not None else None
        # A sum of constants is one, whose value no conversion needs.
        return _Constant(None) if isinstance(result, _Constant) else result

    def meet(self, verb: str, left: Measure, right: Measure) -> Measure:
        """The unit of two amounts side by side, one of them converted where a factor does it."""
        if left.units == right.units:
            return Measure(left.units, left.factors & right.factors)
        fixed = ratio(left, right)
        if fixed is not None:
            if fixed in left.factors:
                return right
            if 1 / fixed in right.factors:
                return left
        elif left.factors or right.factors:
            may_be_rate = not (is_part(left) or is_part(right) or left.is_date or right.is_date)
            if may_be_rate and not same_kind(left, right):
                return left if right.factors else right
        self.add(verb, left, right, _remedy(left, right, fixed))
        return left

    def of_dates(self, op: Op, args: Sequence[_Counted]) -> _Counted:
        """A sum or difference in which a date stands."""
        first, *rest = args
        dates = sum(isinstance(arg, Measure) and arg.is_date for arg in args)
        if op is Op.SUB and dates == 2:
            return _DAYS
        if dates > 1 or (op is Op.SUB and isinstance(rest[0], Measure) and rest[0].is_date):
            date = Measure(((DATE, 1),))
            other = first if op is Op.SUB and isinstance(first, Measure) else date
            self.add(_VERBS[op], other, date, "subtract one date from another, or add days to one")
            return None
        if op is Op.SUB and isinstance(rest[0], _Constant):
            return None  # The constant may be a date or a number of days.
        for arg in args:
            if isinstance(arg, Measure) and not arg.is_date:
                self.meet(_VERBS[op], _DAYS, arg)
        return Measure(((DATE, 1),))

    def product(self, above: Sequence[_Counted], below: Sequence[_Counted]) -> _Counted:
        if all(isinstance(arg, _Constant) for arg in (*above, *below)):
            return _constant_product(above, below)
        measures = []
        for args in (above, below):
            if any(arg is None for arg in args):
                return None
            measures.append([_as_measure(arg) for arg in args])
        for measure in (*measures[0], *measures[1]):
            if measure.is_date:
                self.of_product(measure)
                return None
        result = combine(*measures)
        total = _constant_product(
            [arg for arg in above if isinstance(arg, _Constant)],
            [arg for arg in below if isinstance(arg, _Constant)],
        )
        return Measure(result.units, result.factors | _factor(total.value))

    def scaled(self, args: Sequence[_Counted], factor: Fraction) -> _Counted:
        (arg,) = args
        if isinstance(arg, _Constant):
            return _Constant(None if arg.value is None else arg.value * factor)
        return arg

    def of_product(self, date: Measure) -> None:
        message = f"{self.where} multiplies or divides a date; take the days between two dates"
        self.found[message] = (str(date), str(date))

    def add(self, verb: str, left: Measure, right: Measure, remedy: str) -> None:
        """Keep a problem; the same two units are said once a rule."""
        message = f"{self.where} {verb} {_said(left)} and {_said(right)}; {remedy}"
        self.found[message] = (str(left) or "share", str(right) or "share")


def _said(measure: Measure) -> str:
    if measure.is_date:
        return "a date"
    return f"an amount in {measure}" if measure.units else "a share"


def _remedy(left: Measure, right: Measure, fixed: Fraction | None) -> str:
    if left.is_date or right.is_date:
        return "compare a date with a date, or the days between two dates with a number of days"
    if fixed is not None:
        smaller, larger = (left, right) if fixed < 1 else (right, left)
        factor = max(fixed, 1 / fixed)
        if "percent" in str(smaller):
            return f"divide {_what(smaller)} by {factor}"
        return f"multiply {_what(larger)} by {factor}"
    if has_currency(left) and has_currency(right) and same_kind(left, right):
        return "count both in one currency, since no rate between currencies is fixed"
    return "give both the same unit"


def _what(measure: Measure) -> str:
    return f"what is in {measure}" if measure.units else "the share"


def _as_measure(arg: _Counted) -> Measure:
    if isinstance(arg, Measure):
        return arg
    assert isinstance(arg, _Constant)
    return Measure((), _factor(arg.value))


def _factor(value: Fraction | None) -> frozenset[Fraction]:
    return frozenset() if value is None or value in (0, 1) else frozenset((value,))


def _constant_product(above: Sequence[_Counted], below: Sequence[_Counted]) -> _Constant:
    """The value of a product of constants, if each has one and no divisor is zero."""
    value: Fraction | None = Fraction(1)
    for args, is_above in ((above, True), (below, False)):
        for arg in args:
            factor = arg.value if isinstance(arg, _Constant) else None
            if value is None or factor is None or (factor == 0 and not is_above):
                return _Constant(None)
            value = value * factor if is_above else value / factor
    return _Constant(value)
