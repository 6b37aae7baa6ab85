"""Field reports, for what lint has to say of them."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

from policywright.findings import FindingKind, find
from policywright.lint import Diagnostic, FixKind, lint, proposed
from policywright.model import Kind, PolicyModel, Role, Source
from policywright.smtlib import read, read_answer
from tests.policywright.shared import shared


def case(number: int) -> dict[str, str]:
    path = shared("cases", "files", "fr-65-76-policy-meaning.json")
    cases = json.loads(path.read_text(encoding="utf-8"))
    return next(one for one in cases if one["case"] == f"FR-{number}")


def policy(number: int, rules: str, **roles: Role) -> PolicyModel:
    """The declarations of a case with some of its rules; roles by name."""
    model = read(case(number)["declarations"] + case(number)[rules])
    variables = tuple(
        replace(v, role=roles.get(v.name, Role.FACT), role_guessed=False) for v in model.variables
    )
    return PolicyModel(model.datatypes, variables, (), model.rules)


def quoting(model: PolicyModel, *quotes: tuple[str, str]) -> PolicyModel:
    """The model with a section and a sentence for each rule."""
    rules = [
        replace(rule, sources=(Source("Text", "1", 0, len(quote), quote, (section,)),))
        for rule, (section, quote) in zip(model.rules, quotes, strict=True)
    ]
    return model.with_rules(rules)


def found(model: PolicyModel, code: str) -> list[Diagnostic]:
    return [d for d in lint(model).diagnostics if d.code == code]


def test_fr_09_a_divisor_that_can_be_zero_is_flagged_and_a_guard_asked_for() -> None:
    text = (
        "(declare-const total Real)(declare-const claims Real)(declare-const audited Bool)"
        "(assert (! (=> (> (/ total claims) 100.0) audited) :named average))"
        "(assert (! (>= claims 0) :named range))"
    )
    (diagnostic,) = found(read(text), "division-by-zero")
    assert "divides by the claims, which is zero where the claims is 0" in diagnostic.message
    assert diagnostic.witness is not None
    assert diagnostic.witness["claims"] == 0
    assert not found(proposed(read(text), diagnostic.fixes[0]), "division-by-zero")


def test_fr_66_a_percentage_taken_for_a_share_is_flagged() -> None:
    sentence = ("Fees", case(66)["sentence"])
    wrong = quoting(policy(66, "wrong_rules", late_fee=Role.OUTCOME), sentence)
    (diagnostic,) = found(wrong, "share-above-1")
    assert "the sentence says 7.5%, which is 0.075" in diagnostic.message
    right = quoting(policy(66, "right_rules", late_fee=Role.OUTCOME), sentence)
    assert not found(right, "share-above-1")
    mended = proposed(wrong, diagnostic.fixes[0])
    answer = read_answer(
        "(assert overdue)(assert (= amount 200.0))(define-fun claim () Bool (= late_fee 15.0))",
        mended,
    )
    assert find(mended, answer).kind is FindingKind.VALID


def test_fr_66_a_share_that_is_compared_with_more_than_the_whole_is_flagged() -> None:
    text = (
        '; variable: {"unit": "share"}\n(declare-const rate Real)\n(declare-const dear Bool)\n'
        "(assert (! (=> (> rate 7.5) dear) :named high))"
    )
    (diagnostic,) = found(read(text), "share-above-1")
    assert "a share, of which the whole is 1" in diagnostic.message


def test_fr_69_the_clash_is_shown_with_both_sentences_a_case_below_50_and_the_exception() -> None:
    first, second = case(69)["sentence"].split(". Section 9: ")
    model = quoting(
        policy(69, "wrong_rules", approval_needed=Role.OUTCOME),
        ("Section 2", first.removeprefix("Section 2: ") + "."),
        ("Section 9", second),
    )
    (diagnostic,) = lint(model).errors
    assert diagnostic.code == "conflict"
    assert "Every purchase needs a manager's approval." in diagnostic.message
    assert "Purchases below 50 dollars need no approval." in diagnostic.message
    assert diagnostic.witness is not None
    amount = diagnostic.witness["amount"]
    assert isinstance(amount, Fraction)
    assert amount < 50
    fix = diagnostic.fixes[0]
    assert (fix.kind, fix.label) == (FixKind.EXCEPTION, "'Section 9' limits 'Section 2'")
    mended = proposed(model, fix)
    assert lint(mended).errors == ()
    answer = read_answer(
        "(assert (= amount 30.0))(define-fun claim () Bool (not approval_needed))", mended
    )
    assert find(mended, answer).kind is FindingKind.VALID


def test_fr_70_two_rules_clash_at_exactly_1000_and_leave_a_gap_at_1001() -> None:
    model = policy(70, "wrong_rules", handler=Role.OUTCOME)
    (diagnostic,) = lint(model).errors
    assert diagnostic.code == "conflict"
    assert diagnostic.witness == {"claim": 1000}
    assert "where the claim is 1,000" in diagnostic.message
    above = case(70)["wrong_rules"].replace("(>= claim 1000.0)", "(> claim 1001.0)")
    gap = read(case(70)["declarations"] + above)
    (diagnostic,) = found(gap, "threshold-gap")
    assert "lies between 1,000 and 1,001" in diagnostic.message
    assert diagnostic.witness is not None
    assert diagnostic.witness["claim"] == Fraction(2001, 2)
    assert not lint(gap).errors


def test_fr_71_a_rule_that_is_a_bare_fact_is_asked_about() -> None:
    wrong = policy(71, "wrong_rules", complies=Role.OUTCOME)
    (diagnostic,) = found(wrong, "bare-assertion")
    assert "always true, or a duty that someone can break?" in diagnostic.message
    always, duty = diagnostic.fixes
    assert proposed(wrong, always).rules[0].kind is Kind.ASSUMPTION
    mended = proposed(wrong, duty)
    assert not found(mended, "bare-assertion")
    answer = read_answer("(assert (not licence_valid))(define-fun claim () Bool complies)", mended)
    assert find(mended, answer).kind is FindingKind.INVALID
    assert not found(policy(71, "right_rules", complies=Role.OUTCOME), "bare-assertion")


def test_fr_74_rules_that_keep_statuses_apart_are_asked_about() -> None:
    wrong = policy(74, "wrong_rules", reduced_fee=Role.OUTCOME)
    (diagnostic,) = found(wrong, "bare-assertion")
    assert diagnostic.rules == (wrong.rules[1].id,)
    assert not found(policy(74, "right_rules", reduced_fee=Role.OUTCOME), "bare-assertion")


def test_fr_75_a_list_without_other_and_a_rule_that_excludes_it_are_flagged() -> None:
    wrong = policy(75, "wrong_rules", days=Role.OUTCOME)
    assert [d.rules for d in found(wrong, "bare-assertion")] == [(wrong.rules[2].id,)]
    closed = read(case(75)["declarations"].replace("(OTHER)", "") + case(75)["right_rules"])
    assert len(found(closed, "no-other")) == 1
    assert not found(policy(75, "right_rules", days=Role.OUTCOME), "no-other")


def test_fr_77_months_added_to_a_date_are_asked_about() -> None:
    text = (
        '; variable: {"unit": "date"}\n(declare-const decision Int)\n'
        '; variable: {"unit": "date"}\n(declare-const appeal Int)\n'
        '; variable: {"unit": "months"}\n(declare-const period Int)\n'
        "(declare-const inTime Bool)\n"
        "(assert (! (= inTime (<= appeal (+ decision period))) :named appeals))"
    )
    (diagnostic,) = found(read(text), "mixed-units")
    assert "adds an amount in days and an amount in months" in diagnostic.message
