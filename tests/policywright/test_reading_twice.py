"""Read without places, a text gives what the careful reading gives: the model, or its problems."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from policywright.errors import Problem, ReadError
from policywright.model import PolicyModel
from policywright.smtlib import print_model, read
from policywright.smtlib.reader import _policy
from policywright.smtlib.sexpr import Parsed
from tests.policywright.generated import models

PIECES = re.compile(r"[()]|;[^\n]*\n|\"[^\"]*\"|\|[^|]*\||[^\s()]+")
ODD = [
    "(", ")", "()", "; a remark\n", "\n; kind: assumption\n", "|a b|", "|and|", "let", "as", "!",
    "0", "007", "1.50", "-2", "1e3", "and", "=>", "-", "distinct", "true", ":named", '"text"',
    "Int", "low", "assert", "(declare-const late Bool)", "(let ((x true)) x)", "(- 9 1 1)",
    "(as low Season)", "\ufeff",
]  # fmt: skip


def outcome(text: str) -> PolicyModel | tuple[Problem, ...]:
    try:
        return read(text)
    except ReadError as error:
        return error.problems


def careful_outcome(text: str) -> PolicyModel | tuple[Problem, ...]:
    try:
        return _policy(Parsed(text, placed=True))
    except ReadError as error:
        return error.problems


@given(models())
@settings(max_examples=60, deadline=None)
def test_a_printed_model_is_read_alike(model: PolicyModel) -> None:
    text = print_model(model)
    assert outcome(text) == careful_outcome(text) == model


@given(models(), st.data())
@settings(max_examples=250, deadline=None)
def test_a_text_with_odd_pieces_is_read_alike(model: PolicyModel, data: st.DataObject) -> None:
    pieces = PIECES.findall(print_model(model))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(pieces) - 1))
        kept = data.draw(st.integers(0, 2))
        pieces[at : at + 1] = [pieces[at]] * kept + data.draw(
            st.lists(st.sampled_from([*ODD, *pieces]), max_size=2)
        )
    text = " ".join(pieces)
    assert outcome(text) == careful_outcome(text)


def test_what_would_grow_is_left_to_the_careful_reading() -> None:
    chain = "(- " + "x " * 400 + ")"
    text = f"(declare-const x Int)\n(assert (> {chain} 1))"
    assert outcome(text) == careful_outcome(text)
    assert isinstance(outcome(text), tuple)


def test_an_assertion_that_ends_too_early_is_a_problem() -> None:
    text = "(declare-const a Bool)\n(assert (! a :named r)) (assert (! (and a a) :named"
    for end in range(24, len(text)):
        assert outcome(text[:end]) == careful_outcome(text[:end])
