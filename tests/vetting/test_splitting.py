"""What is taken apart by hand: a variable, a value, a datatype, a rule; and datatypes edited."""

from __future__ import annotations

import pytest

from policies.audit import first_broken_link
from policies.models import Datatype, Rule
from policywright.smtlib import print_term
from tests.vetting.conftest import COST, WELCOME, Draft
from vetting.datatypes import datatype_hash, edit_datatype
from vetting.declarations import NewValue, NewVariable, declare_variable
from vetting.edits import add_rule
from vetting.merging import merge_symbols
from vetting.refusals import MovedError, RefusedError
from vetting.review import ReviewState
from vetting.splitting import split_datatype, split_rule, split_value, split_variable

pytestmark = pytest.mark.django_db

NEW = NewVariable("ticketCost", "Real", unit="EUR", phrase="the cost of the ticket")


def printed(draft: Draft, name: str) -> str:
    model = draft.composition().model
    rule = next(rule for rule in model.rules if rule.name == name)
    return " ".join(print_term(model, rule.term).split())


def write(draft: Draft, name: str, smtlib: str) -> Rule:
    lineages = [draft.sentences[WELCOME].lineage]
    return add_rule(draft.policy, draft.alice, lineages=lineages, smtlib=smtlib, name=name)


def test_a_variable_is_split_and_the_chosen_rules_speak_of_the_new_one(draft: Draft) -> None:
    draft.approve("cost")
    draft.approve("cost-range")
    split_variable(
        draft.policy,
        draft.alice,
        draft.variable("costEur"),
        NEW,
        rules=[draft.rule("cost").uid],
        shown_revision=draft.revision(),
    )
    assert "(> ticketCost 1000.0)" in printed(draft, "cost")
    assert printed(draft, "cost-range") == "(>= costEur 0.0)"
    assert draft.review("cost").state is ReviewState.LAPSED
    assert draft.review("cost-range").state is ReviewState.APPROVED
    assert first_broken_link(draft.policy) is None


def test_a_split_of_what_was_merged_moves_its_rules_whichever_word_they_use(draft: Draft) -> None:
    total = declare_variable(draft.policy, draft.alice, NewVariable("total", "Real", unit="EUR"))
    rule = write(draft, "dear", "(=> (> total 5000.0) (not tripApproved))")
    merge_symbols(
        draft.policy,
        draft.alice,
        from_uid=total.uid,
        into_uid=draft.variable("costEur").uid,
        shown_revision=draft.revision(),
    )
    split_variable(
        draft.policy,
        draft.alice,
        draft.variable("costEur"),
        NEW,
        rules=[rule.uid],
        shown_revision=draft.revision(),
    )
    assert printed(draft, "dear") == "(=> (> ticketCost 5000.0) (not tripApproved))"


@pytest.mark.parametrize(
    ("new", "rule", "said"),
    [
        (NEW, "approved", "does not speak of it"),
        (NEW, "service", "does not speak of it"),
        (NewVariable("ticketCost", "Real", unit="USD"), "cost", "the unit of the old one"),
        (NewVariable("destination", "Real", unit="EUR"), "cost", "already"),
        (NewVariable("not", "Real", unit="EUR"), "cost", "not"),
    ],
)
def test_a_split_that_does_not_fit_changes_nothing(
    draft: Draft, new: NewVariable, rule: str, said: str
) -> None:
    before = draft.revision()
    with pytest.raises(RefusedError, match=said):
        split_variable(
            draft.policy,
            draft.alice,
            draft.variable("costEur"),
            new,
            rules=[draft.rule(rule).uid],
            shown_revision=before,
        )
    assert draft.revision() == before


def test_a_rule_with_an_open_question_is_not_touched(draft: Draft) -> None:
    with pytest.raises(RefusedError, match="open question"):
        split_variable(
            draft.policy,
            draft.alice,
            draft.variable("tenureMonths"),
            NewVariable("serviceMonths", "Int", unit="months"),
            rules=[draft.rule("service").uid],
            shown_revision=draft.revision(),
        )


def test_a_value_is_split(draft: Draft) -> None:
    draft.answer_all()
    value = Datatype.objects.get(name="Destination").values.get(name="international")
    split_value(
        draft.policy,
        draft.alice,
        value,
        name="overseas",
        phrase="overseas",
        rules=[draft.rule("service").uid],
        shown_revision=draft.revision(),
    )
    assert "(= destination overseas)" in printed(draft, "service")
    (datatype,) = draft.composition().model.datatypes
    assert [one.name for one in datatype.values] == ["domestic", "international", "overseas"]


