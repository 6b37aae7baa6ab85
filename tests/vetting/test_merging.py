"""Merges by people: rows that rewrite nothing, taken back in one act, never silent."""

from __future__ import annotations

import pytest

from policies.audit import first_broken_link
from policies.composing import compose
from policies.editing import DraftMovedError
from policies.models import AuditRow, Datatype, Merge, Policy, Rule, User, Variable
from policywright.hashing import content_hash
from policywright.model import DefaultChoice
from policywright.smtlib import print_model, print_term
from tests.vetting.conftest import COST, SERVICE, WELCOME, Draft
from translation.jobs import finish_inline
from translation.merges import present_proposals, start_search
from translation.merging.applying import merged_model
from translation.merging.clashes import Clash, find_clashes
from translation.models import MergeProposal
from vetting.assumptions import set_default
from vetting.declarations import (
    NewValue,
    NewVariable,
    declare_datatype,
    declare_variable,
    edit_variable,
    variable_hash,
)
from vetting.edits import add_rule, edit_rule
from vetting.joining import join_rules
from vetting.merging import keep_apart, merge_symbols, propose_again, undo_merge
from vetting.refusals import RefusedError
from vetting.review import ReviewState

pytestmark = pytest.mark.django_db

TOTAL = NewVariable(
    "totalCost",
    "Real",
    unit="EUR",
    phrase="the whole cost of the trip",
    description="What it costs.",
)
TOTAL_RULE = "(=> (and (> totalCost 1000.0) (not managerApproved)) (not tripApproved))"


@pytest.fixture
def total(draft: Draft) -> Variable:
    """A second word for the cost, with a rule of its own from another sentence."""
    made = declare_variable(draft.policy, draft.alice, TOTAL)
    add_rule(
        draft.policy,
        draft.alice,
        lineages=[draft.sentences[WELCOME].lineage],
        smtlib="(=> (> totalCost 5000.0) (not tripApproved))",
        name="dear",
    )
    return made


def merge(draft: Draft, first: str, second: str, **parts: object) -> Merge:
    uids = {v.name: v.uid for v in Variable.objects.filter(policy=draft.policy)}
    uids |= {d.name: d.uid for d in Datatype.objects.filter(policy=draft.policy)}
    return merge_symbols(
        draft.policy,
        draft.alice,
        from_uid=uids[first],
        into_uid=uids[second],
        shown_revision=draft.revision(),
        **parts,
    )


def printed(draft: Draft) -> dict[str, str]:
    composition = draft.composition()
    model = composition.model
    return {rule.name: " ".join(print_term(model, rule.term).split()) for rule in model.rules}


def test_a_merge_makes_two_variables_one_and_rewrites_no_rule(
    draft: Draft, total: Variable
) -> None:
    before = Rule.objects.get(name="dear").term
    done = merge(draft, "totalCost", "costEur")
    assert printed(draft)["dear"] == "(=> (> costEur 5000.0) (not tripApproved))"
    assert Rule.objects.get(name="dear").term == before
    assert (done.by, done.undone_at) == (draft.alice, None)
    assert AuditRow.objects.filter(action="merge", object=f"merge:{done.pk}", actor=draft.alice)
    assert first_broken_link(draft.policy) is None


def test_a_merge_undone_gives_rules_and_approvals_back(draft: Draft, total: Variable) -> None:
    draft.approve("dear")
    before = printed(draft)
    done = merge(draft, "totalCost", "costEur")
    assert draft.review("dear").state is ReviewState.LAPSED
    undone = undo_merge(draft.policy, draft.bob, done)
    assert undone.named == ()
    assert printed(draft) == before
    assert draft.review("dear").state is ReviewState.APPROVED
    assert undo_merge(draft.policy, draft.bob, done).merge.undone_by == draft.bob
    assert AuditRow.objects.filter(action="undo-merge").count() == 1
    assert first_broken_link(draft.policy) is None


def test_the_same_merge_twice_is_one(draft: Draft, total: Variable) -> None:
    shown = draft.revision()
    first, second = (
        merge_symbols(
            draft.policy,
            draft.alice,
            from_uid=total.uid,
            into_uid=draft.variable("costEur").uid,
            shown_revision=shown,
        )
        for _ in range(2)
    )
    assert first == second


def test_a_merge_shown_for_another_draft_is_refused(draft: Draft, total: Variable) -> None:
    with pytest.raises(DraftMovedError):
        merge_symbols(
            draft.policy,
            draft.alice,
            from_uid=total.uid,
            into_uid=draft.variable("costEur").uid,
            shown_revision=draft.revision() - 1,
        )
    assert not Merge.objects.exists()


