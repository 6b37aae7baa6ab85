"""The cases at a rule's edge: one value apart, on two sides, found without a solver."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from policywright.evaluate import holds
from policywright.smtlib import read
from policywright.terms import Apply
from vetting.edges import NOTHING, compared_cases, edge_cases

DECLARATIONS = """
(declare-datatype Destination ((domestic) (international)))
; variable: {"unit": "EUR", "phrases": {"text": "the total trip cost"}}
(declare-const costEur Real)
; variable: {"phrases": {"text": "the destination"}}
(declare-const destination Destination)
; variable: {"phrases": {"text": "a line manager has approved the trip"}}
(declare-const managerApproved Bool)
; variable: {"unit": "months", "phrases": {"text": "completed service"}}
(declare-const tenureMonths Int)
; variable: {"unit": "share", "phrases": {"text": "the discount rate"}}
(declare-const rate Real)
; variable: {"unit": "EUR", "phrases": {"text": "the fare"}}
(declare-const fare Real)
; variable: {"unit": "date", "phrases": {"text": "the day of travel"}}
(declare-const travelDay Int)
; variable: {"role": "outcome", "phrases": {"text": "the trip is approved"}}
(declare-const tripApproved Bool)
"""


def edges(term: str) -> list[tuple[str, str]]:
    model = read(f"{DECLARATIONS}(assert (! {term} :named r))")
    return [(case.at, case.follows) for case in edge_cases(model, model.rules[0])]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (
            "(=> (and (> costEur 1000.0) (not managerApproved)) (not tripApproved))",
            [("EUR 1,000", NOTHING), ("EUR 1,000.01", "the trip is not approved")],
        ),
        (
            "(=> (and (= destination international) (< tenureMonths 6)) (not tripApproved))",
            [("5 months", "the trip is not approved"), ("6 months", NOTHING)],
        ),
        (
            "(=> (>= rate 0.05) tripApproved)",
            [("4.9%", NOTHING), ("5%", "the trip is approved")],
        ),
        (
            "(=> (> travelDay 20526) (not tripApproved))",
            [("14 March 2026", NOTHING), ("15 March 2026", "the trip is not approved")],
        ),
        (
            "(= tripApproved (<= (* 4.0 fare) 1350.0))",
            [("EUR 337.50", "the trip is approved"), ("EUR 337.51", "the trip is not approved")],
        ),
        ("(>= tenureMonths 0)", [("-1 months", "ruled out"), ("0 months", "allowed")]),
        (
            "(=> (and (= destination international) (not managerApproved)) (not tripApproved))",
            [("", "the trip is not approved")],
        ),
    ],
)
def test_the_two_sides_of_an_edge(term: str, expected: list[tuple[str, str]]) -> None:
    assert edges(term) == expected


def test_a_case_is_said_in_english_with_what_else_must_hold() -> None:
    model = read(
        f"{DECLARATIONS}"
        "(assert (=> (and (> costEur 1000.0) (not managerApproved)) (not tripApproved)))"
    )
    case = edge_cases(model, model.rules[0])[1]
    assert case.english == (
        "the total trip cost is EUR 1,000.01 and a line manager has not approved the trip"
    )


def test_the_rest_of_the_condition_is_arranged_so_that_the_bound_decides() -> None:
    term = "(=> (or managerApproved (and (= destination domestic) (> costEur 9.0))) tripApproved)"
    model = read(f"{DECLARATIONS}(assert {term})")
    below, above = edge_cases(model, model.rules[0])
    rule = model.rules[0].term
    assert isinstance(rule, Apply)
    assert not holds(rule.args[0], below.values)
    assert holds(rule.args[0], above.values)
    different = {key for key, value in below.values.items() if above.values[key] != value}
    assert different == {"costEur"}


def test_a_bound_that_can_never_decide_has_no_case() -> None:
    assert (
        edges("(=> (and (> tenureMonths 6) managerApproved (not managerApproved)) tripApproved)")
        == []
    )


def test_a_division_by_zero_is_no_case() -> None:
    assert all(follows for _, follows in edges("(=> (> (/ fare rate) 2.0) tripApproved)"))


def test_the_work_is_bounded_for_a_rule_with_a_hundred_conditions() -> None:
    names = [f"n{number}" for number in range(100)]
    declared = "".join(f"(declare-const {name} Int)" for name in names)
    bounds = " ".join(f"(> {name} {number})" for number, name in enumerate(names))
    model = read(f"{DECLARATIONS}{declared}(assert (=> (and {bounds}) tripApproved))")
    started = time.process_time()
    found = edge_cases(model, model.rules[0])
    assert len(found) == 12
    assert time.process_time() - started < 3


def together(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str]]:
    """What turns out differently if all of these rules are changed at once."""
    sides = []
    for terms in (before, after):
        rules = "".join(f"(assert (! {term} :named {name}))" for name, term in terms.items())
        sides.append(read(f"{DECLARATIONS}{rules}"))
    old, new = sides
    rules = {rule.name: rule for rule in new.rules}
    edits = [(rule, replace(rule, term=rules[rule.name].term)) for rule in old.rules]
    return [(one.english, one.before, one.after) for one in compared_cases(old, edits)]


COST = "(=> (and (> costEur 1000.0) (not managerApproved)) (not tripApproved))"
SERVICE = "(=> (and (= destination international) (< tenureMonths 6)) (not tripApproved))"


def test_what_moves_from_one_rule_to_another_turns_nothing_out_differently() -> None:
    swapped = {"one": SERVICE, "two": COST}
    assert together({"one": COST, "two": SERVICE}, swapped) == []


def test_changes_of_several_rules_show_beside_each_other() -> None:
    """Each where nothing follows from the other: there its own change can be seen."""
    found = together(
        {"one": COST, "two": SERVICE},
        {"one": COST.replace("1000", "1500"), "two": SERVICE.replace(" 6)", " 9)")},
    )
    said = {english: (before, after) for english, before, after in found}
    cost = [one for one in said if "EUR 1,000.01" in one]
    service = [one for one in said if "6 months" in one or "8 months" in one]
    assert len(cost) == 1
    assert said[cost[0]] == ("the trip is not approved", NOTHING)
    assert {said[one] for one in service} == {(NOTHING, "the trip is not approved")}


def test_a_case_that_another_rule_decides_all_the_same_is_no_difference() -> None:
    both = {"one": COST, "two": "(=> (> costEur 900.0) (not tripApproved))"}
    assert together(both, both | {"one": COST.replace("1000", "1500")}) == []
