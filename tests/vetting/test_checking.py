"""A change of the draft is followed by a check of it: one at a time, and again where it moved."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils.html import escape

from policies.composing import compose
from policies.editing import DraftMovedError, editing
from policies.hints import look_again
from policies.jobs import cancel_job, start_job
from policies.jobs.embedded import run_next, run_urgent
from policies.models import Item, Job, Policy, User
from policies.models.jobs import ItemState, JobState
from policies.people import create_policy
from policywright.linting import LintNotDoneError, lint_apart
from tests.airline import draft_airline, rule_of
from tests.loans import draft_loans
from translation.jobs import KIND as FORMALIZE
from vetting import lint as reports
from vetting.checking import KIND, ask_for_check, is_being_checked, start_check
from vetting.edits import edit_rule
from vetting.lint import lint_now, open_count
from vetting.models import LintReport, ValuesQuestion
from vetting.own_scenarios import add_scenario, propose_scenario
from vetting.scenarios import Result, known_runs, scenarios_in_force
from vetting.suites import KIND as SUITE
from vetting.suites import start_suite, suite_now
from vetting.values import say_values, values_states

# What follows a change follows its commit.
pytestmark = pytest.mark.django_db(transaction=True)

OWN = "(=> (= flightStatus cancelled) refundDue)"
OTHER = "(=> (not (= flightStatus operated)) refundDue)"


@pytest.fixture
def airline(alice: User) -> Policy:
    policy = draft_airline(alice)
    while run_urgent("tests"):
        pass
    assert open_jobs(policy) == []
    return policy


def open_jobs(policy: Policy) -> list[Job]:
    return list(Job.objects.filter(policy=policy, kind=KIND, state=JobState.OPEN))


def reword(policy: Policy, user: User, smtlib: str) -> None:
    row = rule_of(policy, "cancelled-flight")
    edit_rule(policy, user, row, smtlib=smtlib, shown_hash=compose(policy).hashes[row.uid])
    policy.refresh_from_db()


def is_checked(policy: Policy) -> bool:
    policy.refresh_from_db()
    return lint_now(policy, compose(policy)).report is not None


def test_a_change_is_checked_without_anybody_opening_a_page(airline: Policy, alice: User) -> None:
    assert is_checked(airline)
    reword(airline, alice, OTHER)
    (job,) = open_jobs(airline)
    assert job.created_by == alice
    assert is_being_checked(airline)
    assert not is_checked(airline)
    assert run_urgent("tests")
    assert is_checked(airline)
    assert open_count(airline) > 0
    assert not run_urgent("tests")


def test_of_many_changes_one_check_waits(airline: Policy, alice: User) -> None:
    for smtlib in (OTHER, OWN, OTHER):
        reword(airline, alice, smtlib)
    assert len(open_jobs(airline)) == 1
    assert run_urgent("tests")
    assert is_checked(airline)
    assert open_jobs(airline) == []


def test_a_change_under_a_running_check_is_followed_by_another(
    airline: Policy, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    reword(airline, alice, OTHER)

    def changed_meanwhile(*args: object, **kwargs: object) -> dict[str, object]:
        found = lint_apart(*args, **kwargs)  # type: ignore[arg-type]
        reword(airline, alice, "(=> (and travelled (= flightStatus cancelled)) refundDue)")
        assert len(open_jobs(airline)) == 1
        return found

    with monkeypatch.context() as patched:
        patched.setattr(reports, "lint_apart", changed_meanwhile)
        assert run_urgent("tests")
    assert not is_checked(airline)
    assert len(open_jobs(airline)) == 1
    assert run_urgent("tests")
    assert is_checked(airline)
    assert open_jobs(airline) == []


def test_only_what_the_change_reaches_is_asked_again(
    airline: Policy, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def noted(request: dict[str, object], **kwargs: object) -> dict[str, object]:
        asked.append(kwargs["kept"])
        return lint_apart(request, **kwargs)  # type: ignore[arg-type]

    before = LintReport.objects.get(policy=airline, revision=airline.revision).report
    monkeypatch.setattr(reports, "lint_apart", noted)
    reword(airline, alice, OTHER)
    assert run_urgent("tests")
    assert asked == [before]


def test_while_a_formalizing_run_is_open_the_checks_wait_for_its_end(
    airline: Policy, alice: User
) -> None:
    run = start_job(airline, alice, FORMALIZE, [("span:0", {"span": 0})], key="run")
    reword(airline, alice, OTHER)
    assert open_jobs(airline) == []
    assert cancel_job(run, alice)
    assert len(open_jobs(airline)) == 1
    assert run_urgent("tests")
    assert is_checked(airline)


def test_a_check_that_failed_is_not_begun_again_by_itself_and_the_next_change_is_checked(
    airline: Policy, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_slow(*args: object, **kwargs: object) -> dict[str, object]:
        raise LintNotDoneError("The rules were not checked within 1 seconds.")

    reword(airline, alice, OTHER)
    with monkeypatch.context() as patched:
        patched.setattr(reports, "lint_apart", too_slow)
        assert run_urgent("tests")
    assert Item.objects.filter(job__kind=KIND, state=ItemState.FAILED).count() == 1
    assert open_jobs(airline) == []
    assert ask_for_check(airline, alice) is None
    failed = start_check(airline, alice)
    assert failed.state == JobState.DONE
    reword(airline, alice, OWN)
    assert run_urgent("tests")
    assert is_checked(airline)


def test_what_is_said_of_a_list_of_values_is_checked_too(airline: Policy, alice: User) -> None:
    review = values_states(airline, compose(airline))[0]
    say_values(
        airline,
        alice,
        review.datatype.id,
        ValuesQuestion.COMPLETE,
        holds=True,
        shown_hash=review.hash,
    )
    assert len(open_jobs(airline)) == 1
    assert run_urgent("tests")
    assert is_checked(airline)


def test_a_change_that_is_not_saved_asks_for_nothing(airline: Policy, alice: User) -> None:
    with pytest.raises(DraftMovedError), editing(airline, alice, expected_revision=0):
        pass
    with pytest.raises(ZeroDivisionError), editing(airline, alice):
        raise ZeroDivisionError
    assert open_jobs(airline) == []


def test_a_policy_without_rules_is_not_checked(alice: User) -> None:
    policy = create_policy(alice, name="Empty", formalizer="builtin")
    assert ask_for_check(policy, alice) is None


def test_a_listener_that_fails_does_not_undo_the_change(airline: Policy, alice: User) -> None:
    def broken(**kwargs: object) -> None:
        raise RuntimeError("a listener of a test")

    look_again.connect(broken)
    try:
        reword(airline, alice, OTHER)
    finally:
        look_again.disconnect(broken)
    assert "not" in str(rule_of(airline, "cancelled-flight").term)
    assert len(open_jobs(airline)) == 1


def test_a_suite_that_somebody_started_is_made_again_for_what_the_edit_touched(
    alice: User,
) -> None:
    loans = draft_loans(alice)
    while run_urgent("tests"):
        pass
    loans.refresh_from_db()
    assert not Job.objects.filter(policy=loans, kind=SUITE).exists()  # nobody asked for one
    start_suite(loans, alice, 1)
    while run_next("tests"):
        pass
    assert suite_now(loans, compose(loans)).tiers_made == 1
    row = rule_of(loans, "in-debt")
    shown = compose(loans).hashes[row.uid]
    edit_rule(loans, alice, row, smtlib="(=> (> owed 25.0) (not loanAllowed))", shown_hash=shown)
    assert suite_now(loans, compose(loans)).tiers_made == 0
    assert run_urgent("tests")
    (again,) = Job.objects.filter(policy=loans, kind=SUITE, state=JobState.OPEN)
    assert (again.created_by, again.settings["tiers"]) == (alice, 1)
    while run_next("tests"):
        pass
    loans.refresh_from_db()
    assert suite_now(loans, compose(loans)).tiers_made == 1


def test_a_word_on_a_case_is_run_by_the_check_and_the_front_page_names_what_turned(
    alice: User, client: Client
) -> None:
    loans = draft_loans(alice)
    while run_urgent("tests"):
        pass
    text = "Given that what the reader owes is EUR 23: the loan is not allowed."
    said = add_scenario(loans, alice, text, shown=propose_scenario(loans, text).read_as)
    row = rule_of(loans, "in-debt")
    shown = compose(loans).hashes[row.uid]
    edit_rule(loans, alice, row, smtlib="(=> (> owed 25.0) (not loanAllowed))", shown_hash=shown)
    loans.refresh_from_db()
    now = compose(loans)
    assert known_runs(loans, now, scenarios_in_force(loans, now)) == {}
    assert run_urgent("tests")
    (found,) = known_runs(loans, now, scenarios_in_force(loans, now)).values()
    assert found.result is Result.FAILS
    client.force_login(alice)
    page = client.get(f"/policies/{loans.slug}/").content.decode()
    assert escape(f"A scenario does not hold any more: '{said.english}'.") in page