def test_a_datatype_is_split_with_its_variables_and_their_rules(draft: Draft) -> None:
    declare_variable(draft.policy, draft.alice, NewVariable("origin", "Destination"))
    write(draft, "origin-rule", "(=> (= origin domestic) tripApproved)")
    copy = split_datatype(
        draft.policy,
        draft.alice,
        Datatype.objects.get(name="Destination"),
        name="Origin",
        variables=[draft.variable("origin").uid],
        shown_revision=draft.revision(),
    )
    assert draft.variable("origin").sort == copy.uid
    assert not draft.composition().broken
    write(draft, "both", "(=> (= destination (as domestic Destination)) tripApproved)")
    names = {datatype.name for datatype in draft.composition().model.datatypes}
    assert names == {"Destination", "Origin"}


def test_a_datatype_is_not_split_through_a_rule(draft: Draft) -> None:
    declare_variable(draft.policy, draft.alice, NewVariable("origin", "Destination"))
    write(draft, "same", "(=> (= origin destination) tripApproved)")
    with pytest.raises(RefusedError, match="two datatypes"):
        split_datatype(
            draft.policy,
            draft.alice,
            Datatype.objects.get(name="Destination"),
            name="Origin",
            variables=[draft.variable("origin").uid],
            shown_revision=draft.revision(),
        )
    assert Datatype.objects.count() == 1


def test_a_rule_is_split_into_parts_with_all_its_sources(draft: Draft) -> None:
    rule = write(draft, "two", "(=> (or (> costEur 9.0) managerApproved) tripApproved)")
    shown = draft.composition().hashes[rule.uid]
    made = split_rule(draft.policy, draft.alice, rule, shown_hash=shown)
    assert [printed(draft, one.name) for one in made] == [
        "(=> (> costEur 9.0) tripApproved)",
        "(=> managerApproved tripApproved)",
    ]
    assert all([s.quote for s in one.sources.all()] == [WELCOME] for one in made)
    assert Rule.objects.get(pk=rule.pk).retired_at is not None


def test_a_rule_of_one_part_or_one_that_moved_is_not_split(draft: Draft) -> None:
    rule = draft.rule("cost")
    shown = draft.composition().hashes[rule.uid]
    with pytest.raises(RefusedError, match="nothing to take apart"):
        split_rule(draft.policy, draft.alice, rule, shown_hash=shown)
    with pytest.raises(MovedError):
        split_rule(draft.policy, draft.alice, rule, shown_hash="pw1:other")
    assert draft.rule("cost").sources.get().quote == COST


def test_a_datatype_is_edited_and_rules_that_use_it_ask_again(draft: Draft) -> None:
    draft.answer_all()
    draft.approve("service")
    datatype = Datatype.objects.get(name="Destination")
    abroad = datatype.values.get(name="international")
    edited = edit_datatype(
        draft.policy,
        draft.alice,
        datatype,
        name="Place",
        description="Where the trip goes.",
        values={abroad.uid: NewValue("abroad", "in another country")},
        added=[NewValue("unknown")],
        shown_hash=datatype_hash(datatype),
    )
    assert [value.name for value in edited.values.all()] == ["domestic", "abroad", "unknown"]
    assert "(= destination abroad)" in printed(draft, "service")
    assert draft.review("service").state is ReviewState.LAPSED


@pytest.mark.parametrize(
    ("values", "added", "said"),
    [
        ({"international": "domestic"}, [], "stands twice"),
        ({}, ["costEur"], "already"),
        ({}, ["assert"], "assert"),
        ({"international": "not"}, [], "not"),
    ],
)
def test_a_datatypes_values_keep_names_that_a_file_can_hold(
    draft: Draft, values: dict[str, str], added: list[str], said: str
) -> None:
    datatype = Datatype.objects.get(name="Destination")
    uids = {value.name: value.uid for value in datatype.values.all()}
    with pytest.raises(RefusedError, match=said):
        edit_datatype(
            draft.policy,
            draft.alice,
            datatype,
            name="Destination",
            description="",
            values={uids[name]: NewValue(new) for name, new in values.items()},
            added=[NewValue(name) for name in added],
            shown_hash=datatype_hash(datatype),
        )
    assert not draft.composition().broken


@pytest.mark.parametrize("first", [0, 1])
def test_values_that_are_added_stand_behind_the_others(draft: Draft, first: int) -> None:
    datatype = Datatype.objects.get(name="Destination")
    for position, value in enumerate(datatype.values.all(), start=first):
        value.position = position
        value.save()
    edit_datatype(
        draft.policy,
        draft.alice,
        datatype,
        name="Destination",
        description="",
        values={},
        added=[NewValue("orbit"), NewValue("moon")],
        shown_hash=datatype_hash(datatype),
    )
    positions = datatype.values.values_list("name", "position")
    assert dict(positions) == {
        name: place
        for place, name in enumerate(("domestic", "international", "orbit", "moon"), start=first)
    }


def test_an_edit_of_a_datatype_that_moved_is_refused(draft: Draft) -> None:
    datatype = Datatype.objects.get(name="Destination")
    with pytest.raises(MovedError):
        edit_datatype(
            draft.policy,
            draft.alice,
            datatype,
            name="Place",
            description="",
            values={},
            shown_hash="other",
        )
