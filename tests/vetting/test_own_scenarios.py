"""Scenarios that people write: read by the grammar, kept with their word, withdrawn, replaced."""

from __future__ import annotations

import pytest
from django.http import Http404

from policies.models import AuditRow, Policy
from tests.vetting.conftest import Draft
from vetting.declarations import NewVariable, edit_variable, variable_hash
from vetting.edits import edit_rule
from vetting.english import complete
from vetting.models import Origin, Scenario
from vetting.own_scenarios import (
    add_scenario,
    listed_scenarios,
    propose_scenario,
    withdraw_scenario,
)
from vetting.refusals import AmbiguousError, NotSeenError, NotUnderstoodError, RefusedError
from vetting.scenarios import Result, own_in_force, run_in_force

pytestmark = pytest.mark.django_db

CASE = "Given that the total trip cost is EUR 1,500 and a line manager has not approved the trip: "
DOMESTIC = (
    "Given that the total trip cost is EUR 1,500, a line manager has not approved the trip and "
    "the destination is domestic: "
)
NO, YES = f"{CASE}the trip is not approved.", f"{CASE}the trip is approved."


def write(draft: Draft, text: str) -> Scenario:
    shown = propose_scenario(draft.policy, text).read_as
    return add_scenario(draft.policy, draft.bob, text, shown=shown)


def result(draft: Draft, row: Scenario) -> Result:
    return run_in_force(draft.policy, draft.composition())[row.uid].result


def test_what_was_read_is_kept_in_our_words_with_who_said_it(draft: Draft) -> None:
    text = (
        "if the total trip cost is €1500 and a line manager hasn't approved the trip:\r\n"
        "the trip is not approved"
    )
    proposed = propose_scenario(draft.policy, text)
    assert proposed.given == (
        "the total trip cost is EUR 1,500",
        "a line manager has not approved the trip",
    )
    assert (proposed.supposed, proposed.said) == ((), "no")
    assert proposed.asked == "is it so that the trip is approved"
    row = write(draft, text)
    assert (row.english, row.origin, row.by, row.expected) == (
        NO,
        Origin.WRITTEN,
        draft.bob,
        "INVALID",
    )
    assert [one.scenario for one in own_in_force(draft.policy)] == [row]
    kept = AuditRow.objects.get(action="add-scenario", object=f"scenario:{row.uid}")
    assert (kept.actor, kept.new_hash) == (draft.bob, row.content_hash)
    assert result(draft, row) is Result.HOLDS


def test_a_case_that_the_rules_contradict_is_kept_until_they_say_the_same(draft: Draft) -> None:
    row = write(draft, f"{DOMESTIC}the trip is approved.")
    run = run_in_force(draft.policy, draft.composition())[row.uid]
    assert run.result is Result.FAILS
    assert run.ran is not None
    assert run.ran.rules == (draft.rule("cost").uid,)
    edit_rule(
        draft.policy,
        draft.bob,
        draft.rule("cost"),
        smtlib="(=> (> costEur 2000.0) (not tripApproved))",
        shown_hash=draft.review("cost").hash,
    )
    assert result(draft, row) is Result.HOLDS


def test_the_same_word_is_one_row_and_another_takes_its_place(draft: Draft) -> None:
    first = write(draft, NO)
    assert write(draft, NO) == first
    second = write(draft, YES)
    assert [one.scenario for one in own_in_force(draft.policy)] == [second]
    again = propose_scenario(draft.policy, NO)
    assert (again.present, again.is_known) == (second, False)
    third = write(draft, NO)
    assert [one.scenario for one in own_in_force(draft.policy)] == [third]
    assert propose_scenario(draft.policy, NO).is_known


def test_what_was_not_shown_is_not_kept(draft: Draft) -> None:
    shown = propose_scenario(draft.policy, NO).read_as
    with pytest.raises(NotSeenError):
        add_scenario(draft.policy, draft.bob, YES, shown=shown)
    with pytest.raises(NotSeenError):
        add_scenario(draft.policy, draft.bob, NO, shown="")
    assert not Scenario.objects.exists()


