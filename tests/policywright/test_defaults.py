"""The closed world of an outcome, generated from the rules that decide it."""

from __future__ import annotations

import pytest

from policywright.checks import equivalent
from policywright.defaults import generate_default
from policywright.errors import DefaultNotPossibleError
from policywright.model import DefaultChoice, PolicyModel
from policywright.smtlib import print_term, read, read_term
from policywright.solver import Status, ask
from tests.policywright.shared import shared

TEXT = """
(declare-const cost Real)
(declare-const signed Bool)
(declare-const senior Bool)
; variable: {"role": "outcome"}
(declare-const approved Bool)
; variable: {"role": "outcome"}
(declare-const bookable Bool)
(assert (! (=> (and (> cost 500) (not signed)) (not approved)) :named cost-rule))
(assert (! (=> senior approved) :named senior-rule))
(assert (! (= bookable approved) :named booking-rule))
"""


@pytest.fixture
def model() -> PolicyModel:
    return read(TEXT)


def test_approved_unless_forbidden_negates_every_ban(model: PolicyModel) -> None:
    made = generate_default(model, "approved", DefaultChoice.APPROVED)
    assert print_term(model, made.term) == "(=> (not (and (> cost 500.0) (not signed))) approved)"
    assert made.rests_on == ("cost-rule",)


def test_refused_unless_granted_negates_every_grant(model: PolicyModel) -> None:
    made = generate_default(model, "approved", DefaultChoice.REFUSED)
    assert print_term(model, made.term) == "(=> (not senior) (not approved))"
    assert made.rests_on == ("senior-rule",)


def test_a_rule_that_only_reads_the_outcome_is_not_among_them(model: PolicyModel) -> None:
    made = generate_default(model, "approved", DefaultChoice.APPROVED)
    assert "booking-rule" not in made.rests_on


def test_open_asserts_nothing(model: PolicyModel) -> None:
    made = generate_default(model, "approved", DefaultChoice.OPEN)
    assert (print_term(model, made.term), made.rests_on) == ("true", ())


def test_only_if_forbids_where_its_condition_fails() -> None:
    text = TEXT + "(assert (! (=> approved signed) :named only-signed))"
    made = generate_default(read(text), "approved", DefaultChoice.APPROVED)
    assert made.rests_on == ("cost-rule", "only-signed")
    assert "(not signed)" in print_term(read(text), made.term)


def test_a_form_from_which_no_default_can_be_made_is_refused_by_name() -> None:
    model = read(TEXT + "(assert (! (or approved (> cost 9)) :named odd-rule))")
    with pytest.raises(DefaultNotPossibleError, match="`odd-rule`"):
        generate_default(model, "approved", DefaultChoice.APPROVED)


def test_a_number_has_no_default(model: PolicyModel) -> None:
    with pytest.raises(DefaultNotPossibleError, match="not a yes-or-no outcome"):
        generate_default(model, "cost", DefaultChoice.APPROVED)


def test_the_closed_world_of_the_gold_travel_policy_is_regenerated() -> None:
    model = read(shared("corpus", "gold", "travel.smt2").read_text())
    closed = next(rule for rule in model.rules if rule.name == "assume-closed-world")
    rest = model.with_rules([rule for rule in model.rules if rule is not closed])
    made = generate_default(rest, "tripApproved", DefaultChoice.APPROVED)
    assert ask(model, equivalent(made.term, closed.term)) is Status.UNSAT
    assert made.rests_on == ("cost-rule", "international-rule", "six-months-rule")
    assert read_term(print_term(model, made.term), model) == made.term
