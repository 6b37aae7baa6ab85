"""Field reports on what policies mean, as `policywright check` answers: files in, findings out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from policywright.cli import main

Check = Any


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """`check(policy, answer)`: the exit code, and the JSON document or what stands on stderr."""

    def run(policy: str, answer: str) -> tuple[int, Any]:
        paths = [tmp_path / "policy.smt2", tmp_path / "answer.smt2"]
        for path, text in zip(paths, (policy, answer), strict=True):
            path.write_text(text)
        code = main(["check", *map(str, paths), "--json"])
        out, problems = capsys.readouterr()
        return code, json.loads(out) if out else problems

    return run


PURCHASES = """
; variable: {"role": "fact", "unit": "USD", "phrases": {"text": "the amount of the purchase"}}
(declare-const amount Real)
; variable: {"role": "outcome", "phrases": {"text": "the purchase needs approval"}}
(declare-const approvalNeeded Bool)
"""
EVERY = "Each purchase is approved by a manager first."
SMALL = "A purchase of less than 50 dollars is free of approval."


def rule(name: str, term: str, quote: str) -> str:
    source = {"document": "Buying", "revision": "1", "offsets": [0, len(quote)], "quote": quote}
    return f"; source: {json.dumps(source)}\n(assert (! {term} :named {name}))\n"


FLAT = (
    PURCHASES
    + rule("every-purchase", "approvalNeeded", EVERY)
    + rule("small-purchase", "(=> (< amount 50.0) (not approvalNeeded))", SMALL)
)
WITH_THE_EXCEPTION = (
    PURCHASES
    + rule("every-purchase", "(=> (not (< amount 50.0)) approvalNeeded)", EVERY)
    + rule("small-purchase", "(=> (< amount 50.0) (not approvalNeeded))", SMALL)
)


def of(amount: str, claim: str) -> str:
    return (
        f"(assert (! (= amount {amount}) :named amount-of-it))\n(define-fun claim () Bool {claim})"
    )


def test_fr_69_two_flat_rules_make_a_small_purchase_impossible_by_both_sentences(
    check: Check,
) -> None:
    code, finding = check(FLAT, of("30.0", "(not approvalNeeded)"))
    assert (code, finding["finding"]) == (1, "IMPOSSIBLE")
    assert finding["rules"] == ["every-purchase", "small-purchase"]
    assert EVERY in finding["english"]
    assert SMALL in finding["english"]


@pytest.mark.parametrize(
    ("amount", "claim"),
    [
        ("30.0", "(not approvalNeeded)"),
        ("49.99", "(not approvalNeeded)"),
        ("50.0", "approvalNeeded"),
    ],
)
def test_fr_69_with_the_exception_written_each_side_is_valid(
    check: Check, amount: str, claim: str
) -> None:
    code, finding = check(WITH_THE_EXCEPTION, of(amount, claim))
    assert (code, finding["finding"]) == (0, "VALID")


TRANSFERS = """
; variable: {"role": "fact", "unit": "EUR", "phrases": {"text": "the amount"}}
(declare-const amount Real)
; variable: {"role": "fact", "phrases": {"text": "the number of approvers"}}
(declare-const approvers Int)
; variable: {"role": "outcome", "phrases": {"text": "the transfer is allowed"}}
(declare-const allowed Bool)
(assert (! (= allowed (or (<= amount 10000.0) (>= approvers 2))) :named two-approvers))
"""
ALLOWED = "(define-fun claim () Bool allowed)"


def test_fr_72_a_missing_fact_is_no_verdict_and_is_named(check: Check) -> None:
    code, finding = check(TRANSFERS, f"(assert (= amount 12000.0))\n{ALLOWED}")
    assert (code, finding["finding"]) == (1, "SATISFIABLE")
    assert finding["depends_on"] == ["approvers"]


@pytest.mark.parametrize("amount", ['"12000"', "true", "twelveThousand"])
def test_fr_72_a_mistyped_fact_is_unusable_and_never_valid(check: Check, amount: str) -> None:
    code, problems = check(TRANSFERS, f"(assert (= amount {amount}))\n{ALLOWED}")
    assert code == 2
    assert "answer.smt2" in problems


@pytest.mark.parametrize(("approvers", "code", "kind"), [("1", 1, "INVALID"), ("2", 0, "VALID")])
def test_fr_72_only_all_the_facts_open_the_gate(
    check: Check, approvers: str, code: int, kind: str
) -> None:
    facts = f"(assert (= amount 12000.0))\n(assert (= approvers {approvers}))\n{ALLOWED}"
    found = check(TRANSFERS, facts)
    assert (found[0], found[1]["finding"]) == (code, kind)


FEES = """
(declare-datatype Status ((student) (veteran) (member)))
; variable: {"role": "fact", "phrases": {"text": "the status"}}
(declare-const status Status)
; variable: {"role": "outcome", "phrases": {"text": "the fee is reduced"}}
(declare-const reduced Bool)
(assert (! (=> (or (= status student) (= status veteran) (= status member)) reduced) :named r))
"""
FEES_APART = """
; variable: {"role": "fact", "phrases": {"text": "the status includes student"}}
(declare-const student Bool)
; variable: {"role": "fact", "phrases": {"text": "the status includes veteran"}}
(declare-const veteran Bool)
; variable: {"role": "outcome", "phrases": {"text": "the fee is reduced"}}
(declare-const reduced Bool)
(assert (! (=> (or student veteran) reduced) :named r))
"""


def test_fr_74_values_that_exclude_each_other_make_two_at_once_impossible(check: Check) -> None:
    both = "(assert (= status student))\n(assert (= status veteran))\n"
    assert check(FEES, f"{both}(define-fun claim () Bool reduced)")[1]["finding"] == "IMPOSSIBLE"
    both = "(assert student)\n(assert veteran)\n"
    assert check(FEES_APART, f"{both}(define-fun claim () Bool reduced)")[1]["finding"] == "VALID"


LEAVE = """
; variable: {"role": "fact", "phrases": {"text": "the kind of staff"}}
(declare-const kind Staff)
; variable: {"role": "outcome", "unit": "days", "phrases": {"text": "the leave"}}
(declare-const leave Int)
(assert (! (=> (= kind permanent) (= leave 25)) :named permanent-leave))
(assert (! (=> (= kind intern) (= leave 10)) :named intern-leave))
"""
NOT_PERMANENT = "(assert (not (= kind permanent)))\n(define-fun claim () Bool (= leave 10))"


@pytest.mark.parametrize(
    ("values", "kind"),
    [("(permanent) (intern) (OTHER)", "SATISFIABLE"), ("(permanent) (intern)", "VALID")],
)
def test_fr_75_only_a_complete_list_leaves_nobody_else(
    check: Check, values: str, kind: str
) -> None:
    declared = f"(declare-datatype Staff ({values}))\n"
    assert check(declared + LEAVE, NOT_PERMANENT)[1]["finding"] == kind


DISCOUNT = """
; variable: {"role": "outcome", "phrases": {"text": "the discount is granted"}}
(declare-const granted Bool)
; variable: {"role": "fact", "phrases": {"text": "the guest is a member"}}
(declare-const isMember Bool)
; variable: {"role": "fact", "phrases": {"text": "the stay is long"}}
(declare-const isLong Bool)
(assert (! (= granted (and isMember isLong)) :named discount))
"""


def test_fr_78_all_of_it_claimed_is_open_and_the_reason_is_said(check: Check) -> None:
    claim = "(define-fun claim () Bool (and (not granted) (not isMember) isLong))"
    code, finding = check(DISCOUNT, claim)
    assert (code, finding["finding"], finding["facts"]) == (1, "SATISFIABLE", [])
    assert finding["english"].startswith("Nothing was taken as given:")
    assert finding["scenarios"]["holds"] != finding["scenarios"]["fails"]


def test_fr_78_what_is_given_decides_the_rest(check: Check) -> None:
    given = "(assert (! (not isMember) :named given))\n(define-fun claim () Bool (not granted))"
    code, finding = check(DISCOUNT, given)
    assert (code, finding["finding"], finding["facts"]) == (0, "VALID", ["given"])
    assert "Nothing was taken as given" not in finding["english"]
