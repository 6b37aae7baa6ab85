"""What a term means under an assignment, in plain Python with exact rationals.

The second meaning of the language: what a solver answers and a person will see
is replayed through it. Division by zero is an error of its own kind here, since
SMT-LIB lets a solver invent the quotient. Lazy like a reader: `and`, `or`, `=>`
and `ite` do not look at what cannot matter.

A term is turned into a function once (`meaning`), so that replaying a scenario
through many rules costs what it evaluates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from policywright.errors import DivisionByZeroError, UnassignedError
from policywright.model import PolicyModel
from policywright.terms import Literal, Op, Symbol, Term, fold

Value: TypeAlias = bool | int | Fraction | str
"""bool for Bool, int for Int, Fraction for Real, a value's id for an enumeration."""

Assignment: TypeAlias = Mapping[str, Value]
"""Values by symbol id."""

Meaning: TypeAlias = Callable[[Assignment], Any]
"""From an assignment to the term's value; raises UnassignedError, DivisionByZeroError."""


def evaluate(term: Term, assignment: Assignment, model: PolicyModel | None = None) -> Value:
    """The value of a term; definitions are looked up in `model` where they have no value.

    Raises UnassignedError for a symbol without a value, DivisionByZeroError.
    """
    value: Value = meaning(term, model)(assignment)
    return value


def holds(term: Term, assignment: Assignment, model: PolicyModel | None = None) -> bool:
    """Whether a condition is true under an assignment."""
    return meaning(term, model)(assignment) is True


def meaning(term: Term, model: PolicyModel | None = None) -> Meaning:
    """The term as a function of an assignment; keep it to evaluate the term often."""

    def visit(node: Term, args: Sequence[Meaning]) -> Meaning:
        if isinstance(node, Literal):
            value = node.value
            return lambda _: value
        if isinstance(node, Symbol):
            return _symbol(node.id, model)
        return _MEANINGS[node.op](list(args))

    return fold(term, visit)


def _symbol(symbol_id: str, model: PolicyModel | None) -> Meaning:
    definition = model.definition_by_id.get(symbol_id) if model else None
    defined = meaning(definition.term, model) if definition else None

    def look_up(assignment: Assignment) -> Any:
        if symbol_id in assignment:
            return assignment[symbol_id]
        if defined is None:
            raise UnassignedError(symbol_id)
        return defined(assignment)

    return look_up


def _and(parts: list[Meaning]) -> Meaning:
    def value(assignment: Assignment) -> bool:
        for part in parts:  # a loop, not all(): half the time of a replay  # noqa: SIM110
            if not part(assignment):
                return False
        return True

    return value


def _or(parts: list[Meaning]) -> Meaning:
    def value(assignment: Assignment) -> bool:
        for part in parts:  # noqa: SIM110
            if part(assignment):
                return True
        return False

    return value


def _divide(parts: list[Meaning]) -> Meaning:
    def value(assignment: Assignment) -> Fraction:
        divisor = parts[1](assignment)
        if divisor == 0:
            raise DivisionByZeroError("a divisor is zero in this case")
        quotient: Fraction = Fraction(parts[0](assignment)) / divisor
        return quotient

    return value


def _binary(operator: Callable[[Any, Any], Any]) -> Callable[[list[Meaning]], Meaning]:
    def build(parts: list[Meaning]) -> Meaning:
        left, right = parts
        return lambda assignment: operator(left(assignment), right(assignment))

    return build


def _all(operator: Callable[[list[Any]], Any]) -> Callable[[list[Meaning]], Meaning]:
    def build(parts: list[Meaning]) -> Meaning:
        return lambda assignment: operator([part(assignment) for part in parts])

    return build


def _one(operator: Callable[[Any], Any]) -> Callable[[list[Meaning]], Meaning]:
    def build(parts: list[Meaning]) -> Meaning:
        (only,) = parts
        return lambda assignment: operator(only(assignment))

    return build


def _implies(parts: list[Meaning]) -> Meaning:
    condition, consequence = parts
    return lambda assignment: not condition(assignment) or consequence(assignment)


def _ite(parts: list[Meaning]) -> Meaning:
    condition, then, otherwise = parts
    return lambda assignment: (then if condition(assignment) else otherwise)(assignment)


_MEANINGS: Mapping[Op, Callable[[list[Meaning]], Meaning]] = {
    Op.AND: _and,
    Op.OR: _or,
    Op.IMPLIES: _implies,
    Op.ITE: _ite,
    Op.DIV: _divide,
    Op.NOT: _one(lambda a: not a),
    Op.NEG: _one(lambda a: -a),
    Op.TO_REAL: _one(Fraction),
    Op.TO_INT: _one(math.floor),
    Op.XOR: _binary(lambda a, b: a is not b),
    Op.EQ: _binary(lambda a, b: a == b),
    Op.LT: _binary(lambda a, b: a < b),
    Op.LE: _binary(lambda a, b: a <= b),
    Op.GT: _binary(lambda a, b: a > b),
    Op.GE: _binary(lambda a, b: a >= b),
    Op.SUB: _binary(lambda a, b: a - b),
    Op.ADD: _all(sum),
    Op.MUL: _all(math.prod),
    Op.DISTINCT: _all(lambda values: len(set(values)) == len(values)),
}

assert _MEANINGS.keys() == set(Op)
