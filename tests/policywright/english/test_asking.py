"""What a person is asked about two readings: one case, and no list of all its facts."""

from __future__ import annotations

import pytest

from policywright.comparison import Differ
from policywright.english.asking import ask, render_question
from policywright.findings.comparing import compare
from policywright.smtlib import read, read_term

DECLARED = """
(declare-datatype Destination ((domestic) (international) (OTHER)))
; variable: {"role": "fact", "unit": "EUR", "phrases": {"text": "the total trip cost"}}
(declare-const cost Real)
; variable: {"role": "fact", "phrases": {"text": "the destination"}}
(declare-const destination Destination)
; variable: {"role": "fact", "phrases": {"text": "a line manager has approved the trip"}}
(declare-const managerApproved Bool)
; variable: {"role": "fact", "unit": "months", "phrases": {"text": "the completed service"}}
(declare-const serviceMonths Int)
; variable: {"role": "fact", "unit": "date", "phrases": {"text": "the day of travel"}}
(declare-const travelDay Int)
; variable: {"role": "outcome", "unit": "EUR", "phrases": {"text": "the deposit"}}
(declare-const deposit Real)
; variable: {"role": "outcome", "phrases": {"text": "the trip is approved"}}
(declare-const approved Bool)
(assert (! approved :named no-say))
"""


def asked(first: str, second: str) -> str:
    model = read(DECLARED)
    found = compare(model, [read_term(first, model)], [read_term(second, model)])
    assert isinstance(found, Differ)
    return render_question(model, found.case)


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("(=> (and (= destination international) (< serviceMonths 6)) (not approved))",
         "(=> (and (= destination international) (<= serviceMonths 6)) (not approved))",
         "If the completed service is exactly 6 months, and all else is in order: "
         "is the trip approved?"),
        ("(=> (and (> cost 1000) (not managerApproved)) (not approved))",
         "(=> (> cost 1000) (not approved))",
         "If a line manager has approved the trip, and all else is in order: is the trip "
         "approved?"),
        ("(=> (> travelDay 20526) (not approved))", "(=> (>= travelDay 20526) (not approved))",
         "If the day of travel is exactly 14 March 2026: is the trip approved?"),
        ("(=> (= destination international) approved)",
         "(=> (distinct destination domestic) approved)",
         "If the destination is OTHER: is the trip approved?"),
        ("(= deposit (* 0.15 cost))", "(= deposit (* 0.2 cost))",
         "If the total trip cost is EUR 100: is the deposit EUR 15?"),
        ("(<= deposit 100)", "(< deposit 100)", "Whatever the case: is the deposit EUR 100?"),
        ("(=> managerApproved (> cost 10))", "(=> (> cost 10) managerApproved)",
         "If the total trip cost is exactly EUR 10 and a line manager has approved the trip: "
         "may that be?"),
    ],
)  # fmt: skip
def test_the_question(first: str, second: str, question: str) -> None:
    assert asked(first, second) == question


@pytest.mark.parametrize(
    ("clause", "question"),
    [
        ("the trip is approved", "is the trip approved"),
        ("employees may travel abroad", "may employees travel abroad"),
        ("a line manager has approved the trip", "has a line manager approved the trip"),
        ("the guest has a card", "is it so that the guest has a card"),
        ("a person who is ill may stay", "is it so that a person who is ill may stay"),
        ("the fee, if any, is due", "is it so that the fee, if any, is due"),
        ("the driver holds a licence", "does the driver hold a licence"),
        ("the trip complies with this policy", "does the trip comply with this policy"),
        ("you travel abroad", "do you travel abroad"),
        ("staff travel abroad", "is it so that staff travel abroad"),
        (
            "an employee who holds a card enters",
            "is it so that an employee who holds a card enters",
        ),
        ("is", "is it so that is"),
    ],
)
def test_a_clause_is_turned_only_where_its_verb_is_known(clause: str, question: str) -> None:
    assert ask(clause) == question
