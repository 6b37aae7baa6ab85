"""What is rendered is read back as the same rule: the same normal form, the same content hash."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policywright.defaults import generate_default
from policywright.english import render_rule, render_sentence
from policywright.english.read_rule import Ambiguous, NotUnderstood, Understood, read_rule
from policywright.hashing import rule_hash
from policywright.model import (
    Datatype,
    DefaultChoice,
    Kind,
    Phrases,
    PolicyModel,
    Rule,
    Value,
    Variable,
)
from policywright.normal import normal_form
from policywright.smtlib import read
from policywright.sorts import BOOL
from policywright.terms import Term, add, and_, eq, gt, implies, ite, member, not_, or_, real, sub
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


def _nested(join: Callable[[Term], Term], depth: int) -> Term:
    term: Term = X["manager"]
    for _ in range(depth):
        term = join(term)
    return term


X = {symbol.id: symbol.symbol for symbol in BASE.symbols}
DEEP: list[Callable[[Term], Term]] = [
    lambda term: and_(X["approved"], or_(X["booking"], term)),
    lambda term: implies(X["approved"], not_(implies(term, X["booking"]))),
    lambda term: eq(X["approved"], eq(term, X["booking"])),
    lambda term: ite(X["approved"], ite(X["booking"], X["adult"], term), X["adult"]),
    lambda term: gt(ite(term, X["cost"], X["half"]), real(5)),
    lambda term: gt(ite(or_(X["booking"], term), X["cost"], X["half"]), real(5)),
]


@pytest.mark.parametrize("join", DEEP)
def test_a_rule_nested_as_deeply_as_is_said_is_read_back(join: Callable[[Term], Term]) -> None:
    said = 0
    for depth in range(1, 25, 2):
        term = _nested(join, depth)
        said += not render_sentence(BASE, term).startswith(NOT_SAID)
        assert_read_back(BASE, term)
    assert said >= 5


def test_brackets_nested_as_deeply_as_is_said_are_read_back() -> None:
    term: Term = X["cost"]
    for _ in range(36):
        term = sub(X["half"], term)
    assert_read_back(BASE, gt(term, real(1)))


def test_a_constant_is_counted_in_what_it_is_added_to() -> None:
    """`a - 100 + b`: the hundred belongs to `a`, whatever `b` is counted in."""
    weeks = sub(X["weeks"], real(100))
    assert_read_back(BASE, gt(add(weeks, X["moment"]), real(1)))
    assert_read_back(BASE, gt(sub(add(weeks, X["moment"]), real(100)), real(1)))


def test_three_hundred_conditions_are_read_in_half_a_second_and_in_step_with_their_number() -> None:
    def seconds(count: int) -> float:
        conditions = [
            or_(gt(X["cost"], real(n)), not_(X["urgent"]), X["manager"]) for n in range(count // 3)
        ]
        text = render_sentence(BASE, and_(*conditions))
        best = 60.0
        for _ in range(2):
            started = time.process_time()
            assert isinstance(read_rule(text, BASE), Understood)
            best = min(best, time.process_time() - started)
        return best

    assert seconds(300) < 0.5
    assert seconds(900) < 8 * seconds(300)


def test_a_default_is_read_back_as_the_assertion_that_is_generated() -> None:
    forbids = Rule("f", "cost rule", implies(gt(X["cost"], real(5)), not_(X["approved"])))
    model = BASE.with_rules([forbids])
    for choice in DefaultChoice:
        made = generate_default(model, "approved", choice)
        default = Rule(
            "d", "default", made.term, Kind.DEFAULT,
            outcome="approved", choice=choice, rests_on=made.rests_on,
        )  # fmt: skip
        whole = BASE.with_rules([forbids, default])
        found = read_rule(render_rule(whole, default), whole)
        assert found == Understood(normal_form(made.term))
    found = read_rule("The trip is approved unless a rule forbids it (another).", model)
    assert isinstance(found, NotUnderstood)
    assert "cost rule" in found.reason


def test_an_ambiguous_rendering_is_said_in_quotation_marks() -> None:
    both = Variable("x", "both", BOOL, phrases=Phrases("it rains and it snows"))
    rain = Variable("r", "rain", BOOL, phrases=Phrases("it rains"))
    snow = Variable("s", "snow", BOOL, phrases=Phrases("it snows"))
    twin = Variable("t", "twin", BOOL, phrases=Phrases("it snows"))
    model = PolicyModel(variables=(both, rain, snow))
    assert render_sentence(model, both.symbol) == '"it rains and it snows".'
    assert render_sentence(model, and_(rain.symbol, snow.symbol)) == '"it rains" and it snows.'
    assert isinstance(read_rule("It rains and it snows.", model), Ambiguous)
    model = PolicyModel(variables=(rain, snow, twin))
    assert render_sentence(model, and_(rain.symbol, twin.symbol)) == 'It rains and "twin".'
    found = read_rule("It snows.", model)
    assert isinstance(found, Ambiguous)
    assert [reading.english for reading in found.readings] == ['"snow".', '"twin".']
    assert found.telling_case in ({"s": True, "t": False}, {"s": False, "t": True})


@pytest.mark.parametrize(
    "phrase", ["A A", "the", "the a an", "this always holds", "not", "a not a"]
)
def test_a_phrase_of_articles_and_small_words_is_read_back(phrase: str) -> None:
    clause = Variable("v", "odd", BOOL, phrases=Phrases(phrase))
    value = Datatype("d", "List", (Value("one", "one", phrase), Value("two", "two", "else")))
    chosen = Variable("c", "chosen", value.sort, phrases=Phrases("the choice"))
    model = PolicyModel((value,), (clause, chosen))
    is_one = eq(chosen.symbol, member("d", "one"))
    for term in (clause.symbol, not_(clause.symbol), is_one, or_(clause.symbol, not_(is_one))):
        assert_read_back(model, term)
