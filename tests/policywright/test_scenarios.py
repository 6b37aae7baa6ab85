"""What one rule says of a claim in a case, told by evaluation; the solver says the same."""

from __future__ import annotations

from fractions import Fraction

import pytest

from policywright.evaluate import Value
from policywright.findings import FindingKind, check_claim
from policywright.hashing import content_hash
from policywright.model import PolicyModel, Rule
from policywright.scenarios import (
    Scenario,
    claims_in,
    concluded,
    exact_text,
    say_said,
    says,
    scenario_content,
    value_of,
)
from policywright.smtlib import Fact, read, read_term
from policywright.terms import Term

DECLARATIONS = """
(declare-datatype Class ((standard) (reduced) (free)))
; variable: {"role": "fact", "unit": "years", "phrases": {"text": "the age"}}
(declare-const age Int)
; variable: {"role": "fact", "unit": "EUR", "phrases": {"text": "the amount"}}
(declare-const amount Real)
; variable: {"role": "fact", "phrases": {"text": "the invoice is overdue"}}
(declare-const overdue Bool)
; variable: {"role": "derived", "phrases": {"text": "the visitor is a senior"}}
(declare-const senior Bool)
; variable: {"role": "outcome", "phrases": {"text": "entry is granted"}}
(declare-const granted Bool)
; variable: {"role": "outcome", "unit": "EUR", "phrases": {"text": "the fee"}}
(declare-const fee Real)
; variable: {"role": "outcome", "phrases": {"text": "the class"}}
(declare-const class Class)
(assert (! (>= age 0) :named nothing))
"""
MODEL = read(DECLARATIONS)
VALID, INVALID, OPEN, IMPOSSIBLE = (
    FindingKind.VALID,
    FindingKind.INVALID,
    FindingKind.SATISFIABLE,
    FindingKind.IMPOSSIBLE,
)
IDS = {variable.name: variable.id for variable in MODEL.variables}
PINNED = "pw1:93a284655a7ef89553162670bb299c4f89a62406a85a91163cdaac3913c168f4"
VALUES = {value.name: value.id for value in MODEL.datatypes[0].values}


def case(**values: Value) -> dict[str, Value]:
    return {IDS[name]: value for name, value in values.items()}


def term(text: str) -> Term:
    return read_term(text, MODEL)


@pytest.mark.parametrize(
    ("rule", "given", "claim", "said"),
    [
        ("(=> (>= age 60) granted)", case(age=60), "granted", VALID),
        ("(=> (>= age 60) granted)", case(age=59), "granted", OPEN),
        ("(=> (< age 18) (not granted))", case(age=17), "granted", INVALID),
        ("(= granted (and senior overdue))", case(senior=True, overdue=False), "granted", INVALID),
        ("(= senior (>= age 60))", case(age=60), "senior", VALID),
        ("(and (=> overdue granted) (=> overdue (not granted)))", case(overdue=True), "granted",
         IMPOSSIBLE),
        ("(=> overdue (= fee (* 0.075 amount)))", case(overdue=True, amount=Fraction(200)),
         "(= fee 15.0)", VALID),
        ("(=> overdue (= fee (* 0.075 amount)))", case(overdue=True, amount=Fraction(200)),
         "(= fee 1500.0)", INVALID),
        ("(=> overdue (= fee (* 0.075 amount)))", case(overdue=False, amount=Fraction(200)),
         "(= fee 15.0)", OPEN),
        ("(=> senior (= class reduced))", case(senior=True), "(= class free)", INVALID),
        ("(=> senior (= class reduced))", case(senior=False), "(= class reduced)", OPEN),
    ],
)  # fmt: skip
def test_a_rule_says_in_a_case_what_the_solver_finds(
    rule: str, given: dict[str, Value], claim: str, said: FindingKind
) -> None:
    assert says(MODEL, term(rule), given, term(claim)) is said
    alone = MODEL.with_rules((Rule("r", "r", term(rule)),))
    facts = [
        Fact(f"f{n}", one) for n, one in enumerate(Scenario(given, None, said).fact_terms(MODEL))
    ]
    assert check_claim(alone, facts, term(claim)).kind is said


@pytest.mark.parametrize(
    ("rule", "given", "claim"),
    [
        ("(=> overdue (<= fee 100.0))", case(overdue=True), "(= fee 15.0)"),
        ("(=> (>= age 60) granted)", case(), "granted"),
        ("(=> (> (/ 1.0 amount) 2.0) granted)", case(amount=Fraction(0)), "granted"),
        ("(=> overdue granted)", case(overdue=True), "(and granted senior)"),
    ],
)
def test_where_evaluation_does_not_tell_nothing_is_claimed(
    rule: str, given: dict[str, Value], claim: str
) -> None:
    assert says(MODEL, term(rule), given, term(claim)) is None


def test_without_a_claim_it_is_said_whether_the_case_can_be() -> None:
    assert says(MODEL, term("(<= age 120)"), case(age=130), None) is IMPOSSIBLE
    assert says(MODEL, term("(<= age 120)"), case(age=30), None) is OPEN


def test_claims_are_about_what_the_rules_decide_with_the_values_that_they_give() -> None:
    readings = [term("(=> overdue (= fee 10.0))"), term("(=> overdue (= fee (* 0.1 amount)))")]
    given = case(overdue=True, amount=Fraction(50))
    assert claims_in(MODEL, readings, given) == [term("(= fee 10.0)"), term("(= fee 5.0)")]
    assert [one.id for one in concluded(MODEL, term("(=> senior (not granted))"))] == [
        IDS["granted"]
    ]


@pytest.mark.parametrize(
    ("claim", "kind", "words"),
    [
        ("granted", VALID, "entry is granted"),
        ("granted", INVALID, "entry is not granted"),
        ("granted", OPEN, "nothing follows"),
        ("granted", IMPOSSIBLE, "this case cannot happen"),
        ("(= fee 15.0)", VALID, "the fee is EUR 15"),
    ],
)
def test_what_is_said_is_said_in_words(claim: str, kind: FindingKind, words: str) -> None:
    assert say_said(MODEL, term(claim), kind) == words


def test_exact_texts_spell_their_values() -> None:
    sorts = {variable.name: variable.sort for variable in MODEL.variables}
    for name, value in (
        ("overdue", True),
        ("age", 6),
        ("amount", Fraction(1, 3)),
        ("class", VALUES["free"]),
    ):
        assert value_of(exact_text(value), sorts[name]) == value


def hash_of(model: PolicyModel, scenario: Scenario) -> str:
    return content_hash({"scenario": scenario_content(model, scenario)})


def test_a_scenario_is_bound_to_its_case_its_claim_and_its_words() -> None:
    scenario = Scenario(case(age=60), term("granted"), VALID)
    first = hash_of(MODEL, scenario)
    assert first == hash_of(read(DECLARATIONS.replace("overdue", "late")), scenario)
    assert first != hash_of(read(DECLARATIONS.replace('"years"', '"months"')), scenario)
    for other in (
        Scenario(case(age=61), term("granted"), VALID),
        Scenario(case(age=60), term("granted"), OPEN),
        Scenario(case(age=60), term("senior"), VALID),
        Scenario(case(age=60), None, VALID),
    ):
        assert hash_of(MODEL, other) != first


def test_the_hash_of_a_scenario_is_pinned() -> None:
    scenario = Scenario(case(age=60, overdue=True), term("granted"), VALID)
    assert hash_of(MODEL, scenario) == PINNED
