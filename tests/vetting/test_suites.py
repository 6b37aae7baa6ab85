"""The suite of a draft: made by a job, answered by people, kept through edits by its content."""

from __future__ import annotations

import json

import pytest

from policies.composing import compose
from policies.editing import editing
from policies.jobs import cancel_job
from policies.jobs.embedded import run_next
from policies.models import AuditRow, Item, Job, Rule, User
from policies.models.jobs import ItemState
from policywright.findings import FindingKind
from policywright.suiting import suite_apart
from tests.airline import draft_airline
from tests.vetting.conftest import COST, Draft, draft_rule
from vetting.cases_answered import (
    CaseReview,
    CaseState,
    answer_case,
    case_states,
    repairs_of,
    reveal,
)
from vetting.declarations import NewVariable, add_variable, edit_variable, variable_hash
from vetting.edits import edit_rule
from vetting.models import Origin, Scenario, ScenarioRun, SuitePart, SuiteReport
from vetting.refusals import MovedError, RefusedError
from vetting.scenarios import own_in_force
from vetting.suites import SuiteNow, start_suite, suite_now

pytestmark = pytest.mark.django_db

EDITED = "(=> (and (> costEur 500.0) (not managerApproved)) (not tripApproved))"
OTHER = {"VALID": "INVALID", "INVALID": "VALID", "SATISFIABLE": "VALID", "IMPOSSIBLE": "VALID"}


def work() -> None:
    while run_next("tests"):
        pass


def make(draft: Draft, tiers: int = 1) -> SuiteNow:
    start_suite(draft.policy, draft.alice, tiers)
    work()
    return now(draft)


def now(draft: Draft) -> SuiteNow:
    return suite_now(draft.policy, draft.composition())


def reviews(draft: Draft) -> dict[str, CaseReview]:
    composition = draft.composition()
    return case_states(draft.policy, composition, suite_now(draft.policy, composition))


def say(draft: Draft, key: str, said: str, user: User | None = None) -> Scenario:
    case = now(draft).get(key)
    assert case is not None
    return answer_case(draft.policy, user or draft.alice, key, said, shown=case.shown)


def edit(draft: Draft, name: str, smtlib: str) -> None:
    shown = draft.composition().hashes[draft.rule(name).uid]
    edit_rule(draft.policy, draft.bob, draft.rule(name), smtlib=smtlib, shown_hash=shown)


def test_a_job_makes_the_suite_and_every_tier_is_counted_before_it_starts(draft: Draft) -> None:
    assert (now(draft).counts, now(draft).cases, now(draft).blocked) == (None, (), "")
    start_suite(draft.policy, draft.alice, 0)
    work()
    counted = now(draft)
    assert counted.tiers_made == 0
    assert counted.counts.keys() == {1, 2, 3}
    assert not counted.cases
    suite = make(draft)
    assert (suite.tiers_made, suite.parts_left, suite.counts) == (1, 0, counted.counts)
    made = {one.kind: one.mutants for one in suite.by_kind}
    assert made == suite.counts[1]
    for one in suite.by_kind:
        assert one.mutants == one.equivalent + one.killed + one.undecided
    assert sum(case.told for case in suite.cases) == sum(one.killed for one in suite.by_kind)
    assert [len(case.tells) for case in suite.cases] == [case.told for case in suite.cases]
    tells = [(case.tier, -case.told) for case in suite.cases]
    assert tells == sorted(tells)
    assert AuditRow.objects.filter(action="start-job", policy=draft.policy).exists()


def test_starting_twice_is_one_job_and_later_tiers_keep_cases_of_the_first(
    draft: Draft,
) -> None:
    job = start_suite(draft.policy, draft.alice, 1)
    assert start_suite(draft.policy, draft.bob, 1) == job
    work()
    first = [case.key for case in now(draft).cases]
    assert start_suite(draft.policy, draft.bob, 1) == job
    suite = make(draft, 3)
    assert suite.tiers_made == 3
    assert {case.tier for case in suite.cases} <= {0, 1, 2}
    # Some are asked with more facts, to tell more apart.
    assert {case.key for case in suite.cases if case.tier == 0} & set(first)
    with pytest.raises(RefusedError, match="3 tiers"):
        start_suite(draft.policy, draft.bob, 4)


