"""Lint of a draft: made by a job, kept by content, mended by a person's edit, silenced in words."""

from __future__ import annotations

import pytest

from policies.composing import compose
from policies.editing import editing
from policies.jobs import retry_failed
from policies.jobs.embedded import run_urgent
from policies.models import AuditRow, Datatype, Document, Job, Policy, Rule, RuleRevision, User
from policywright.lint import Severity
from policywright.linting import LintNotDoneError
from tests.airline import draft_airline, rule_of
from tests.approving import approve
from tests.vetting.conftest import say_all_values
from vetting.checking import has_failed, start_check
from vetting.decisions import reject
from vetting.declarations import NewVariable, add_variable
from vetting.edits import edit_rule
from vetting.lint import Found, LintNow, lint_now, open_count
from vetting.lint_fixes import plan_fix, show_fix, take_fix
from vetting.models import LintReport, LintSilence
from vetting.publishing import PublishRefusedError, publish
from vetting.refusals import MovedError, RefusedError
from vetting.review import ReviewState, rule_states
from vetting.scopes import write_scope
from vetting.silencing import end_silence, silence

pytestmark = pytest.mark.django_db


@pytest.fixture
def airline(alice: User) -> Policy:
    return draft_airline(alice)


def checked(policy: Policy) -> LintNow:
    """The report of the draft as it is, made by the job where there is none."""
    now = lint_now(policy, compose(policy))
    if now.report is None:
        start_check(policy, None)
        assert run_urgent("tests")
        policy.refresh_from_db()
        now = lint_now(policy, compose(policy))
    assert now.report is not None
    return now


def clash(now: LintNow) -> Found:
    return next(one for one in now.found if one.code == "conflict")


def reword(policy: Policy, user: User, name: str, smtlib: str) -> None:
    row = rule_of(policy, name)
    edit_rule(policy, user, row, smtlib=smtlib, shown_hash=compose(policy).hashes[row.uid])


def test_a_silence_that_is_ended_twice_is_one_row(airline: Policy, alice: User) -> None:
    found = next(one for one in checked(airline).found if one.may_be_silenced)
    silence(airline, alice, found, reason="it may stand")
    silenced = checked(airline).get(found.key)
    assert silenced is not None
    assert end_silence(airline, alice, silenced) is not None
    assert end_silence(airline, alice, silenced) is None  # a second window
    assert LintSilence.objects.filter(policy=airline).count() == 2
    assert AuditRow.objects.filter(policy=airline, action="end-silence").count() == 1


def test_a_job_checks_the_draft_once_and_what_it_found_is_kept_by_content(
    airline: Policy, alice: User
) -> None:
    now = lint_now(airline, compose(airline))
    assert now.report is None
    job = start_check(airline, alice)
    assert start_check(airline, alice) == job
    assert run_urgent("tests")
    found = clash(lint_now(airline, compose(airline)))
    rules = {rule_of(airline, name).uid for name in ("stayed-away", "denied")}
    assert (found.severity, set(found.rules)) == (Severity.ERROR, rules)
    assert "the flight is operated" in found.case
    assert open_count(airline) >= 1


def test_a_change_asks_for_another_report_and_undone_finds_the_first_again(
    airline: Policy, alice: User
) -> None:
    first = checked(airline)
    own = "(=> (= flightStatus cancelled) refundDue)"
    reword(airline, alice, "cancelled-flight", "(=> (not (= flightStatus operated)) refundDue)")
    now = lint_now(airline, compose(airline))
    assert now.report is None
    assert open_count(airline) == 0  # nothing is said of a draft that was not checked
    reword(airline, alice, "cancelled-flight", own)
    assert lint_now(airline, compose(airline)).report == first.report


def test_what_somebody_says_of_a_list_of_values_is_other_content(
    airline: Policy, alice: User
) -> None:
    before = checked(airline)
    assert "no-other" in {one.code for one in before.found}
    say_all_values(airline, alice)
    after = checked(airline)
    assert after.content != before.content
    assert "no-other" not in {one.code for one in after.found}


