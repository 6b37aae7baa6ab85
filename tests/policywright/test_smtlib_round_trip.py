"""What is printed is read back as it was, and solvers read it alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from policywright.errors import ModelError, ReadError
from policywright.model import PolicyModel
from policywright.smtlib import print_model, print_term, read, read_term
from policywright.terms import Term
from tests.policywright.generated import BASE, models, terms
from tests.policywright.solvers import cvc5_answer, z3_answer


@given(models())
@settings(max_examples=80, deadline=None)
def test_reading_what_was_printed_gives_the_same_model(model: PolicyModel) -> None:
    text = print_model(model)
    assert read(text) == model
    assert print_model(read(text)) == text


@given(terms())
@settings(max_examples=150, deadline=None)
def test_reading_a_printed_term_gives_the_same_term(term: Term) -> None:
    assert read_term(print_term(BASE, term), BASE) == term


@given(models())
@settings(max_examples=30, deadline=None)
def test_z3_and_cvc5_read_what_is_printed_with_the_same_answer(model: PolicyModel) -> None:
    answers = {z3_answer(print_model(model)), cvc5_answer(print_model(model))}
    assert len(answers - {"unknown"}) <= 1


def test_every_problem_of_a_file_is_reported_with_its_place() -> None:
    text = "(declare-const a Int)\n(assert (> b 1))\n(push 1)\n(assert (and a true))\n"
    with pytest.raises(ReadError) as caught:
        read(text)
    assert [(p.line, p.column) for p in caught.value.problems] == [(2, 12), (3, 1), (4, 9)]


def test_a_model_with_two_variables_of_one_name_does_not_exist() -> None:
    first = BASE.variables[0]
    with pytest.raises(ModelError, match="two variables have the name `memberCard`"):
        PolicyModel(variables=(first, first))
