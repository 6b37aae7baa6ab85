"""What the fuzzers call: hostile text in, and nothing out but the errors that are promised.

Each target takes any text. What it lets through (a crash, a RecursionError, a
wrong result of a round trip) is a fault of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from policywright.english.draft import draft
from policywright.english.drafts import SourceSentence
from policywright.english.joints import RuleNotReadError
from policywright.english.read_rule import parse_rule
from policywright.errors import ReadError
from policywright.model import PolicyModel
from policywright.normal import normal_form
from policywright.smtlib import print_model, print_term, read, read_answer, read_term

DECLARATIONS = """
(declare-datatype Season ((low) (high)))
; variable: {"unit": "EUR", "phrases": {"text": "the fee"}}
(declare-const fee Real)
; variable: {"unit": "years", "phrases": {"text": "the age"}}
(declare-const age Int)
(declare-const season Season)
; variable: {"phrases": {"text": "the card is shown", "negative": "the card is not shown"}}
(declare-const cardShown Bool)
; variable: {"role": "outcome", "phrases": {"text": "entry is allowed"}}
(declare-const entryAllowed Bool)
(define-fun adult () Bool (>= age 18))
"""
POLICY = DECLARATIONS + "(assert (! (=> (and adult (not cardShown)) (= fee 12.5)) :named r1))\n"
MODEL: PolicyModel = read(POLICY)


def fuzz_read(text: str) -> None:
    with suppress(ReadError):
        model = read(text)
        assert read(print_model(model)) == model


def fuzz_read_term(text: str) -> None:
    with suppress(ReadError):
        term = read_term(text, MODEL)
        assert read_term(print_term(MODEL, term), MODEL) == term


def fuzz_read_answer(text: str) -> None:
    with suppress(ReadError):
        answer = read_answer(text, MODEL)
        for term in (*(fact.term for fact in answer.facts), answer.claim):
            print_term(MODEL, term)


def fuzz_parse_rule(text: str) -> None:
    with suppress(RuleNotReadError):
        term = parse_rule(text, MODEL)
        assert normal_form(term) == term


def fuzz_draft(text: str) -> None:
    draft(SourceSentence(text), MODEL)


TARGETS: Mapping[str, Callable[[str], None]] = {
    "read": fuzz_read,
    "read_term": fuzz_read_term,
    "read_answer": fuzz_read_answer,
    "parse_rule": fuzz_parse_rule,
    "draft": fuzz_draft,
}

SEEDS: Mapping[str, tuple[str, ...]] = {
    "read": (POLICY, "(declare-datatypes ((A 0)) (((a) (b))))(assert (distinct a (as b A)))"),
    "read_term": (
        "(=> (let ((x (+ fee 1.5))) (< 0 x (* 2 fee))) (xor adult (= season low)))",
        "(ite (distinct age 1 (- 2)) (>= (to_int (/ fee 3.0)) 7) (not |cardShown|))",
    ),
    "read_answer": (
        "(assert (! (= fee 5) :named f))(define-const c Bool cardShown)"
        "(define-fun claim () Bool (and c entryAllowed))",
    ),
    "parse_rule": (
        "If the age is at least 18 and the card is not shown, then the fee is EUR 12.50.",
        "If all of the following hold:\n  - the season is low;\n  - any of the following holds:\n"
        "      - the card is shown;\n      - 2 × the fee is at most EUR 1,000,\n"
        "then entry is allowed.",
    ),
    "draft": (
        "Visitors aged 65 or over pay EUR 12.50 unless the card is shown.",
        "Trips exceeding EUR 1,000 require line-manager approval.",
    ),
}