def test_a_check_that_fails_says_why_and_is_tried_again(
    airline: Policy, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_slow(*args: object, **kwargs: object) -> dict[str, object]:
        raise LintNotDoneError("The rules were not checked within 1 seconds.")

    with monkeypatch.context() as patched:
        patched.setattr("vetting.lint.lint_apart", too_slow)
        job = start_check(airline, alice)
        assert run_urgent("tests")
    assert has_failed(job)
    assert "not checked within" in job.items.get().error
    assert start_check(airline, alice) == job
    retry_failed(job, alice)
    assert run_urgent("tests")
    assert lint_now(airline, compose(airline)).report is not None


def test_a_draft_that_moved_before_its_job_ran_is_checked_as_it_is(
    airline: Policy, alice: User
) -> None:
    own = "(=> (= flightStatus cancelled) refundDue)"
    start_check(airline, alice)
    reword(airline, alice, "cancelled-flight", "(=> (not (= flightStatus operated)) refundDue)")
    assert run_urgent("tests")
    assert lint_now(airline, compose(airline)).report is not None
    reword(airline, alice, "cancelled-flight", own)
    start_check(airline, alice)  # done, but of another content
    assert run_urgent("tests")
    assert lint_now(airline, compose(airline)).report is not None
    assert Job.objects.filter(policy=airline, kind="lint").count() == 2


def test_the_exception_is_shown_with_its_case_and_the_approval_that_falls(
    airline: Policy, alice: User
) -> None:
    row = rule_of(airline, "stayed-away")
    approve(airline, alice, row, shown_hash=compose(airline).hashes[row.uid])
    found, composition = clash(checked(airline)), compose(airline)
    shown = show_fix(airline, composition, found, plan_fix(airline, composition, found, 0))
    assert [part.name for part in shown.parts] == ["stayed-away"]
    after = "".join(piece.text for piece in shown.parts[0].after)
    assert "the circumstance is not denied boarding" in after
    case = shown.consequences.cases[0]
    assert "denied boarding" in case.english
    assert (case.before, case.after) == (
        "a refund is not due and a refund is due",
        "a refund is due",
    )
    assert len(shown.consequences.approvals) == 1
    assert "will not count" in shown.consequences.approvals[0]


def test_a_fix_taken_is_that_persons_edit_and_mends_the_clash(airline: Policy, alice: User) -> None:
    found = clash(checked(airline))
    assert [rule.name for rule in take_fix(airline, alice, found, 0)] == ["stayed-away"]
    last = RuleRevision.objects.filter(rule=rule_of(airline, "stayed-away")).last()
    assert last is not None
    assert last.author == alice
    assert last.cause.startswith("took over from lint (conflict): ")
    now = checked(airline)
    assert not [one for one in now.found if one.code == "conflict"]
    states = rule_states(airline, compose(airline))
    assert states[rule_of(airline, "stayed-away").uid].state is ReviewState.WAITING


def test_a_fix_for_rules_that_moved_since_is_refused_with_what_they_say_now(
    airline: Policy, alice: User
) -> None:
    found = clash(checked(airline))
    reword(airline, alice, "denied", "(=> (not (= circumstance ordinary)) refundDue)")
    before = rule_of(airline, "stayed-away").term
    with pytest.raises(MovedError) as refused:
        take_fix(airline, alice, found, 0)
    assert "denied: If the circumstance is not ordinary" in refused.value.present
    assert rule_of(airline, "stayed-away").term == before


def test_a_rule_that_is_left_out_leaves_the_draft_and_can_be_seen_in_its_history(
    airline: Policy, alice: User
) -> None:
    term = "(=> (and (= flightStatus cancelled) travelled) refundDue)"
    reword(airline, alice, "flown", term)
    now = checked(airline)
    found = next(one for one in now.found if one.code == "implied")
    composition = compose(airline)
    shown = show_fix(airline, composition, found, plan_fix(airline, composition, found, 0))
    assert shown.parts[0].after == ()
    take_fix(airline, alice, found, 0)
    assert Rule.objects.get(policy=airline, name="flown").retired_at is not None


def test_an_assumption_that_is_taken_over_waits_for_approval(airline: Policy, alice: User) -> None:
    with editing(airline, alice, cause="declared") as edit:
        add_variable(edit, NewVariable("delay", "Int", unit="hours", phrase="the delay"))
    reword(airline, alice, "cancelled-flight", "(=> (> delay 5) refundDue)")
    now, composition = checked(airline), compose(airline)
    found = next(one for one in now.found if one.code == "missing-domain")
    shown = show_fix(airline, composition, found, plan_fix(airline, composition, found, 0))
    assert [part.rule for part in shown.parts] == [None]
    (rule,) = take_fix(airline, alice, found, 0)
    assert (rule.kind, rule.author) == ("assumption", alice)
    assert "missing-domain" not in {one.code for one in checked(airline).found}


def test_a_default_that_is_taken_over_is_made_from_the_rules(airline: Policy, alice: User) -> None:
    for name in ("cancelled-flight", "denied"):
        row = rule_of(airline, name)
        shown = compose(airline).hashes[row.uid]
        reject(airline, alice, row, reason="not now", shown_hash=shown)
    now, composition = checked(airline), compose(airline)
    found = next(one for one in now.found if one.code == "one-sided-outcome")
    shown_fix = show_fix(airline, composition, found, plan_fix(airline, composition, found, 0))
    assert shown_fix.parts[0].after
    (rule,) = take_fix(airline, alice, found, 0)
    assert rule.kind == "default"
    assert "one-sided-outcome" not in {one.code for one in checked(airline).found}


def test_a_rule_in_a_scope_keeps_its_own_condition_apart_from_the_scope(
    airline: Policy, alice: User
) -> None:
    document = Document.objects.get(policy=airline)
    with editing(airline, alice, cause="declared") as edit:
        add_variable(edit, NewVariable("bookedHere", "Bool", phrase="the flight was booked here"))
    write_scope(airline, alice, document, ["Refunds"], english="the flight was booked here")
    found, composition = clash(checked(airline)), compose(airline)
    shown = show_fix(airline, composition, found, plan_fix(airline, composition, found, 0))
    after = "".join(piece.text for piece in shown.parts[0].after)
    assert "booked here" not in after
    assert shown.parts[0].scopes == ("The flight was booked here.",)
    assert shown.consequences.cases[0].after == "a refund is due"
    take_fix(airline, alice, found, 0)
    assert not [one for one in checked(airline).found if one.code == "conflict"]


def test_a_silence_has_a_reason_is_logged_and_ends_when_its_rule_changes(
    airline: Policy, alice: User
) -> None:
    reword(airline, alice, "flown", "(=> (and (= flightStatus cancelled) travelled) refundDue)")
    found = next(one for one in checked(airline).found if one.code == "implied")
    with pytest.raises(RefusedError):
        silence(airline, alice, found, reason=" ")
    count = open_count(airline)
    silence(airline, alice, found, reason="it repeats the document")
    silence(airline, alice, found, reason="once more")
    assert LintSilence.objects.count() == 1
    assert AuditRow.objects.filter(action="silence-lint", new_hash=found.silence).count() == 1
    assert open_count(airline) == count - 1
    quiet = checked(airline).get(found.key)
    assert quiet is not None
    assert quiet.silenced is not None
    assert quiet.silenced.by == alice
    reword(airline, alice, "flown", "(=> (and travelled (= flightStatus cancelled)) refundDue)")
    reword(airline, alice, "cancelled-flight", "(=> (not (= flightStatus operated)) refundDue)")
    again = next(one for one in checked(airline).found if one.code == "implied")
    assert again.silenced is None


def test_a_silence_of_a_list_of_values_ends_when_the_list_changes(
    airline: Policy, alice: User
) -> None:
    found = [one for one in checked(airline).found if one.code == "no-other"]
    for one in found:
        silence(airline, alice, one, reason="these are all there are")
    assert len(checked(airline).silenced) == 2
    datatype = Datatype.objects.get(policy=airline, name="FlightStatus")
    with editing(airline, alice, cause="declared"):
        datatype.values.create(name="diverted", position=9)
    assert len(checked(airline).silenced) == 1


def test_a_silence_is_ended_by_hand(airline: Policy, alice: User) -> None:
    found = next(one for one in checked(airline).found if one.may_be_silenced)
    silence(airline, alice, found, reason="it may stand")
    quiet = checked(airline).get(found.key)
    assert quiet is not None
    end_silence(airline, alice, quiet)
    back = checked(airline).get(found.key)
    assert back is not None
    assert back.silenced is None
    assert AuditRow.objects.filter(action="end-silence").count() == 1


def test_an_error_is_not_silenced(airline: Policy, alice: User) -> None:
    with pytest.raises(RefusedError, match="change the rules"):
        silence(airline, alice, clash(checked(airline)), reason="never mind")
    assert not LintSilence.objects.exists()


def test_only_the_last_reports_are_kept(airline: Policy, alice: User) -> None:
    checked(airline)
    for number in range(7):
        LintReport.objects.create(
            policy=airline, content_hash=f"pw1:{number}", revision=0, report={}
        )
    reword(airline, alice, "cancelled-flight", "(=> (not (= flightStatus operated)) refundDue)")
    checked(airline)
    assert LintReport.objects.filter(policy=airline).count() == 6


def test_an_error_keeps_the_draft_from_being_published(airline: Policy, alice: User) -> None:
    say_all_values(airline, alice)
    for row in airline.rules.all():
        approve(airline, alice, row, shown_hash=compose(airline).hashes[row.uid])
    airline.refresh_from_db()
    with pytest.raises(PublishRefusedError) as refused:
        publish(alice, airline, shown_revision=airline.revision)
    (blocker,) = refused.value.blockers
    assert blocker.kind == "lint"
    assert "cannot all hold" in blocker.sentence
    take_fix(airline, alice, clash(checked(airline)), 0)
    row = rule_of(airline, "stayed-away")
    approve(airline, alice, row, shown_hash=row.content_hash)
    airline.refresh_from_db()
    assert publish(alice, airline, shown_revision=airline.revision).number == 1


def test_a_draft_that_could_not_be_checked_in_time_is_not_published(
    airline: Policy, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vetting.lint.AT_ONCE_S", 0)
    with pytest.raises(PublishRefusedError, match="open Lint"):
        publish(alice, airline, shown_revision=airline.revision)
