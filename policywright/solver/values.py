"""Reads the values of variables out of Z3's models, as ours: exact, by variable id."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import z3
from z3 import z3core

from policywright.evaluate import Value
from policywright.model import Variable
from policywright.solver import calls
from policywright.solver.compiled import Compiled
from policywright.sorts import BOOL, INT
from policywright.witness import Rounded

_ROUNDED_PLACES = 4
_MAX_DIGITS = 1000
"""Longer numbers, which only products of products have, are said to be rounded."""

_KEPT_VALUES = 10_000

_Z3: TypeAlias = Any  # z3 has no types


class ModelReader:
    """Reads models of one context; what it has seen once is known by its address.

    An address stands for a value only while somebody holds the value, so each one
    that is kept is held with what it means.
    """

    def __init__(self, compiled: Compiled, context: _Z3) -> None:
        self._compiled, self._context = compiled, context
        self._variables: dict[int, Variable | None] = {}
        self._values: dict[int, tuple[Value | Rounded, _Z3]] = {}

    def read(self, model: _Z3) -> dict[str, Value | Rounded]:
        """The variables that the model gives a value."""
        context, address = self._context.ref().value, model.model.value
        if len(self._values) > _KEPT_VALUES:
            self._values.clear()
        found: dict[str, Value | Rounded] = {}
        for i in range(calls.size_of_model(context, address)):
            constant = calls.constant_of_model(context, address, i)
            known = constant in self._variables
            variable = self._variables[constant] if known else self._learn(constant)
            if variable is not None:
                value = calls.value_in_model(context, address, constant)
                seen = self._values.get(value)
                found[variable.id] = seen[0] if seen else self._read(variable, value)
        return found

    def _learn(self, constant: int) -> Variable | None:
        """The variable of a declaration; None for a guard or a helper of Z3's.

        What was declared to the parser lives as long as the context does, so its address
        is kept; the address of a helper ('k!3') may come to stand for something else.
        """
        context = self._context.ref().value
        name = calls.text_of_symbol(context, calls.name_of_declaration(context, constant))
        variable = self._compiled.variable_of_name.get(name.decode())
        if b"!" not in name:
            self._variables[constant] = variable
        return variable

    def _read(self, variable: Variable, address: int) -> Value | Rounded:
        held = z3.ExprRef(calls.term_at(address), self._context)
        value = self._value(variable, held.ast)
        self._values[address] = (value, held)
        return value

    def _value(self, variable: Variable, value: _Z3) -> Value | Rounded:
        reference = self._context.ref()
        if variable.sort == BOOL:
            return bool(z3core.Z3_get_bool_value(reference, value) == 1)
        if variable.sort.is_enumeration:
            return self._compiled.value_of_name[z3core.Z3_ast_to_string(reference, value)]
        if z3core.Z3_is_algebraic_number(reference, value):
            text = z3core.Z3_get_numeral_decimal_string(reference, value, _ROUNDED_PLACES)
            return Rounded(text.rstrip("?"))
        text = z3core.Z3_get_numeral_string(reference, value)
        if len(text) > _MAX_DIGITS:
            rounded = z3core.Z3_get_numeral_decimal_string(reference, value, _ROUNDED_PLACES)
            long = len(rounded) > _MAX_DIGITS
            return Rounded(f"a number of {len(rounded)} digits" if long else rounded.rstrip("?"))
        exact = Fraction(text)
        return int(exact) if variable.sort == INT else exact