def test_a_circle_of_merges_is_refused(draft: Draft, total: Variable) -> None:
    declare_variable(draft.policy, draft.alice, NewVariable("price", "Real", unit="EUR"))
    merge(draft, "totalCost", "costEur")
    merge(draft, "costEur", "price")
    for name in ("totalCost", "costEur"):
        with pytest.raises(RefusedError, match="stand for itself"):
            merge(draft, "price", name)
    assert printed(draft)["dear"] == "(=> (> price 5000.0) (not tripApproved))"


def test_a_circle_written_past_the_services_hides_nothing(draft: Draft, total: Variable) -> None:
    cost = draft.variable("costEur")
    for one, other in ((total, cost), (cost, total)):
        Merge.objects.create(policy=draft.policy, from_uid=one.uid, into_uid=other.uid)
    model = draft.composition().model
    assert not draft.composition().broken
    assert len({cost.uid, total.uid} & set(model.variable_by_id)) == 1


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (NewVariable("other", "Int", unit="EUR"), "different sorts"),
        (NewVariable("other", "Real", unit="USD"), "counted in USD"),
        (NewVariable("other", "Real", unit="percent"), "counted in percent"),
    ],
)
def test_what_is_counted_otherwise_is_not_one(draft: Draft, other: NewVariable, said: str) -> None:
    declare_variable(draft.policy, draft.alice, other)
    with pytest.raises(RefusedError, match=said):
        merge(draft, "other", "costEur")
    assert not Merge.objects.exists()


def test_nothing_is_merged_with_itself_or_with_what_is_not_there(draft: Draft) -> None:
    cost = draft.variable("costEur").uid
    for other in (cost, "0" * 32, draft.rule("cost").uid):
        with pytest.raises(RefusedError):
            merge_symbols(
                draft.policy,
                draft.alice,
                from_uid=other,
                into_uid=cost,
                shown_revision=draft.revision(),
            )


def test_rules_that_say_the_same_become_one_with_both_sources_and_come_apart(
    draft: Draft, total: Variable
) -> None:
    add_rule(
        draft.policy,
        draft.alice,
        lineages=[draft.sentences[WELCOME].lineage],
        smtlib=TOTAL_RULE,
        name="cost-again",
    )
    before = printed(draft)
    done = merge(draft, "totalCost", "costEur")
    assert "cost-again" not in printed(draft)
    assert {s.quote for s in draft.rule("cost").sources.all()} == {COST, WELCOME}
    undo_merge(draft.policy, draft.alice, done)
    assert printed(draft) == before
    assert [s.quote for s in draft.rule("cost").sources.all()] == [COST]
    assert [s.quote for s in draft.rule("cost-again").sources.all()] == [WELCOME]
    assert not Merge.objects.filter(undone_at=None).exists()


def test_a_rule_with_a_question_is_the_one_that_stays(draft: Draft) -> None:
    months = NewVariable("monthsServed", "Int", unit="months")
    declare_variable(draft.policy, draft.alice, months)
    twin = add_rule(
        draft.policy,
        draft.alice,
        lineages=[draft.sentences[WELCOME].lineage],
        smtlib="(=> (and (= destination international) (< monthsServed 6)) (not tripApproved))",
        name="twin",
    )
    Rule.objects.filter(pk=twin.pk).update(position=0)
    merge(draft, "monthsServed", "tenureMonths")
    assert "twin" not in printed(draft)
    assert draft.review("service").questions


def test_what_was_edited_since_is_named_when_a_merge_is_undone(
    draft: Draft, total: Variable
) -> None:
    done = merge(draft, "totalCost", "costEur")
    rule = draft.rule("dear")
    edit_rule(
        draft.policy,
        draft.alice,
        rule,
        smtlib="(=> (> costEur 6000.0) (not tripApproved))",
        shown_hash=draft.composition().hashes[rule.uid],
    )
    add_rule(
        draft.policy,
        draft.alice,
        lineages=[draft.sentences[SERVICE].lineage],
        smtlib="(=> (< costEur 1.0) tripApproved)",
        name="cheap",
    )
    cost = draft.variable("costEur")
    new = NewVariable("costEur", "Real", unit="EUR", description="All of it.")
    edit_variable(draft.policy, draft.alice, cost, new, shown_hash=variable_hash(cost))
    named = undo_merge(draft.policy, draft.alice, done).named
    assert named == (
        "`dear` was edited after the merge, so it goes on speaking of `costEur`.",
        "`cheap` was written after the merge: it speaks of `costEur`.",
        "`costEur` was edited after the merge and keeps its new description.",
    )


def test_the_same_name_and_another_meaning_is_kept_apart_under_two_names(
    draft: Draft, total: Variable
) -> None:
    done = merge(draft, "totalCost", "costEur")
    Variable.objects.filter(pk=total.pk).update(name="costEur")
    named = undo_merge(draft.policy, draft.alice, done).named
    assert named == (
        "There are two of the name `costEur` now; the one that came back is `costEur2`.",
    )
    assert Variable.objects.get(pk=total.pk).name == "costEur2"