def test_there_is_no_suite_of_rules_that_clash_or_of_none(draft: Draft, alice: User) -> None:
    airline = draft_airline(alice)
    job = start_suite(airline, alice, 1)
    work()
    (item,) = Item.objects.filter(job=job)
    assert item.state == ItemState.FAILED
    assert item.error.startswith("Lint finds an error")
    assert "lint finds an error" in suite_now(airline, compose(airline)).blocked
    with pytest.raises(RefusedError, match="lint finds"):
        start_suite(airline, alice, 1)
    Rule.objects.filter(policy=draft.policy).update(retired_at="2026-01-01T00:00:00Z")
    with pytest.raises(RefusedError, match="no rule"):
        start_suite(draft.policy, draft.alice, 1)


def test_a_worker_that_was_killed_goes_on_with_the_parts_it_has_not(
    draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two components; the process is asked again, and told which part is known."""
    with editing(draft.policy, draft.alice, cause="declared") as made:
        add_variable(made, NewVariable("isSingle", "Bool"))
        add_variable(made, NewVariable("roomPaid", "Bool", role="outcome"))
    draft_rule(draft, "room", "(=> isSingle roomPaid)", COST)
    asked: list[list[str]] = []

    def dies(request, **kwargs):
        on_part = kwargs.pop("on_part")

        def one_part(key, body):
            on_part(key, body)
            raise KeyboardInterrupt

        asked.append(request["known"])
        return suite_apart(request, on_part=one_part, **kwargs)

    monkeypatch.setattr("vetting.suites.suite_apart", dies)
    start_suite(draft.policy, draft.alice, 1)
    with pytest.raises(KeyboardInterrupt):
        work()
    (part,) = SuitePart.objects.values_list("key", flat=True)
    assert (now(draft).tiers_made, now(draft).parts_left) == (0, 1)

    def goes_on(request, **kwargs):
        asked.append(request["known"])
        return suite_apart(request, **kwargs)

    monkeypatch.setattr("vetting.suites.suite_apart", goes_on)
    Item.objects.update(lease_until="2020-01-01T00:00:00Z")
    work()
    assert (now(draft).tiers_made, now(draft).parts_left) == (1, 0)
    assert asked == [[], [part]]


def test_cancelled_there_is_no_suite_and_it_may_be_started_again(draft: Draft) -> None:
    job = start_suite(draft.policy, draft.alice, 1)
    cancel_job(job, draft.alice)
    work()
    assert now(draft).tiers_made == 0
    assert start_suite(draft.policy, draft.alice, 1) != job
    work()
    assert now(draft).tiers_made == 1


def test_agreement_is_what_counts_as_answered(draft: Draft) -> None:
    suite = make(draft)
    first, second = suite.cases[:2]
    agreed = say(draft, first.key, first.expected.value)
    say(draft, second.key, OTHER[second.expected.value])
    states = {key: one.state for key, one in reviews(draft).items()}
    assert states[first.key] is CaseState.AGREED
    assert states[second.key] is CaseState.DISAGREES
    assert set(states.values()) == {CaseState.AGREED, CaseState.DISAGREES, CaseState.NEW}
    new = next(one for one in reviews(draft).values() if one.state is CaseState.NEW)
    assert (new.scenario, new.finding, new.rules, new.why) == (None, None, (), "")
    assert (agreed.origin, agreed.by, agreed.english) == (Origin.SUITE, draft.alice, first.question)
    row = AuditRow.objects.get(action="answer-case", new_hash=agreed.content_hash)
    assert row.object == f"scenario:{agreed.uid}"


def test_the_finding_is_asked_of_the_solver_with_its_rules_and_kept(draft: Draft) -> None:
    case = next(one for one in make(draft).cases if one.expected is FindingKind.INVALID)
    say(draft, case.key, "INVALID")
    shown = reveal(draft.policy, draft.composition(), reviews(draft)[case.key])
    assert shown.state is CaseState.AGREED
    names = {draft.composition().model.rule_by_id[uid].name for uid in shown.rules}
    assert names
    assert names <= {"cost", "service", "cost-range", "approved"}
    assert "the trip is not approved" in shown.why
    assert reviews(draft)[case.key].rules == shown.rules  # kept: no solver is asked
    assert ScenarioRun.objects.count() == 1


def test_two_people_answer_one_case_and_both_rows_are_kept_and_the_later_counts(
    draft: Draft,
) -> None:
    case = make(draft).cases[0]
    said = case.expected.value
    first = say(draft, case.key, OTHER[said])
    assert say(draft, case.key, OTHER[said]) == first
    second = say(draft, case.key, said, draft.bob)
    review = reviews(draft)[case.key]
    assert (review.state, review.scenario) == (CaseState.AGREED, second)
    assert review.before == (first,)
    assert [one.scenario for one in own_in_force(draft.policy)] == [second]
    assert Scenario.objects.count() == 2


def test_what_is_no_answer_or_no_case_is_refused(draft: Draft) -> None:
    case = make(draft).cases[0]
    with pytest.raises(RefusedError, match="choose one"):
        say(draft, case.key, "MAYBE")
    with pytest.raises(MovedError, match="words of this case"):
        answer_case(draft.policy, draft.alice, case.key, "VALID", shown="another")
    with pytest.raises(MovedError, match="asked no more"):
        answer_case(draft.policy, draft.alice, "pw1:none", "VALID", shown=case.shown)
    assert not Scenario.objects.exists()


def test_an_edit_keeps_the_answers_to_cases_that_are_the_same(draft: Draft) -> None:
    suite = make(draft)
    for case in suite.cases:
        say(draft, case.key, case.expected.value)
    edit(draft, "cost", EDITED)
    moved = now(draft)
    assert (moved.tiers_made, moved.tiers_before, moved.job) == (0, 1, None)
    again = make(draft)
    assert again.tiers_made == 1
    same = {case.key for case in suite.cases} & {case.key for case in again.cases}
    assert same
    states = {key: one.state for key, one in reviews(draft).items()}
    assert all(states[key] in (CaseState.AGREED, CaseState.DISAGREES) for key in same)
    assert CaseState.NEW in states.values()


def test_a_case_in_other_words_is_asked_again(draft: Draft) -> None:
    suite = make(draft)
    for case in suite.cases:
        say(draft, case.key, case.expected.value)
    cost = draft.variable("costEur")
    new = NewVariable("costEur", "Real", unit="EUR", phrase="what the trip costs")
    edit_variable(draft.policy, draft.bob, cost, new, shown_hash=variable_hash(cost))
    make(draft)
    about_cost = [one for one in reviews(draft).values() if cost.uid in one.case.facts]
    others = [one for one in reviews(draft).values() if cost.uid not in one.case.facts]
    assert {one.state for one in about_cost} == {CaseState.NEW}
    assert {one.state for one in others} <= {CaseState.AGREED}


def test_a_slip_is_noticed_and_mended_by_the_edit_that_is_offered(draft: Draft) -> None:
    """The document says 1,000, somebody wrote 500: the owner's answers lead to the rule."""
    edit(draft, "cost", EDITED)
    wanted = 1000
    for case in make(draft).cases:
        cost = case.facts.get(draft.variable("costEur").uid)
        slip = case.expected is FindingKind.INVALID and cost is not None and 500 < cost <= wanted
        said = "VALID" if slip else case.expected.value
        say(draft, case.key, said)
    wrong = [one for one in reviews(draft).values() if one.state is CaseState.DISAGREES]
    assert wrong
    found = repairs_of(draft.policy, draft.composition(), wrong[0])
    assert any(one.rule == draft.rule("cost").uid for one in found)
    assert [one.keeps for one in found] == sorted((one.keeps for one in found), reverse=True)
    assert all(one.english and one.rule_english for one in found)


def test_parts_and_reports_that_nothing_needs_are_let_go(draft: Draft) -> None:
    for number in range(11):
        edit(draft, "cost", EDITED.replace("500", str(600 + number)))
        make(draft)
    assert SuiteReport.objects.count() == 6
    needed = {key for report in SuiteReport.objects.all() for key in report.report["keys"]}
    assert set(SuitePart.objects.values_list("key", flat=True)) == needed
    assert Job.objects.filter(kind="suite").count() == 11


def test_what_is_kept_of_a_part_is_without_the_edits_that_it_tells_apart(draft: Draft) -> None:
    make(draft, 3)
    for part in SuitePart.objects.all():
        assert "tells" not in json.dumps(part.body)
        assert len(part.edits) == len(part.body["scenarios"])
