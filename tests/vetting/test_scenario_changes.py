"""People's scenarios are in force until they are withdrawn; a change tells first which it turns."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from policies.editing import editing
from policies.models import Membership, Rule, User
from policies.roles import Role
from policywright.findings import FindingKind
from policywright.model import DefaultChoice
from policywright.scenarios import Scenario as Expectation
from policywright.smtlib import read_term
from policywright.solver_pool import SolverPool
from tests.vetting.conftest import COST, SERVICE_LATER, SERVICE_RULE, Draft, draft_rule
from vetting.assumptions import set_default
from vetting.consequences import consequences_of_edit, consequences_of_rule
from vetting.decisions import reject
from vetting.declarations import NewVariable, add_variable, edit_variable, variable_hash
from vetting.edits import edit_rule
from vetting.foretelling import foretell
from vetting.models import Origin, Scenario, ScenarioRun, ScenarioWithdrawal
from vetting.proposed import propose_edit, propose_scope
from vetting.publishing import PublishRefusedError, publish, standing, untold
from vetting.questions import question_states
from vetting.scenario_changes import changed_scenarios
from vetting.scenario_rows import new_scenario
from vetting.scenarios import Result, known_runs, own_in_force, run_in_force, scenarios_in_force

pytestmark = pytest.mark.django_db

YES, NO, OPEN, NEVER = (
    FindingKind.VALID,
    FindingKind.INVALID,
    FindingKind.SATISFIABLE,
    FindingKind.IMPOSSIBLE,
)
CHEAP = {"costEur": 900, "managerApproved": False}
DEAR = {"costEur": 2000, "managerApproved": False}
LOWER = "(=> (and (> costEur 500.0) (not managerApproved)) (not tripApproved))"


def write(
    draft: Draft,
    facts: dict,
    said: FindingKind,
    *,
    claim: str | None = "tripApproved",
    origin: Origin = Origin.WRITTEN,
    by: User | None = None,
) -> Scenario:
    model = draft.composition().model
    uids = {variable.name: variable.id for variable in model.variables}
    term = None if claim is None else read_term(claim, model)
    expected = Expectation({uids[name]: value for name, value in facts.items()}, term, said)
    row = new_scenario(model, expected, f"a trip with {sorted(facts.items())}", origin)
    row.policy, row.by = draft.policy, by or draft.alice
    row.save()
    return row


def results(draft: Draft) -> dict[str, Result]:
    runs = run_in_force(draft.policy, draft.composition())
    return {uid: run.result for uid, run in runs.items()}


def edit(draft: Draft, name: str, smtlib: str) -> None:
    shown = draft.composition().hashes[draft.rule(name).uid]
    edit_rule(draft.policy, draft.bob, draft.rule(name), smtlib=smtlib, shown_hash=shown)


def test_the_last_word_on_a_case_counts_unless_it_was_withdrawn(draft: Draft) -> None:
    first = write(draft, DEAR, YES)
    other = write(draft, CHEAP, NO)
    last = write(draft, DEAR, NO, by=draft.bob, origin=Origin.SUITE)
    assert first.case_hash == last.case_hash != other.case_hash
    assert [one.scenario for one in own_in_force(draft.policy)] == [other, last]
    assert results(draft) == {other.uid: Result.FAILS, last.uid: Result.HOLDS}
    ScenarioWithdrawal.objects.create(scenario=last, by=draft.bob)
    assert [one.scenario for one in own_in_force(draft.policy)] == [other]


@pytest.mark.parametrize(
    ("facts", "claim", "said"),
    [
        (DEAR, "tripApproved", NO),
        ({"costEur": 2000}, "tripApproved", OPEN),
        ({"costEur": 900, "managerApproved": True, "tenureMonths": 9}, "tripApproved", YES),
        ({"costEur": -1}, "tripApproved", NEVER),
        ({"costEur": -1}, None, NEVER),
        (DEAR, None, OPEN),
    ],
)
def test_each_answer_is_held_against_the_whole_draft(
    draft: Draft, facts: dict, claim: str | None, said: FindingKind
) -> None:
    row = write(draft, facts, said, claim=claim)
    assert results(draft) == {row.uid: Result.HOLDS}
    others = (NEVER, OPEN) if claim is None else (YES, NO, OPEN, NEVER)
    for wrong in others:
        if wrong is not said:
            row = write(draft, facts, wrong, claim=claim)
            assert results(draft) == {row.uid: Result.FAILS}


def test_after_an_edit_only_those_are_run_that_it_reaches(
    draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    with editing(draft.policy, draft.alice, cause="declared") as made:
        add_variable(made, NewVariable("isSingle", "Bool"))
        add_variable(made, NewVariable("roomPaid", "Bool", role="outcome"))
    draft_rule(draft, "room", "(=> isSingle roomPaid)", COST)
    rows = [write(draft, DEAR, NO), write(draft, {"isSingle": True}, YES, claim="roomPaid")]
    assert known_runs(draft.policy, draft.composition(), own_in_force(draft.policy)) == {}
    results(draft)
    kept = ScenarioRun.objects.count()
    assert kept == 2

    def none(self: SolverPool) -> None:
        raise AssertionError("nothing need be asked")

    with monkeypatch.context() as patched:
        patched.setattr(SolverPool, "solver", none)
        assert len(results(draft)) == len(rows)
        known = known_runs(draft.policy, draft.composition(), own_in_force(draft.policy))
        assert {run.result for run in known.values()} == {Result.HOLDS}
    edit(draft, "cost", LOWER)
    assert results(draft)[rows[0].uid] is Result.HOLDS
    assert ScenarioRun.objects.count() == kept + 1  # not of the room


def test_what_is_kept_is_never_of_another_content(draft: Draft) -> None:
    row = write(draft, CHEAP, OPEN)
    assert results(draft) == {row.uid: Result.HOLDS}
    edit(draft, "cost", LOWER)
    assert results(draft) == {row.uid: Result.FAILS}
    edit(draft, "cost", LOWER.replace("500", "1000"))
    assert results(draft) == {row.uid: Result.HOLDS}


def test_an_edit_shows_the_scenarios_it_turns_and_the_answers_among_them(draft: Draft) -> None:
    row = write(draft, CHEAP, NO)
    write(draft, DEAR, NO)
    draft.answer_all(0)
    rule = draft.rule("cost")
    shown = draft.composition().hashes[rule.uid]
    proposed = propose_edit(draft.policy, rule, smtlib=LOWER, shown_hash=shown)
    (one,) = proposed.consequences.scenarios.changed
    assert (one.uid, one.said, one.holds) == (row.uid, "no", True)
    assert (one.before, one.after) == ("nothing follows", "the trip is not approved")
    assert proposed.consequences.scenarios.not_run == 0
    service = draft.rule("service")
    shown = draft.composition().hashes[service.uid]
    turned = propose_edit(draft.policy, service, smtlib=SERVICE_LATER, shown_hash=shown)
    (one,) = turned.consequences.scenarios.changed
    assert (one.said, one.holds) == ("the document leaves it open", False)
    assert one.after == "the trip is not approved"


def test_a_new_rule_and_a_scope_show_what_they_turn(draft: Draft) -> None:
    row = write(draft, {"managerApproved": False, "costEur": 10}, OPEN)
    composition = draft.composition()
    term = read_term("(=> (not managerApproved) (not tripApproved))", composition.model)
    rule = draft.composition().model.rule_by_id[draft.rule("cost").uid]
    comes = consequences_of_rule(draft.policy, composition, rule.kind, term)
    assert [(one.uid, one.holds) for one in comes.scenarios.changed] == [(row.uid, False)]
    dear = write(draft, DEAR, NO)
    document = draft.sentences[COST].revision.document
    proposed = propose_scope(
        draft.policy, document, (), english="", smtlib="(= destination international)"
    )
    turned = {one.uid: one.after for one in proposed.consequences.scenarios.changed}
    assert turned == {dear.uid: "nothing follows"}


def test_where_there_is_no_time_the_number_is_said(draft: Draft) -> None:
    for cost in (1, 2, 3):
        write(draft, {"costEur": cost}, OPEN)
    then = draft.composition().model.with_rules(())
    changes = changed_scenarios(draft.policy, draft.composition(), then, seconds=0)
    assert (changes.changed, changes.not_run) == ((), 3)


def test_a_scenario_that_fails_keeps_the_draft_from_being_published(ready: Draft) -> None:
    row = write(ready, DEAR, YES)
    with pytest.raises(PublishRefusedError) as refused:
        publish(ready.bob, ready.policy, shown_revision=ready.revision())
    (blocker,) = refused.value.blockers
    assert blocker.sentence.startswith("A scenario does not hold any more: 'a trip with")
    assert (blocker.kind, blocker.id) == ("scenario", row.uid)
    ScenarioWithdrawal.objects.create(scenario=row, by=ready.bob)
    publish(ready.bob, ready.policy, shown_revision=ready.revision())


def test_nothing_is_published_while_scenarios_were_not_run(
    ready: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(ready, DEAR, NO)
    monkeypatch.setattr("vetting.publishing.PUBLISH_S", 0)
    with pytest.raises(PublishRefusedError, match="were not run in time"):
        publish(ready.bob, ready.policy, shown_revision=ready.revision())


def test_answers_in_words_that_changed_are_counted_in_one_sentence(ready: Draft) -> None:
    for cost in (2000, 3000):
        write(ready, {**DEAR, "costEur": cost}, NO, origin=Origin.SUITE)
    written = write(ready, {**DEAR, "costEur": 4000}, NO)
    variable = ready.variable("costEur")
    new = NewVariable("costEur", "Real", unit="EUR", phrase="what the trip costs")
    edit_variable(ready.policy, ready.bob, variable, new, shown_hash=variable_hash(variable))
    now, runs = standing(ready.policy), run_in_force(ready.policy, ready.composition())
    found = list(untold(ready.policy, now, runs))
    assert [(one.kind, one.id) for one in found] == [("scenario", written.uid), ("suite", "")]
    assert found[1].sentence.startswith("2 answers to cases of the suite")
    # Said again in the new words, the old word on the case counts no more.
    again = write(ready, {**DEAR, "costEur": 4000}, NO)
    assert [one.scenario for one in own_in_force(ready.policy)][-1] == again
    assert len(own_in_force(ready.policy)) == 3


def test_what_an_act_would_turn_is_told_and_nothing_of_the_act_is_kept(draft: Draft) -> None:
    row = write(draft, DEAR, NO)
    draft.answer_all(0)
    rule, revision = draft.rule("cost"), draft.revision()
    shown = draft.composition().hashes[rule.uid]

    def act() -> object:
        return reject(draft.policy, draft.bob, rule, reason="Wrong.", shown_hash=shown)

    changes = foretell(draft.policy, act)
    assert [(one.uid, one.after) for one in changes.changed] == [(row.uid, "nothing follows")]
    assert draft.revision() == draft.policy.revision == revision
    assert not rule.decisions.exists()

    def other() -> object:
        return set_default(
            draft.policy, draft.bob, draft.variable("tripApproved"), DefaultChoice.OPEN
        )

    fine = write(draft, {"costEur": 1, "managerApproved": True, "tenureMonths": 60}, YES)
    assert [one.uid for one in foretell(draft.policy, other).changed] == [fine.uid]
    service = draft.rule("service")
    shown = draft.composition().hashes[service.uid]
    gone = foretell(
        draft.policy,
        lambda: reject(draft.policy, draft.bob, service, reason="No.", shown_hash=shown),
    )
    assert any("its rule leaves the draft" in one.after for one in gone.changed)


@pytest.fixture
def page(draft: Draft, client_of: Callable[[User], Client]) -> Client:
    Membership.objects.create(policy=draft.policy, user=draft.bob, role=Role.OWNER)
    return client_of(draft.bob)


@pytest.mark.parametrize("is_htmx", [False, True])
def test_a_rejection_is_done_once_its_scenarios_were_seen(
    draft: Draft, page: Client, is_htmx: bool
) -> None:
    write(draft, DEAR, NO)
    rule = draft.rule("cost")
    url = f"/policies/{draft.policy.slug}/review/{rule.uid}/reject/"
    sent = {"reason": "Not ours.", "shown": draft.composition().hashes[rule.uid]}
    headers = {"HX-Request": "true"} if is_htmx else {}
    told = page.post(url, sent, headers=headers)
    text = told.content.decode()
    assert told.status_code == 409
    assert "Scenarios that turn out differently" in text
    assert ("X-Problem" in told) == is_htmx
    assert draft.rule("cost")
    assert is_htmx or 'value="Not ours."' in text
    token = re.search(r'name="seen-scenarios" value="([^"]+)"', text)
    assert token is not None
    done = page.post(url, {**sent, "seen-scenarios": token[1]}, headers=headers, follow=True)
    assert done.status_code == 200
    assert not Rule.objects.filter(name="cost", retired_at=None).exists()


def test_another_reading_is_carried_with_its_button(draft: Draft, page: Client) -> None:
    write(draft, {"costEur": 1, "tenureMonths": 6}, OPEN)
    question = question_states(draft.policy, draft.composition())[0]
    url = f"/policies/{draft.policy.slug}/review/{question.question.uid}/answer/"
    international = draft.composition().model.datatypes[0].values[1].id
    write(draft, {"tenureMonths": 6, "destination": international}, OPEN)
    sent = {"reading": "1", "shown": question.shown_hash}
    text = page.post(url, sent, headers={"HX-Request": "true"}).content.decode()
    assert '<input type="hidden" name="reading" value="1">' in text


def test_an_edit_of_a_variable_shows_whose_words_it_changes(draft: Draft, page: Client) -> None:
    write(draft, DEAR, NO)
    variable = draft.variable("costEur")
    url = f"/policies/{draft.policy.slug}/glossary/{variable.uid}/"
    sent = {
        "name": "costEur",
        "sort": "Real",
        "role": "fact",
        "unit": "EUR",
        "phrase": "what it costs",
        "shown": variable_hash(variable),
    }
    text = page.post(url, sent).content.decode()
    assert "what its words mean has changed since" in text
    assert draft.variable("costEur").phrase == "the total trip cost"


def test_the_editor_shows_it_below_what_was_read(draft: Draft, page: Client) -> None:
    write(draft, CHEAP, NO)
    rule = draft.rule("cost")
    url = f"/policies/{draft.policy.slug}/review/{rule.uid}/read/"
    sent = {"smtlib": LOWER, "language": "smtlib", "shown": draft.composition().hashes[rule.uid]}
    text = page.post(url, sent).content.decode()
    assert "Scenarios that turn out differently" in text
    assert "agrees with what was said" in text


def test_the_edit_of_a_rule_by_several_changes_names_each_scenario_once(draft: Draft) -> None:
    write(draft, CHEAP, NO)
    model = draft.composition().model
    term = read_term(LOWER, model)
    comes = consequences_of_edit(draft.policy, draft.composition(), draft.rule("cost"), term)
    assert len(comes.scenarios.changed) == 1
    same = read_term(SERVICE_RULE, model)
    none = consequences_of_edit(draft.policy, draft.composition(), draft.rule("service"), same)
    assert not none.scenarios.any
    assert scenarios_in_force(draft.policy, draft.composition())
