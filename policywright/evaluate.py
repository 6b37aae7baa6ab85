"""What a term means under an assignment, in plain Python with exact rationals.

The second meaning of the language: what a solver answers and a person will see
is replayed through it. Division by zero is an error of its own kind here, since
SMT-LIB lets a solver invent the quotient. Lazy like a reader: `and`, `or`, `=>`
and `ite` do not look at what cannot matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from policywright.errors import DivisionByZeroError, UnassignedError
from policywright.model import PolicyModel
from policywright.terms import Apply, Literal, Op, Symbol, Term

Value: TypeAlias = bool | int | Fraction | str
"""bool for Bool, int for Int, Fraction for Real, a value's id for an enumeration."""

Assignment: TypeAlias = Mapping[str, Value]
"""Values by symbol id."""


def evaluate(term: Term, assignment: Assignment, model: PolicyModel | None = None) -> Value:
    """The value of a term; definitions are looked up in `model` where they have no value.

    Raises UnassignedError for a symbol without a value, DivisionByZeroError.
    """
    return _Evaluator(assignment, model).value(term)


def holds(term: Term, assignment: Assignment, model: PolicyModel | None = None) -> bool:
    """Whether a condition is true under an assignment."""
    return evaluate(term, assignment, model) is True


class _Evaluator:
    def __init__(self, assignment: Assignment, model: PolicyModel | None) -> None:
        self._values = dict(assignment)
        self._model = model

    def value(self, term: Term) -> Value:
        if isinstance(term, Literal):
            return term.value
        if isinstance(term, Symbol):
            return self._symbol(term)
        if term.op in _LAZY:
            return _LAZY[term.op](self.value, term)
        arguments = [self.value(arg) for arg in term.args]
        return _STRICT[term.op](arguments)

    def _symbol(self, symbol: Symbol) -> Value:
        if symbol.id not in self._values:
            definition = self._model.definition_by_id.get(symbol.id) if self._model else None
            if definition is None:
                raise UnassignedError(symbol.id)
            self._values[symbol.id] = self.value(definition.term)
        return self._values[symbol.id]


_Visit: TypeAlias = Callable[[Term], Value]


def _number(value: Value) -> int | Fraction:
    assert isinstance(value, (int, Fraction))
    return value


def _implies(visit: _Visit, term: Apply) -> bool:
    return not visit(term.args[0]) or bool(visit(term.args[1]))


def _ite(visit: _Visit, term: Apply) -> Value:
    return visit(term.args[1] if visit(term.args[0]) else term.args[2])


def _divide(arguments: list[Value]) -> Value:
    dividend, divisor = map(_number, arguments)
    if divisor == 0:
        raise DivisionByZeroError("a divisor is zero in this case")
    return Fraction(dividend) / divisor


_LAZY: Mapping[Op, Callable[[_Visit, Apply], Value]] = {
    Op.AND: lambda visit, term: all(visit(arg) for arg in term.args),
    Op.OR: lambda visit, term: any(visit(arg) for arg in term.args),
    Op.IMPLIES: _implies,
    Op.ITE: _ite,
}

_STRICT: Mapping[Op, Callable[[list[Value]], Value]] = {
    Op.NOT: lambda a: not a[0],
    Op.XOR: lambda a: a[0] is not a[1],
    Op.EQ: lambda a: a[0] == a[1],
    Op.DISTINCT: lambda a: len(set(a)) == len(a),
    Op.LT: lambda a: _number(a[0]) < _number(a[1]),
    Op.LE: lambda a: _number(a[0]) <= _number(a[1]),
    Op.GT: lambda a: _number(a[0]) > _number(a[1]),
    Op.GE: lambda a: _number(a[0]) >= _number(a[1]),
    Op.ADD: lambda a: sum(map(_number, a)),
    Op.SUB: lambda a: _number(a[0]) - _number(a[1]),
    Op.NEG: lambda a: -_number(a[0]),
    Op.MUL: lambda a: math.prod(map(_number, a)),
    Op.DIV: _divide,
    Op.TO_REAL: lambda a: Fraction(_number(a[0])),
    Op.TO_INT: lambda a: math.floor(_number(a[0])),
}

assert _LAZY.keys() | _STRICT.keys() == set(Op)
