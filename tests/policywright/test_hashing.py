"""What an approval is bound to, pinned by golden hashes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from policywright.hashing import content_hash, rule_content, rule_hash
from policywright.model import (
    Datatype,
    DefaultChoice,
    Definition,
    Kind,
    Phrases,
    PolicyModel,
    Role,
    Rule,
    Source,
    Value,
    Variable,
)
from policywright.smtlib import read_term
from policywright.sorts import BOOL, INT
from policywright.terms import Symbol, ge, integer

SHIFT = Datatype("d1", "Shift", (Value("v1", "day", "a day shift"), Value("v2", "night")))
HOURS = Variable("x1", "hours", INT, Role.FACT, "hours", "hours worked", Phrases("hours worked"))
PAID = Variable("x2", "paid", BOOL, Role.OUTCOME, "", "a bonus is due", Phrases("a bonus is due"))
WHEN = Variable("x3", "shift", SHIFT.sort, Role.FACT)
LONG = Definition("f1", "longShift", ge(Symbol("x1", INT), integer(10)))
SOURCE = Source("Bonus", "1", 0, 34, "A long night shift earns a bonus.", ("Pay",))


def bonus(model: PolicyModel) -> Rule:
    term = read_term("(=> (and longShift (= shift night)) paid)", model)
    return Rule("r1", "night-bonus", term, Kind.RULE, (SOURCE,))


def build(**changes: object) -> tuple[PolicyModel, Rule]:
    parts = {"shift": SHIFT, "hours": HOURS, "paid": PAID, "when": WHEN, "long": LONG} | changes
    model = PolicyModel(
        (parts["shift"],), (parts["hours"], parts["paid"], parts["when"]), (parts["long"],)
    )
    return model, bonus(model)


def test_the_hash_of_a_rule_is_the_same_on_every_machine() -> None:
    golden = "pw1:53308bd99f97e0fbfb4cb1bd5e42d1dc4e4f7764b4b0e8e4303887118387ba31"
    assert rule_hash(*build()) == golden


def test_the_scheme_stands_in_front_and_in_the_hash() -> None:
    assert content_hash({"a": 1}) == content_hash({"a": 1})
    assert content_hash({"a": 1}).startswith("pw1:")


CHANGES: dict[str, dict[str, object]] = {
    "a variable's unit": {"hours": replace(HOURS, unit="minutes")},
    "a variable's role": {"hours": replace(HOURS, role=Role.DERIVED)},
    "a variable's description": {"hours": replace(HOURS, description="hours on site")},
    "a variable's phrase": {"paid": replace(PAID, phrases=Phrases("a bonus is paid"))},
    "a variable's negative phrase": {
        "paid": replace(PAID, phrases=Phrases("a bonus is due", "no"))
    },
    "a value's phrase": {
        "shift": replace(SHIFT, values=(SHIFT.values[0], Value("v2", "night", "x")))
    },
    "another value in the list": {
        "shift": replace(SHIFT, values=(*SHIFT.values, Value("v3", "eve")))
    },
    "a definition used": {"long": replace(LONG, term=ge(Symbol("x1", INT), integer(11)))},
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_hash_moves_with(what: str) -> None:
    assert rule_hash(*build(**CHANGES[what])) != rule_hash(*build())


SOURCE_CHANGES: dict[str, Callable[[Source], Source]] = {
    "quote": lambda source: replace(source, quote="A long night shift earns two bonuses."),
    "context": lambda source: replace(source, context=("Pay", "Nights")),
}


@pytest.mark.parametrize("what", SOURCE_CHANGES)
def test_the_hash_moves_with_a_source(what: str) -> None:
    model, rule = build()
    changed = replace(rule, sources=(SOURCE_CHANGES[what](SOURCE),))
    assert rule_hash(model, changed) != rule_hash(model, rule)


def test_renaming_and_moving_change_nothing_where_phrases_are_given() -> None:
    model, rule = build()
    renamed, _ = build(hours=replace(HOURS, name="hoursWorked"))
    moved = replace(rule, name="bonus-2", sources=(replace(SOURCE, start=7, end=41, revision="2"),))
    assert rule_hash(renamed, rule) == rule_hash(model, rule)
    assert rule_hash(model, moved) == rule_hash(model, rule)


def test_a_name_that_is_read_as_a_phrase_counts() -> None:
    model, rule = build()
    renamed = replace(model, variables=(HOURS, PAID, replace(WHEN, name="turn")))
    assert rule_hash(renamed, rule) != rule_hash(model, rule)


def test_writing_the_same_rule_another_way_changes_nothing() -> None:
    model, rule = build()
    other = read_term(
        "(=> (and (and longShift) (not (distinct shift night))) (not (not paid)))", model
    )
    assert rule_hash(model, replace(rule, term=other)) == rule_hash(model, rule)


def test_a_default_is_bound_to_the_rules_it_rests_on() -> None:
    model, rule = build()
    default = replace(
        rule, kind=Kind.DEFAULT, outcome="x2", choice=DefaultChoice.REFUSED, rests_on=("r1", "r2")
    )
    fewer = replace(default, rests_on=("r1",))
    assert rule_content(model, default)["default"] == ["x2", "refused unless granted", ["r1", "r2"]]
    assert rule_hash(model, default) != rule_hash(model, fewer)