def test_two_defaults_of_one_outcome_are_refused(draft: Draft) -> None:
    other = declare_variable(
        draft.policy, draft.alice, NewVariable("bookingAllowed", "Bool", role="outcome")
    )
    set_default(draft.policy, draft.alice, other, DefaultChoice.REFUSED, name="other-default")
    with pytest.raises(RefusedError, match="default each"):
        merge(draft, "bookingAllowed", "tripApproved")


def test_datatypes_merge_by_value_and_what_has_no_partner_stays(draft: Draft) -> None:
    kind = declare_datatype(
        draft.policy,
        draft.alice,
        name="TripKind",
        values=[NewValue("abroad"), NewValue("atHome"), NewValue("local")],
    )
    declare_variable(draft.policy, draft.alice, NewVariable("tripKind", "TripKind"))
    for name, value in (("k1", "abroad"), ("k2", "local")):
        add_rule(
            draft.policy,
            draft.alice,
            lineages=[draft.sentences[WELCOME].lineage],
            smtlib=f"(=> (= tripKind {value}) (not tripApproved))",
            name=name,
        )
    target = Datatype.objects.get(name="Destination")
    own = {value.name: value.uid for value in kind.values.all()}
    theirs = {value.name: value.uid for value in target.values.all()}
    pairs = {own["abroad"]: theirs["international"], own["atHome"]: theirs["domestic"]}
    before = printed(draft)
    done = merge(draft, "TripKind", "Destination", values=pairs)
    (datatype,) = draft.composition().model.datatypes
    assert [value.name for value in datatype.values] == ["domestic", "international", "local"]
    after = printed(draft)
    assert after["k1"] == "(=> (= tripKind international) (not tripApproved))"
    assert after["k2"] == "(=> (= tripKind local) (not tripApproved))"
    assert not draft.composition().broken
    nested = merge(draft, "tripKind", "destination")
    with pytest.raises(RefusedError, match="undo that one first"):
        undo_merge(draft.policy, draft.alice, done)
    undo_merge(draft.policy, draft.alice, nested)
    undo_merge(draft.policy, draft.alice, done)
    assert printed(draft) == before


def test_two_values_of_one_datatype_merge(draft: Draft) -> None:
    datatype = Datatype.objects.get(name="Destination")
    added = datatype.values.create(name="foreign", position=3)
    into = datatype.values.get(name="international")
    add_rule(
        draft.policy,
        draft.alice,
        lineages=[draft.sentences[WELCOME].lineage],
        smtlib="(=> (= destination foreign) (not tripApproved))",
        name="foreign",
    )
    done = merge_symbols(
        draft.policy,
        draft.alice,
        from_uid=added.uid,
        into_uid=into.uid,
        shown_revision=draft.revision(),
    )
    assert printed(draft)["foreign"] == "(=> (= destination international) (not tripApproved))"
    undo_merge(draft.policy, draft.alice, done)
    assert printed(draft)["foreign"] == "(=> (= destination foreign) (not tripApproved))"


def test_a_model_merged_in_memory_is_the_one_that_the_rows_compose(
    draft: Draft, total: Variable
) -> None:
    model = draft.composition().model
    cost = draft.variable("costEur").uid
    foreseen = merged_model(model, total.uid, cost)
    assert foreseen.lost == ()
    merge(draft, "totalCost", "costEur")
    assert print_model(foreseen.model) == print_model(draft.composition().model)


def test_rules_that_would_contradict_in_a_case_are_found_before(draft: Draft) -> None:
    allowed = NewVariable("travelAllowed", "Bool", role="outcome", phrase="travel is allowed")
    made = declare_variable(draft.policy, draft.alice, allowed)
    add_rule(
        draft.policy,
        draft.alice,
        lineages=[draft.sentences[WELCOME].lineage],
        smtlib="(=> (> costEur 500.0) travelAllowed)",
        name="dear-is-fine",
    )
    clashes = clashes_of(draft, made.uid, draft.variable("tripApproved").uid)
    assert not clashes.undecided
    assert [clash.rules for clash in clashes.found] == [
        ("dear-is-fine", "cost"),
        ("dear-is-fine", "service"),
    ]
    assert "line manager has not approved" in clashes.found[0].case


def test_rules_that_would_contradict_everywhere_are_found_before(draft: Draft) -> None:
    made = declare_variable(draft.policy, draft.alice, TOTAL)
    for name, text in (("low", "(< totalCost 0.0)"), ("high", "(>= costEur 0.0)")):
        add_rule(
            draft.policy,
            draft.alice,
            lineages=[draft.sentences[WELCOME].lineage],
            smtlib=text,
            name=name,
        )
    clashes = clashes_of(draft, made.uid, draft.variable("costEur").uid)
    assert len(clashes.found) == 1
    assert clashes.found[0].case == ""
    assert "low" in clashes.found[0].rules


