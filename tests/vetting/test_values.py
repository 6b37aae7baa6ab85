"""What a list of values means together is a person's word (field reports FR-74 and FR-75)."""

from __future__ import annotations

import pytest

from policies.models import AuditRow, DatatypeValue
from policywright.smtlib import print_term
from tests.vetting.conftest import SERVICE, Draft, draft_rule
from vetting.datatypes import datatype_hash, edit_datatype
from vetting.declarations import NewValue, NewVariable, declare_variable
from vetting.models import ValuesQuestion, ValuesSaid
from vetting.publishing import PublishRefusedError, publish
from vetting.refusals import MovedError, RefusedError
from vetting.review import ReviewState
from vetting.values import ValuesReview, add_other, say_values, values_states
from vetting.values_apart import make_facts

pytestmark = pytest.mark.django_db

COMPLETE, EXCLUSIVE = ValuesQuestion.COMPLETE, ValuesQuestion.EXCLUSIVE


def review(draft: Draft) -> ValuesReview:
    (found,) = values_states(draft.policy, draft.composition())
    return found


def say(draft: Draft, question: ValuesQuestion, holds: bool = True) -> ValuesSaid:
    one = review(draft)
    uid, shown = one.datatype.id, one.hash
    return say_values(draft.policy, draft.alice, uid, question, holds=holds, shown_hash=shown)


def add_something_else(draft: Draft, shown: str = "") -> DatatypeValue | None:
    one = review(draft)
    return add_other(draft.policy, draft.alice, one.datatype.id, shown_hash=shown or one.hash)


def rule_text(draft: Draft, name: str) -> str:
    model = draft.composition().model
    return print_term(model, model.rule_by_id[draft.rule(name).uid].term)


def test_both_are_asked_of_an_enumeration_that_a_rule_uses(draft: Draft) -> None:
    assert review(draft).asks == (COMPLETE, EXCLUSIVE)
    assert review(draft).listed == "domestic and international"


def test_what_is_said_is_kept_once_with_its_line_in_the_record(draft: Draft) -> None:
    assert say(draft, COMPLETE).pk == say(draft, COMPLETE).pk
    assert review(draft).asks == (EXCLUSIVE,)
    say(draft, EXCLUSIVE)
    assert review(draft).asks == ()
    actions = AuditRow.objects.filter(object=f"datatype:{review(draft).datatype.id}")
    assert list(actions.values_list("action", flat=True))[-2:] == ["say-complete", "say-exclusive"]


def test_fr_75_a_value_for_everything_else_is_the_other_answer(draft: Draft) -> None:
    with pytest.raises(RefusedError, match="add a value"):
        say(draft, COMPLETE, holds=False)
    assert add_something_else(draft).name == "OTHER"
    assert add_something_else(draft) is None
    assert review(draft).asks == (EXCLUSIVE,)
    assert draft.review("service").state is ReviewState.QUESTION_OPEN


def test_another_value_asks_again_and_a_change_undone_brings_the_word_back(draft: Draft) -> None:
    say(draft, COMPLETE)
    row = draft.policy.datatypes.get()
    values = {one.uid: NewValue(one.name, one.phrase) for one in row.values.all()}
    first = next(iter(values))
    for phrase, asks in (("at home", (COMPLETE, EXCLUSIVE)), ("", (EXCLUSIVE,))):
        edit_datatype(
            draft.policy,
            draft.alice,
            row,
            name=row.name,
            description="",
            values=values | {first: NewValue(values[first].name, phrase)},
            shown_hash=datatype_hash(draft.policy.datatypes.get()),
        )
        assert review(draft).asks == asks


def test_what_was_said_of_other_values_is_refused(draft: Draft) -> None:
    shown, uid = review(draft).hash, review(draft).datatype.id
    add_something_else(draft)
    with pytest.raises(MovedError):
        say_values(draft.policy, draft.alice, uid, EXCLUSIVE, holds=True, shown_hash=shown)


def test_nothing_is_published_before_somebody_said_it(ready: Draft) -> None:
    add_something_else(ready)
    ready.answer_all()
    ready.approve("service")
    ready.approve("approved")
    with pytest.raises(PublishRefusedError) as refused:
        publish(ready.alice, ready.policy, shown_revision=ready.revision())
    (blocker,) = refused.value.blockers
    assert blocker.kind == "datatype"
    assert "nobody said whether two can hold at once" in blocker.sentence
    say(ready, EXCLUSIVE)
    publish(ready.alice, ready.policy, shown_revision=ready.revision())


def test_fr_74_two_at_once_become_facts_in_one_act(ready: Draft) -> None:
    say(ready, EXCLUSIVE, holds=False)
    with pytest.raises(PublishRefusedError) as refused:
        publish(ready.alice, ready.policy, shown_revision=ready.revision())
    assert "make each a fact of its own" in str(refused.value)
    uid, revision = review(ready).datatype.id, ready.revision()
    made = make_facts(ready.policy, ready.alice, uid, shown_revision=revision)
    assert [one.name for one in made] == ["destinationDomestic", "destinationInternational"]
    assert [one.phrase for one in made][1] == "the destination includes international"
    assert rule_text(ready, "service") == (
        "(=> (and destinationInternational (< tenureMonths 6)) (not tripApproved))"
    )
    assert values_states(ready.policy, ready.composition()) == []
    assert ready.review("service").state is ReviewState.LAPSED
    assert ready.rule("service").author == ready.alice


def test_a_value_is_found_wherever_a_rule_says_it(draft: Draft) -> None:
    draft.answer_all()
    term = "(=> (ite (= destination domestic) managerApproved (distinct destination domestic)) "
    draft_rule(draft, "mixed", f"{term}tripApproved)", "Expenses must be reasonable.")
    uid, revision = review(draft).datatype.id, draft.revision()
    make_facts(draft.policy, draft.alice, uid, shown_revision=revision)
    assert "destinationDomestic" in rule_text(draft, "mixed")
    assert "(not destinationDomestic)" in rule_text(draft, "mixed")


def test_an_open_question_is_answered_first(draft: Draft) -> None:
    with pytest.raises(RefusedError, match="open question"):
        make_facts(
            draft.policy, draft.alice, review(draft).datatype.id, shown_revision=draft.revision()
        )
    assert DatatypeValue.objects.count() == 2
    assert not draft.policy.variables.filter(name="destinationDomestic").exists()


def test_a_rule_that_compares_two_choices_is_named_and_nothing_is_changed(draft: Draft) -> None:
    draft.answer_all()
    declare_variable(draft.policy, draft.alice, NewVariable("origin", "Destination"))
    draft_rule(draft, "same", "(=> (= destination origin) tripApproved)", SERVICE)
    uid, revision = review(draft).datatype.id, draft.revision()
    with pytest.raises(RefusedError, match="`same` compares two choices"):
        make_facts(draft.policy, draft.alice, uid, shown_revision=revision)
    assert draft.revision() == revision
    assert not draft.policy.variables.filter(name="destinationDomestic").exists()


def test_something_else_is_not_added_to_values_that_nobody_saw(draft: Draft) -> None:
    with pytest.raises(MovedError):
        add_something_else(draft, shown="pw1:of other values")
    assert not review(draft).has_other