def test_words_that_are_unknown_come_with_phrases_like_them(draft: Draft) -> None:
    with pytest.raises(NotUnderstoodError) as refused:
        propose_scenario(draft.policy, "Given that the trip cost is EUR 5: the trip is approved.")
    (unknown,) = refused.value.unknown
    assert unknown.words == "the trip cost"
    assert unknown.near[0].phrase == "the total trip cost"
    assert unknown.fact.startswith("the trip cost")


def test_words_that_are_known_and_do_not_fit_come_without(draft: Draft) -> None:
    text = "Given that the destination is not domestic: the trip is approved."
    with pytest.raises(NotUnderstoodError) as refused:
        propose_scenario(draft.policy, text)
    (unknown,) = refused.value.unknown
    assert (unknown.words, unknown.near, unknown.fact) == (
        "the destination is not domestic",
        (),
        "",
    )


@pytest.mark.parametrize("text", ["", "  \n", "x" * 20_001, "Given\0 that", "a\u202eb"])
def test_hostile_text_is_refused_in_a_sentence(draft: Draft, text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        propose_scenario(draft.policy, text)
    assert str(refused.value).count("\n") == 0


def test_a_text_with_two_meanings_is_asked_about(draft: Draft) -> None:
    text = f"{CASE}either the trip is approved or completed service is 5 months."
    with pytest.raises(AmbiguousError) as refused:
        propose_scenario(draft.policy, text)
    assert len(refused.value.readings) == 2
    for one in refused.value.readings:
        assert propose_scenario(draft.policy, one.english).english == one.english


def test_one_is_withdrawn_with_a_reason_and_stays_readable(draft: Draft) -> None:
    row = write(draft, YES)
    with pytest.raises(RefusedError, match="write the reason"):
        withdraw_scenario(draft.policy, draft.alice, row.uid, reason=" ")
    first = withdraw_scenario(draft.policy, draft.alice, row.uid, reason="The manager was asked.")
    assert withdraw_scenario(draft.policy, draft.alice, row.uid, reason="Again.") == first
    assert own_in_force(draft.policy) == []
    assert not propose_scenario(draft.policy, YES).is_known
    assert Scenario.objects.get() == row
    kept = AuditRow.objects.get(action="withdraw-scenario")
    assert (kept.actor, kept.old_hash) == (draft.alice, row.content_hash)
    anew = write(draft, YES)
    assert [one.scenario for one in own_in_force(draft.policy)] == [anew]


def test_only_what_somebody_wrote_is_withdrawn_and_only_of_this_policy(
    draft: Draft, alice: object
) -> None:
    draft.answer_all(1)
    answered = Scenario.objects.get()
    with pytest.raises(RefusedError, match="answer the question again"):
        withdraw_scenario(draft.policy, draft.bob, answered.uid, reason="No.")
    row = write(draft, NO)
    other = Policy.objects.create(slug="other", name="Other", created_by=draft.alice)
    with pytest.raises(Http404):
        withdraw_scenario(other, draft.bob, row.uid, reason="No.")
    assert [one.scenario for one in listed_scenarios(draft.policy, draft.composition())] == [
        answered,
        row,
    ]


def test_a_word_whose_meaning_changed_does_not_fit_any_more(draft: Draft) -> None:
    row = write(draft, NO)
    variable = draft.variable("costEur")
    new = NewVariable("costEur", "Real", unit="USD", phrase="the total trip cost")
    edit_variable(draft.policy, draft.bob, variable, new, shown_hash=variable_hash(variable))
    assert result(draft, row) is Result.UNFIT


@pytest.mark.parametrize(
    ("frame", "clause", "offered"),
    [
        ("Given that ", "the destination is ", "international"),
        ("Given that ", "the total tr", "the total trip cost"),
        (f"{CASE}the document leaves open whether ", "the trip is a", "the trip is approved"),
        (f"{CASE[:-2]}; suppose that ", "the trip is n", "the trip is not approved"),
        ("Whatever the facts: ", "completed s", "completed service"),
    ],
)
def test_phrases_are_offered_behind_the_frame_of_a_scenario(
    draft: Draft, frame: str, clause: str, offered: str
) -> None:
    found = complete(draft.policy, frame + clause)
    assert offered in {one.text for one in found}
    assert found == complete(draft.policy, clause)