def test_a_harmless_merge_contradicts_nothing(draft: Draft, total: Variable) -> None:
    clashes = clashes_of(draft, total.uid, draft.variable("costEur").uid)
    assert (clashes.found, clashes.undecided) == ((), False)
    assert Clash(("a",)).case == ""


def clashes_of(draft: Draft, from_uid: str, into_uid: str):
    before = draft.composition().model
    after = merged_model(before, from_uid, into_uid).model
    return find_clashes(before, after, from_uid, into_uid, {from_uid: into_uid})


def search(draft: Draft, user: User | None = None) -> list[MergeProposal]:
    finish_inline(start_search(draft.policy, user), holder="tests")
    return proposals(draft)


def proposals(draft: Draft) -> list[MergeProposal]:
    """Those that nothing tells apart."""
    found = present_proposals(draft.policy, draft.composition().model)
    return [one for one in found if not one.evidence["apart"]]


def test_a_search_proposes_and_a_person_keeps_apart(draft: Draft, total: Variable) -> None:
    (proposal,) = search(draft, draft.alice)
    assert (proposal.first, proposal.second) == (draft.variable("costEur").uid, total.uid)
    assert proposal.evidence["embeddings"] == "wordllama"
    keep_apart(draft.policy, draft.bob, proposal, shown_hash=proposal.content_hash)
    keep_apart(draft.policy, draft.bob, proposal, shown_hash=proposal.content_hash)
    assert AuditRow.objects.filter(action="refuse-merge", actor=draft.bob).count() == 1
    # Searched again, a refusal stands, until one of the two says something else.
    (again,) = search(draft)
    assert again.refused_by == draft.bob
    new = NewVariable(**{**vars_of(TOTAL), "description": "The cost of the whole trip."})
    edit_variable(draft.policy, draft.alice, total, new, shown_hash=variable_hash(total))
    assert proposals(draft) == []
    (fresh,) = search(draft)
    assert fresh.refused_at is None


def test_a_refusal_is_taken_back(draft: Draft, total: Variable) -> None:
    (proposal,) = search(draft)
    keep_apart(draft.policy, draft.bob, proposal, shown_hash=proposal.content_hash)
    propose_again(draft.policy, draft.bob, proposal)
    propose_again(draft.policy, draft.bob, proposal)
    assert search(draft)[0].refused_at is None
    assert AuditRow.objects.filter(action="reopen-merge").count() == 1


def test_what_is_no_longer_as_it_was_compared_is_not_kept_apart(
    draft: Draft, total: Variable
) -> None:
    (proposal,) = search(draft)
    with pytest.raises(RefusedError, match="compare them again"):
        keep_apart(draft.policy, draft.bob, proposal, shown_hash=content_hash({"x": 1}))


def test_a_merged_pair_is_proposed_no_more(draft: Draft, total: Variable) -> None:
    assert search(draft)
    merge(draft, "totalCost", "costEur")
    assert proposals(draft) == []


def test_two_rules_are_joined_by_hand_if_the_solver_says_they_are_one(draft: Draft) -> None:
    other = add_rule(
        draft.policy,
        draft.alice,
        lineages=[draft.sentences[WELCOME].lineage],
        smtlib="(or managerApproved (not tripApproved) (<= costEur 1000.0))",
        name="cost-otherwise",
    )
    different = draft.rule("service")
    with pytest.raises(RefusedError, match="do not say the same"):
        join_rules(
            draft.policy,
            draft.alice,
            drop=different,
            keep=draft.rule("cost"),
            shown_revision=draft.revision(),
        )
    done = join_rules(
        draft.policy,
        draft.alice,
        drop=other,
        keep=draft.rule("cost"),
        shown_revision=draft.revision(),
    )
    assert "cost-otherwise" not in printed(draft)
    assert draft.rule("cost").sources.count() == 2
    undo_merge(draft.policy, draft.alice, done)
    assert "cost-otherwise" in printed(draft)
    assert draft.rule("cost").sources.count() == 1


def vars_of(new: NewVariable) -> dict[str, str]:
    from dataclasses import asdict

    return asdict(new)


def test_another_policys_merge_is_out_of_reach(draft: Draft, total: Variable, alice: User) -> None:
    done = merge(draft, "totalCost", "costEur")
    other = Policy.objects.create(slug="other", name="Other", created_by=alice)
    with pytest.raises(Merge.DoesNotExist):
        undo_merge(other, alice, done)
    assert compose(draft.policy).canonical_uid[total.uid]
