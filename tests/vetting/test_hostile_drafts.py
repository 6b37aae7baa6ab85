"""Drafts that nobody would write: lint and suite of them end, and say what was cut."""

from __future__ import annotations

import pytest

from policies.composing import compose
from policies.jobs.embedded import run_next
from policies.models import Item, Policy, User
from policies.models.jobs import ItemState
from tests.loans import draft_loans
from vetting.edits import edit_rule
from vetting.lint import lint_made
from vetting.refusals import ReadingError, RefusedError
from vetting.suites import SuiteNow, start_suite, suite_now

pytestmark = pytest.mark.django_db


@pytest.fixture
def loans(alice: User) -> Policy:
    return draft_loans(alice)


def edited(policy: Policy, user: User, name: str, smtlib: str) -> None:
    rule = policy.rules.get(name=name, retired_at=None)
    shown = compose(policy).hashes[rule.uid]
    edit_rule(policy, user, rule, smtlib=smtlib, shown_hash=shown)


def checked(policy: Policy, user: User) -> SuiteNow:
    """The first tier of the suite, as its job makes it after lint; no item fails."""
    start_suite(policy, user, 1)
    while run_next("tests"):
        pass
    failed = Item.objects.filter(job__policy=policy, state=ItemState.FAILED)
    assert [item.error for item in failed] == []
    return suite_now(policy, compose(policy))


def of_alternatives(count: int) -> str:
    return f"(=> (or {' '.join(f'(= loanDays {n})' for n in range(count))}) (not loanAllowed))"


@pytest.mark.parametrize(
    "smtlib",
    [
        "(=> " + "(not " * 1_000 + "consent" + ")" * 1_000 + " loanAllowed)",
        "(=> (> owed 1" + "0" * 400 + ".0) (not loanAllowed))",
        "true) (assert false",
        "(=> consent (! loanAllowed :named in-debt))",
    ],
    ids=["deep", "digits", "command", "label"],
)
def test_a_rule_that_nothing_can_check_is_refused_and_the_draft_stays(
    loans: Policy, alice: User, smtlib: str
) -> None:
    before = compose(loans).hashes
    with pytest.raises((ReadingError, RefusedError)):
        edited(loans, alice, "long-loan", smtlib)
    assert compose(loans).hashes == before


def test_a_division_by_zero_is_an_error_of_lint_and_blocks_the_suite(
    loans: Policy, alice: User
) -> None:
    edited(loans, alice, "long-loan", "(=> (> owed (/ 1.0 0.0)) (not loanAllowed))")
    assert "division-by-zero" in {one.code for one in lint_made(loans, compose(loans)).found}
    assert "lint finds" in suite_now(loans, compose(loans)).blocked


def test_a_contradiction_blocks_the_suite_with_a_sentence(loans: Policy, alice: User) -> None:
    edited(loans, alice, "long-loan", "(and consent (not consent))")
    lint_made(loans, compose(loans))
    suite = suite_now(loans, compose(loans))
    assert "lint finds" in suite.blocked
    assert suite.cases == ()
    with pytest.raises(RefusedError, match="lint finds"):
        start_suite(loans, alice, 1)


def test_rules_that_multiply_what_cannot_be_decided_end(loans: Policy, alice: User) -> None:
    edited(
        loans, alice, "long-loan",
        "(=> (= (* loanDays loanDays loanDays) (+ (* loanDays loanDays) 1234567891)) "
        "(not loanAllowed))",
    )  # fmt: skip
    suite = checked(loans, alice)
    assert suite.tiers_made == 1
    counted = sum(one.mutants for one in suite.by_kind)
    assert counted == sum(one.equivalent + one.killed + one.undecided for one in suite.by_kind)
    assert suite.limits or not sum(one.undecided for one in suite.by_kind)


@pytest.mark.slow
def test_a_rule_of_hundreds_of_conditions_is_checked_in_part_and_that_is_said(
    loans: Policy, alice: User
) -> None:
    edited(loans, alice, "long-loan", of_alternatives(300))
    suite = checked(loans, alice)
    assert suite.tiers_made == 1
    assert any("`long-loan` is so long that" in limit for limit in suite.limits)
    assert lint_made(loans, compose(loans)).report is not None
