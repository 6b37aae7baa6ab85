"""A session: one fresh Z3 context over one policy model, assertions switched by literals.

Assertions are added in order and known by number. `check` asks whether those
switched on can hold together. A session built the same way and asked the same
questions gives the same answers on every machine, since the context holds
nothing else; `rlimit` decides when to give up, in Z3's units of work, and the
clock is only a net below it. What is unknown to the switching solver is asked
once more of a plain one.

Source: SMT-LIB 2.6, check-sat-assuming, get-unsat-core, get-model.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

import z3

from policywright.evaluate import Value
from policywright.model import PolicyModel
from policywright.solver.text import SolverNames
from policywright.terms import Literal, Symbol, Term, subterms
from policywright.witness import Rounded, Witness

DEFAULT_RLIMIT = 10_000_000
"""About two seconds of work; every rule as policies have them needs less than a tenth."""

_TIMEOUT_MS = 60_000
_ROUNDED_PLACES = 4


class Status(Enum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


_Z3: TypeAlias = Any  # z3 has no types


class Session:
    """One context; not to be shared between threads."""

    def __init__(
        self,
        model: PolicyModel,
        assertions: Iterable[Term] = (),
        *,
        rlimit: int = DEFAULT_RLIMIT,
    ) -> None:
        self._names = SolverNames(model)
        self._context = z3.Context()
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._rlimit = rlimit
        self._limit(self._solver)
        self._declared = self._declare()
        self._definitions = self._define()
        self._solver.add(*self._definitions)
        self._assertions: list[_Z3] = []
        self._guards: list[_Z3] = []
        self._answer: _Z3 = None
        for term in assertions:
            self.add(term)

    def add(self, term: Term) -> int:
        """Add an assertion, switched off until `check` names it; its number comes back."""
        number = len(self._assertions)
        expression = self._parse(self._names.printer.text(term), (term,))
        guard = z3.Bool(f"g{number}", self._context)
        self._solver.add(z3.Implies(guard, expression))
        self._assertions.append(expression)
        self._guards.append(guard)
        return number

    def check(self, numbers: Iterable[int]) -> Status:
        """Whether the assertions with those numbers can all hold."""
        active = list(numbers)
        self._answer = self._solver
        status = _status(self._solver.check(*[self._guards[number] for number in active]))
        if status is Status.UNKNOWN:
            plain = z3.Solver(ctx=self._context)
            self._limit(plain)
            plain.add(*self._definitions)
            for number in active:
                plain.assert_and_track(self._assertions[number], self._guards[number])
            self._answer = plain
            status = _status(plain.check())
        return status

    def core(self) -> frozenset[int]:
        """Numbers of assertions that clash, after UNSAT; not necessarily a minimal set."""
        return frozenset(int(str(guard)[1:]) for guard in self._answer.unsat_core())

    def witness(self) -> Witness:
        """Values of all variables of the model, after SAT."""
        answer = self._answer.model()
        values: dict[str, Value | Rounded] = {}
        free = []
        for variable in self._names.model.variables:
            constant = self._declared[variable.name]
            if answer[constant.decl()] is None:
                free.append(variable.id)
            values[variable.id] = self._value(answer.eval(constant, model_completion=True))
        return Witness(values, frozenset(free))

    def _limit(self, solver: _Z3) -> None:
        solver.set("rlimit", self._rlimit)
        solver.set("timeout", _TIMEOUT_MS)

    def _declare(self) -> dict[str, _Z3]:
        """Every name of ours with its Z3 constant."""
        declared: dict[str, _Z3] = {}
        sorts = {
            "Bool": z3.BoolSort(self._context),
            "Int": z3.IntSort(self._context),
            "Real": z3.RealSort(self._context),
        }
        for datatype in self._names.model.datatypes:
            names = [value.name for value in datatype.values]
            sort, constants = z3.EnumSort(datatype.name, names, ctx=self._context)
            sorts[datatype.id] = sort
            declared.update(zip(names, constants, strict=True))
        for symbol in self._names.model.symbols:
            declared[symbol.name] = z3.Const(symbol.name, sorts[symbol.sort.key])
        return declared

    def _define(self) -> list[_Z3]:
        """Each definition as an equation, always on: it names a term, it asserts nothing."""
        return [
            self._parse(
                f"(= {definition.name} {self._names.printer.text(definition.term)})",
                (definition.symbol, definition.term),
            )
            for definition in self._names.model.ordered_definitions
        ]

    def _parse(self, text: str, terms: Iterable[Term]) -> _Z3:
        """Our own printed text as a Z3 expression, the names in `terms` declared."""
        used = {
            name: self._declared[name]
            for term in terms
            for node in subterms(term)
            for name in self._names_in(node)
        }
        parsed = z3.parse_smt2_string(f"(assert {text})", decls=used, ctx=self._context)
        return parsed[0] if len(parsed) == 1 else z3.And(*parsed, self._context)

    def _names_in(self, node: Term) -> Iterable[str]:
        if isinstance(node, Symbol):
            yield self._names.symbol_names[node.id]
        elif isinstance(node, Literal) and isinstance(node.value, str):
            yield self._names.printer.text(node)

    def _value(self, value: _Z3) -> Value | Rounded:
        if z3.is_true(value) or z3.is_false(value):
            return bool(z3.is_true(value))
        if z3.is_int_value(value):
            return int(value.as_long())
        if z3.is_rational_value(value):
            return Fraction(value.numerator_as_long(), value.denominator_as_long())
        if z3.is_algebraic_value(value):
            return Rounded(value.as_decimal(_ROUNDED_PLACES).rstrip("?"))
        return self._names.value_ids[str(value)]


def _status(result: _Z3) -> Status:
    if result == z3.sat:
        return Status.SAT
    return Status.UNSAT if result == z3.unsat else Status.UNKNOWN
