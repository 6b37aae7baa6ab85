"""Structured English read back: the same rule, or the words that are not understood."""

from __future__ import annotations

import time

import pytest

from policywright.english import render_rule, render_sentence
from policywright.english.read_rule import RuleNotReadError, parse_rule
from policywright.model import Phrases, PolicyModel, Role, Variable
from policywright.normal import normal_form
from policywright.sorts import BOOL, REAL
from policywright.terms import and_, ge, gt, implies, not_, or_, real
from tests.policywright.english.drafting import EXAMPLES, report

COST = Variable("c", "cost", REAL, unit="EUR", phrases=Phrases("the cost of the trip"))
LATE = Variable("l", "late", REAL, unit="percent", phrases=Phrases("the late fee"))
MANAGER = Variable("m", "manager", BOOL, phrases=Phrases("the manager has approved the trip"))
URGENT = Variable("u", "urgent", BOOL, phrases=Phrases("the trip is urgent and short"))
APPROVED = Variable("a", "approved", BOOL, Role.OUTCOME, phrases=Phrases("the trip is approved"))
MODEL = PolicyModel(variables=(COST, LATE, MANAGER, URGENT, APPROVED))
RULE = implies(and_(gt(COST.symbol, real(1000)), not_(MANAGER.symbol)), not_(APPROVED.symbol))


@pytest.mark.parametrize("name", ["travel-policy", "admission-fees"])
def test_every_drafted_rule_of_an_example_is_read_back(name: str) -> None:
    _, model = report(EXAMPLES / f"{name}.md")
    for rule in model.rules:
        assert parse_rule(render_rule(model, rule), model) == normal_form(rule.term)


SAME = [
    "If the cost of the trip is more than EUR 1,000 and the manager has not approved the trip, "
    "then the trip is not approved.",
    "if the cost of the trip exceeds €1000 and the manager has not approved the trip then the "
    "trip is not approved",
    "If the cost of the trip is over 1,000 euros and the manager has not approved the trip,\n"
    "then the trip is not approved.",
    "If all of the following hold:\n"
    "  - the cost of the trip is greater than EUR 1,000;\n"
    "  - the manager has not approved the trip,\n"
    "then the trip is not approved.",
]


@pytest.mark.parametrize("text", SAME)
def test_owners_may_vary_the_words(text: str) -> None:
    assert parse_rule(text, MODEL) == RULE


def test_a_clause_may_hold_words_of_the_templates() -> None:
    term = parse_rule("The trip is urgent and short or the trip is approved.", MODEL)
    assert term == or_(URGENT.symbol, APPROVED.symbol)


def test_a_percentage_counts_as_the_variable_does() -> None:
    assert parse_rule("The late fee is at least 7.5%.", MODEL) == ge(LATE.symbol, real("7.5"))


def test_unknown_words_are_named_with_their_places_and_near_phrases() -> None:
    text = "If the prize of the trip is more than EUR 5, then the trip is approved."
    with pytest.raises(RuleNotReadError) as caught:
        parse_rule(text, MODEL)
    error = caught.value
    assert [word.text for word in error.words] == ["the prize of the trip"]
    assert all(text[word.start : word.end] == word.text for word in error.words)
    assert "the cost of the trip" in error.near[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("If the trip is approved.", "what follows from this is not said"),
        ("The cost of the trip is more than USD 5.", "meets an amount in EUR"),
        ("The trip is approved is more than EUR 5.", "not of a form"),
        ("The trip is approved and the manager has approved the trip or the trip is urgent and "
         "short.", "in several ways"),
        ("x " * 200_000, "longer than"),
        ("(" * 10_000, "nested too deeply"),
        ("not " * 50_000, "no phrase"),
        ("and " * 50_000, "not of a form"),
        ("the trip is approved and " * 8_000, "ends too early"),
        ("either " * 20_000, "nested too deeply"),
        ('"' * 20_000, "no phrase"),
        ("- " * 20_000, "not of a form"),
        ("\n".join(f"{' ' * (n % 40)}- x" for n in range(5_000)), "no phrase"),
    ],
)  # fmt: skip
def test_what_is_no_rule_is_refused_with_a_reason(text: str, reason: str) -> None:
    started = time.perf_counter()
    with pytest.raises(RuleNotReadError, match=reason):
        parse_rule(text, MODEL)
    assert time.perf_counter() - started < 5


def test_a_phrase_of_two_variables_is_refused() -> None:
    twin = Variable("t", "twin", BOOL, phrases=Phrases("the trip is approved"))
    model = PolicyModel(variables=(*MODEL.variables, twin))
    with pytest.raises(RuleNotReadError, match="in several ways"):
        parse_rule("The trip is approved.", model)


def test_three_hundred_conditions_are_read_back() -> None:
    term = and_(*(gt(COST.symbol, real(n)) for n in range(300)))
    assert parse_rule(render_sentence(MODEL, term), MODEL) == term
