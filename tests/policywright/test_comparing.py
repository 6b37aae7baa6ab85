"""Whether two readings say the same, and the case that tells them apart."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policywright.comparison import (
    Comparison,
    Differ,
    Same,
    Undecided,
    comparison_from_json,
    comparison_to_json,
    written_alike,
)
from policywright.evaluate import Value, holds
from policywright.finding_kinds import FindingKind
from policywright.findings.comparing import compare
from policywright.model import PolicyModel, Rule
from policywright.smtlib import print_model, print_term, read, read_term
from policywright.solving import SolverProcess
from policywright.terms import Term, and_, eq, not_
from tests.policywright.generated import BASE, assignments, terms
from tests.policywright.solvers import cvc5_answer

DECLARED = """
(declare-datatype Destination ((domestic) (international) (OTHER)))
; variable: {"role": "fact", "unit": "EUR"}
(declare-const cost Real)
; variable: {"role": "fact", "unit": "EUR"}
(declare-const price Real)
; variable: {"role": "fact"}
(declare-const destination Destination)
; variable: {"role": "fact"}
(declare-const managerApproved Bool)
; variable: {"role": "fact", "unit": "months"}
(declare-const serviceMonths Real)
; variable: {"role": "fact", "unit": "years"}
(declare-const age Int)
; variable: {"role": "derived", "unit": "EUR"}
(declare-const fare Real)
; variable: {"role": "outcome", "unit": "EUR"}
(declare-const deposit Real)
; variable: {"role": "outcome"}
(declare-const approved Bool)
; variable: {"role": "outcome"}
(declare-const feeDue Bool)
(declare-datatype Seat ((FRONT) (BACK) (NONE)))
; variable: {"role": "outcome"}
(declare-const seat Seat)
(define-fun isAbroad () Bool (not (= destination domestic)))
"""
VALID, INVALID = FindingKind.VALID, FindingKind.INVALID
OPEN, IMPOSSIBLE = FindingKind.SATISFIABLE, FindingKind.IMPOSSIBLE


def model_of(*assumptions: str) -> PolicyModel:
    assumed = [
        f"; kind: assumption\n(assert (! {a} :named a{n}))" for n, a in enumerate(assumptions)
    ]
    # A rule of the policy, which has no say here.
    rules = ["(assert (! (=> managerApproved (> serviceMonths 100.0)) :named other))", *assumed]
    return read(DECLARED + "\n".join(rules))


def compared(first: str | list[str], second: str | list[str], *assumptions: str) -> Comparison:
    model = model_of(*assumptions)
    sides = [[one] if isinstance(one, str) else one for one in (first, second)]
    return compare(model, *([read_term(text, model) for text in side] for side in sides))


def told(comparison: Comparison) -> tuple[Mapping[str, str], tuple[str, ...], list[FindingKind]]:
    assert isinstance(comparison, Differ)
    case = comparison.case
    facts = {uid: str(value) for uid, value in case.facts.items()}
    return facts, case.shown, [case.first, case.second]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("(=> (< serviceMonths 6) (not approved))", "(=> approved (>= serviceMonths 6))"),
        ("(=> (and managerApproved (> age 5)) approved)",
         "(=> (>= age 6) (=> managerApproved approved))"),
        ("(=> isAbroad (not approved))", "(=> (distinct destination domestic) (not approved))"),
        ("(=> (or (= destination international) (= destination OTHER)) feeDue)",
         "(=> isAbroad feeDue)"),
        ("(= deposit (* 0.15 price))", "(= (* 100.0 deposit) (* 15.0 price))"),
        ("(=> (> (* cost price) 0.0) feeDue)",
         "(=> (or (and (> cost 0) (> price 0)) (and (< cost 0) (< price 0))) feeDue)"),
        (["(=> (> age 65) approved)", "(=> managerApproved approved)"],
         "(=> (or managerApproved (> age 65)) approved)"),
        ("(=> (> (/ cost 2.0) 3.0) feeDue)", "(=> (> cost 6.0) feeDue)"),
    ],
)  # fmt: skip
def test_what_says_the_same_in_other_words_is_the_same(
    first: str | list[str], second: str | list[str]
) -> None:
    assert compared(first, second) == Same()
    assert compared(second, first) == Same()


@pytest.mark.parametrize(
    ("first", "second", "facts", "shown", "says"),
    [
        # Inclusive and exclusive: the one value that both bounds name.
        ("(=> (and isAbroad (< serviceMonths 6)) (not approved))",
         "(=> (and isAbroad (<= serviceMonths 6)) (not approved))",
         {"destination": "international", "serviceMonths": "6"}, ("serviceMonths",),
         [OPEN, INVALID]),
        # 'If' and 'only if': both are at the bound they share.
        ("(=> (>= serviceMonths 6) approved)", "(=> approved (>= serviceMonths 6))",
         {"serviceMonths": "6"}, ("serviceMonths",), [VALID, OPEN]),
        # Another number: the bound at which they part.
        ("(=> (and (> cost 1000) (not managerApproved)) (not approved))",
         "(=> (and (> cost 100) (not managerApproved)) (not approved))",
         {"cost": "1000", "managerApproved": "False"}, ("cost",), [OPEN, INVALID]),
        # A condition left out: the case that has all but that one.
        ("(=> (and (> cost 1000) (not managerApproved)) (not approved))",
         "(=> (> cost 1000) (not approved))",
         {"cost": "1001", "managerApproved": "True"}, ("managerApproved",), [OPEN, INVALID]),
        # 'Or' and 'and'.
        ("(=> (or managerApproved (>= age 18)) approved)",
         "(=> (and managerApproved (>= age 18)) approved)",
         {"managerApproved": "False", "age": "18"}, ("managerApproved", "age"), [VALID, OPEN]),
        # A value that one reading forgets.
        ("(=> (= destination international) feeDue)", "(=> isAbroad feeDue)",
         {"destination": "OTHER"}, ("destination",), [OPEN, VALID]),
        # Granting and forbidding.
        ("(=> (> age 65) (not approved))", "(=> (> age 65) approved)",
         {"age": "66"}, ("age",), [INVALID, VALID]),
        # Another outcome, which is no fact of the case.
        ("(=> (> age 65) (not approved))", "(=> (> age 65) (not feeDue))",
         {"age": "66"}, ("age",), [INVALID, OPEN]),
        # An amount: 15 of a hundred, or 15 times.
        ("(= deposit (* 0.15 price))", "(= deposit (* 15.0 price))",
         {"price": "100"}, ("price",), [VALID, INVALID]),
        # Only if, with what else is needed in order.
        ("(=> approved (and (>= age 18) managerApproved))",
         "(=> approved (and (> age 18) managerApproved))",
         {"managerApproved": "True", "age": "18"}, ("age",), [OPEN, INVALID]),
        # Between two whole numbers there is nothing; between two amounts there is.
        ("(=> (> serviceMonths 5) approved)", "(=> (>= serviceMonths 6) approved)",
         {"serviceMonths": "51/10"}, ("serviceMonths",), [VALID, OPEN]),
        # Two amounts multiplied.
        ("(=> (> (* cost price) 2.0) feeDue)", "(=> (>= (* cost price) 2.0) feeDue)",
         {"cost": "100", "price": "1/50"}, ("cost", "price"), [OPEN, VALID]),
    ],
)  # fmt: skip
def test_the_case_that_tells_them_apart(
    first: str,
    second: str,
    facts: dict[str, str],
    shown: tuple[str, ...],
    says: list[FindingKind],
) -> None:
    assert told(compared(first, second)) == (facts, shown, says)


def test_the_bound_is_named_and_the_outcome_is_the_claim() -> None:
    found = compared("(=> (> cost 1000) (not approved))", "(=> (>= cost 1000) (not approved))")
    assert isinstance(found, Differ)
    assert found.case.exact == {"cost"}
    assert found.case.claim == model_of().variable_by_id["approved"].symbol


def test_of_an_amount_the_claim_is_its_value() -> None:
    found = compared("(= deposit (* 0.15 price))", "(= deposit (* 0.2 price))")
    assert isinstance(found, Differ)
    assert found.case.claim is not None
    assert print_term(model_of(), found.case.claim) == "(= deposit 15.0)"


def test_of_a_choice_the_claim_is_the_value_that_a_reading_gives_it() -> None:
    found = compared("(=> (> age 65) (= seat FRONT))", "(=> (>= age 65) (= seat FRONT))")
    assert told(found) == ({"age": "65"}, ("age",), [OPEN, VALID])
    assert isinstance(found, Differ)
    assert found.case.claim is not None
    assert print_term(model_of(), found.case.claim) == "(= seat FRONT)"


def test_an_amount_that_neither_reading_gives_is_asked_as_it_is_in_the_case() -> None:
    found = compared("(<= deposit 100)", "(< deposit 100)")
    assert told(found) == ({}, (), [OPEN, INVALID])


def test_without_an_outcome_a_case_may_be_or_may_not() -> None:
    found = compared("(=> managerApproved (> age 65))", "(=> (> age 65) managerApproved)")
    assert isinstance(found, Differ)
    assert found.case.claim is None
    assert {found.case.first, found.case.second} == {OPEN, IMPOSSIBLE}


def test_only_assumptions_count_besides_and_they_do_count() -> None:
    pair = ("(=> (>= cost 0) approved)", "(=> (>= (* 2.0 cost) (- 5.0)) approved)")
    assert isinstance(compared(*pair), Differ)
    assert compared(*pair, "(>= cost 0)") == Same()


def test_assumptions_that_contradict_each_other_make_nothing_the_same() -> None:
    found = compared("approved", "feeDue", "(> cost 5)", "(< cost 5)")
    assert found == Undecided("the assumptions contradict each other")


def test_a_derived_variable_is_free_unless_an_assumption_says_what_it_is() -> None:
    pair = ("(=> (> fare 10) feeDue)", "(=> (> cost 5) feeDue)")
    assert isinstance(compared(*pair), Differ)
    assert compared(*pair, "(= fare (* 2.0 cost))") == Same()


def test_a_case_keeps_to_the_assumptions() -> None:
    pair = ("(=> (> (/ cost price) 0.9) feeDue)", "(=> (> cost (* 0.9 price)) feeDue)")
    facts, _, _ = told(compared(*pair))
    assert Fraction(facts["price"]) < 0
    assert compared(*pair, "(> price 0)") == Same()


def test_a_difference_only_where_something_is_divided_by_zero_is_not_claimed() -> None:
    found = compared(
        "(=> (> (/ cost price) 0.9) feeDue)",
        "(=> (and (distinct price 0) (> (/ cost price) 0.9)) feeDue)",
    )
    assert found == Undecided("they may differ only where something is divided by zero")


def test_a_division_that_is_guarded_may_differ_at_zero() -> None:
    guarded = "(=> (ite (= price 0) {} (> (/ cost price) 0.9)) feeDue)"
    facts, _, _ = told(compared(guarded.format("true"), guarded.format("false")))
    assert facts["price"] == "0"


def test_what_differs_at_no_fraction_is_undecided() -> None:
    found = compared("(=> (> (* cost cost) 2.0) feeDue)", "(=> (>= (* cost cost) 2.0) feeDue)")
    assert isinstance(found, Undecided)


def test_a_limit_that_is_reached_is_undecided_never_the_same() -> None:
    model = model_of()
    cubes = "(+ (* cost cost cost) (* price price price))"
    pair = [
        f"(=> (> {cubes} (* fare fare fare)) feeDue)",
        f"(=> (not (<= {cubes} (* 1.0 fare fare fare))) feeDue)",
    ]
    sides = [[read_term(text, model)] for text in pair]
    assert isinstance(compare(model, *sides, rlimit=1), Undecided)


def test_conditions_that_are_too_large_are_not_compared() -> None:
    model = model_of()
    big = read_term(f"(=> (> (+ {' '.join(['cost'] * 6_000)}) 1.0) feeDue)", model)
    assert isinstance(compare(model, [big], [read_term("feeDue", model)]), Undecided)


def test_the_same_written_in_another_order_needs_no_solver() -> None:
    model = model_of()
    one, other = (read_term(t, model) for t in ("(=> (> age 65) approved)", "(not feeDue)"))
    assert written_alike([one, other], [and_(other, not_(not_(one)))])
    assert not written_alike([one], [one, other])
    assert compare(model, [one, other], [other, one], rlimit=1) == Same()


def test_the_same_question_gets_the_same_answer() -> None:
    pair = ("(=> (or managerApproved (> cost 10)) approved)", "(=> (> (* 2.0 cost) 15) approved)")
    first = compared(*pair)
    assert all(compared(*pair) == first for _ in range(3))


def test_a_process_compares_as_the_library_does() -> None:
    model = model_of("(> price 0)")
    texts = [
        "(=> (> (/ cost price) 0.9) feeDue)",
        "(=> (> cost (* 0.9 price)) feeDue)",
        "(=> (>= cost (* 0.9 price)) feeDue)",
        "(= deposit (* 0.15 price))",
    ]
    sides = [[read_term(text, model)] for text in texts]
    with SolverProcess() as solver:
        for first, second in product(sides, repeat=2):
            expected = compare(model, first, second)
            assert solver.compare(model, first, second) == expected
            assert comparison_from_json(model, comparison_to_json(model, expected)) == expected


def test_no_answer_in_time_is_undecided() -> None:
    model = model_of()
    sides = [[read_term(text, model)] for text in ("(> age 5)", "(>= age 6)")]
    stuck = (sys.executable, "-c", "import time; time.sleep(60)")
    with SolverProcess(deadline_s=0.2, command=stuck) as solver:
        found = solver.compare(model, *sides)
    assert found == Undecided("there was no answer within 0.2 seconds")


cases = st.lists(assignments(), min_size=8, max_size=8)


@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
@given(terms(), terms(), cases)
def test_evaluation_bears_out_what_is_said(
    one: Term, other: Term, tried: list[dict[str, Value]]
) -> None:
    found = compare(BASE, [one], [other], rlimit=300_000)
    if isinstance(found, Same):
        for case in tried:
            assert holds(one, case, BASE) is holds(other, case, BASE)
    if isinstance(found, Differ):
        told = found.case
        for case in tried:
            case |= told.facts
            claim = told.claim is None or holds(told.claim, case, BASE)
            for side, says in ((one, told.first), (other, told.second)):
                possible = holds(side, case, BASE)
                assert not possible or says in (OPEN, VALID if claim else INVALID)


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(terms(), terms())
def test_cvc5_agrees(one: Term, other: Term) -> None:
    found = compare(BASE, [one], [other], rlimit=300_000)
    model = BASE.with_rules([Rule("r", "differ", not_(eq(one, other)))])
    answer = cvc5_answer(print_model(model), limit_ms=150)
    assert answer != ("sat" if isinstance(found, Same) else "unsat") or isinstance(found, Undecided)


SMALL = [
    "a", "b", "(not a)", "(and a b)", "(or a b)", "(=> a out)", "(=> out a)", "(=> (and a b) out)",
    "(=> (or a b) out)", "(=> (= e x) out)", "(=> (distinct e y) (not out))", "(= out a)",
    "(=> (not a) (not out))", "(ite a out b)", "(xor a out)", "(=> a (or b out))",
]  # fmt: skip


def test_all_pairs_of_small_conditions_tried_by_brute_force() -> None:
    declared = "(declare-datatype E ((x) (y) (z)))(declare-const e E)" + "".join(
        f'; variable: {{"role": "{role}"}}\n(declare-const {name} Bool)\n'
        for name, role in (("a", "fact"), ("b", "fact"), ("out", "outcome"))
    )
    model = read(declared.replace("E)", "E)\n") + "(assert (! a :named r))")
    values = {"a": [True, False], "b": [True, False], "out": [True, False], "e": ["x", "y", "z"]}
    every = [dict(zip(values, one, strict=True)) for one in product(*values.values())]
    sides = [read_term(text, model) for text in SMALL]
    for one, other in product(sides, repeat=2):
        found = compare(model, [one], [other])
        same = all(holds(one, case) is holds(other, case) for case in every)
        assert isinstance(found, Same if same else Differ)
        if isinstance(found, Differ):
            for side, says in ((one, found.case.first), (other, found.case.second)):
                assert says is _said(side, found, every)


def _said(side: Term, found: Differ, every: list[dict[str, Value]]) -> FindingKind:
    facts, claim = found.case.facts, found.case.claim
    left = [case for case in every if facts.items() <= case.items() and holds(side, case)]
    if claim is None:
        return OPEN if left else IMPOSSIBLE
    truths = {holds(claim, case) for case in left}
    return {
        (): IMPOSSIBLE, (True,): VALID, (False,): INVALID, (False, True): OPEN,
    }[tuple(sorted(truths))]  # fmt: skip
