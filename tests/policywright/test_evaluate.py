"""The plain meaning of terms, against Z3 and cvc5 on small models."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policywright.errors import DivisionByZeroError, UnassignedError
from policywright.evaluate import Value, evaluate, holds
from policywright.normal import negate, normal_form
from policywright.smtlib import read_term
from policywright.solver import Status, ask
from policywright.terms import Literal, Symbol, Term, eq, not_, substitute
from tests.policywright.generated import BASE, assignments, terms


@given(terms(), assignments())
@settings(max_examples=100, deadline=None)
def test_z3_gives_the_same_truth_as_evaluate(term: Term, values: dict[str, Value]) -> None:
    fixed = [eq(v.symbol, Literal(values[v.id], v.sort)) for v in BASE.variables]
    expected = Status.SAT if holds(term, values, BASE) else Status.UNSAT
    opposite = Status.UNSAT if expected is Status.SAT else Status.SAT
    assert ask(BASE, [*fixed, term]) is expected
    assert ask(BASE, [*fixed, not_(term)]) is opposite


@given(terms(), assignments())
@settings(max_examples=200, deadline=None)
def test_the_normal_form_means_the_same(term: Term, values: dict[str, Value]) -> None:
    assert holds(normal_form(term), values, BASE) is holds(term, values, BASE)
    assert holds(negate(normal_form(term)), values, BASE) is not holds(term, values, BASE)
    assert normal_form(normal_form(term)) == normal_form(term)


@given(terms(), assignments(), st.data())
@settings(max_examples=60, deadline=None)
def test_substituting_a_value_is_assigning_it(
    term: Term, values: dict[str, Value], data: st.DataObject
) -> None:
    variable = data.draw(st.sampled_from(BASE.variables))
    constant = Literal(values[variable.id], variable.sort)
    replaced = substitute(term, {variable.id: constant})
    assert holds(replaced, values, BASE) is holds(term, values, BASE)


def test_dividing_by_zero_is_an_error_of_its_own() -> None:
    term = read_term("(> (/ fee (to_real nights)) 100)", BASE)
    assert holds(term, {"r1": Fraction(300), "i2": 2}) is True
    with pytest.raises(DivisionByZeroError):
        holds(term, {"r1": Fraction(300), "i2": 0})


def test_what_cannot_matter_is_not_looked_at() -> None:
    term = read_term("(=> (> nights 0) (> (/ fee (to_real nights)) 100))", BASE)
    assert holds(term, {"r1": Fraction(300), "i2": 0}) is True


def test_a_symbol_without_a_value_is_named() -> None:
    with pytest.raises(UnassignedError, match="`r1` has no value"):
        evaluate(Symbol("r1", BASE.variable_by_id["r1"].sort), {})


def test_to_int_rounds_down_also_below_zero() -> None:
    term = read_term("(to_int fee)".join(("(= ", " (- 3))")), BASE)
    assert holds(term, {"r1": Fraction(-5, 2)}) is True
