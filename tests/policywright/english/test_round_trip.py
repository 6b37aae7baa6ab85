"""What is rendered is read back as the same rule: the same normal form, the same content hash."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policywright.english import render_rule, render_sentence
from policywright.english.read_rule import Understood, read_rule
from policywright.hashing import rule_hash
from policywright.model import PolicyModel, Rule
from policywright.normal import normal_form
from policywright.smtlib import read
from policywright.terms import Term
from tests.policywright import generated
from tests.policywright.english.wide import BASE, models, rules
from tests.policywright.shared import shared

QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))
NOT_SAID = ("This rule is too long", "This rule cannot be said in English")


def assert_read_back(model: PolicyModel, term: Term) -> None:
    """The English of a rule says the rule alone, or says itself that it cannot be said."""
    text = render_sentence(model, term)
    found = read_rule(text, model)
    if text.startswith(NOT_SAID):
        assert not isinstance(found, Understood)
        return
    assert isinstance(found, Understood), (text, found)
    assert found.term == normal_form(term), text
    written, back = Rule("r", "r", term), Rule("r", "r", found.term)
    assert rule_hash(model, back) == rule_hash(model, written)


@QUICK
@given(generated.terms(depth=3))
def test_rules_over_a_plain_model_are_read_back(term: Term) -> None:
    assert_read_back(generated.BASE, term)


@QUICK
@given(rules(depth=3))
def test_rules_with_units_dates_and_roundings_are_read_back(term: Term) -> None:
    assert_read_back(BASE, term)


@QUICK
@given(models(), rules(depth=2))
def test_awkward_phrases_never_change_what_is_read(model: PolicyModel, term: Term) -> None:
    assert_read_back(model, term)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@MANY
@given(st.one_of(rules(depth=3), rules(depth=5)))
def test_five_thousand_rules_are_read_back(term: Term) -> None:
    assert_read_back(BASE, term)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@MANY
@given(models(), rules(depth=3))
def test_five_thousand_rules_over_awkward_models_are_read_back(
    model: PolicyModel, term: Term
) -> None:
    assert_read_back(model, term)


def test_every_gold_rule_is_read_back() -> None:
    count = 0
    for path in sorted(shared("corpus", "gold").glob("*.smt2")):
        model = read(path.read_text(encoding="utf-8"))
        for rule in model.rules:
            found = read_rule(render_rule(model, rule), model)
            assert isinstance(found, Understood)
            assert found.term == normal_form(rule.term)
            count += 1
    assert count >= 100
