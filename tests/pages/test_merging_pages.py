"""The glossary's pages: all words with their sources, what looks alike, merges and splits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.composing import compose
from policies.models import Datatype, Merge, Policy, Rule, User, Variable
from policywright.model import DefaultChoice
from translation.jobs import finish_inline
from translation.merges import last_search, present_proposals, start_search
from translation.models import MergeProposal
from vetting.declarations import NewValue, NewVariable, declare_datatype, declare_variable
from vetting.edits import add_rule

Clients = Callable[[User], Client]


@pytest.fixture
def base(travel: Policy) -> str:
    return f"/policies/{travel.slug}/glossary/"


@pytest.fixture
def cost(travel: Policy) -> Variable:
    return Variable.objects.get(policy=travel, name="costOfTrip")


@pytest.fixture
def twin(travel: Policy, alice: User, cost: Variable) -> Variable:
    """The cost in other words, as a second formalizer might declare it."""
    new = NewVariable(
        "wholeCost",
        "Real",
        unit=cost.unit,
        phrase="the whole cost",
        description="What a trip costs.",
    )
    return declare_variable(travel, alice, new)


def page(client: Client, address: str, **parts: object) -> str:
    response = client.get(address, follow=True, **parts)  # type: ignore[arg-type]
    assert response.status_code == 200
    return response.content.decode()


def compared(twin: Variable, cost: Variable) -> str:
    return f"merge/?from={twin.uid}&into={cost.uid}"


def merge_by_form(client: Client, base: str, twin: Variable, cost: Variable) -> None:
    revision = Policy.objects.get(pk=cost.policy_id).revision
    sent = {"from": twin.uid, "into": cost.uid, "shown": revision}
    assert client.post(f"{base}merge/", sent).status_code == 302


def test_the_glossary_shows_each_word_with_sources_values_and_uses(
    travel: Policy, alice: User, alices: Client, base: str, cost: Variable
) -> None:
    declare_datatype(
        travel, alice, name="Cabin", values=[NewValue("economy"), NewValue("business", "the front")]
    )
    shown = page(alices, base)
    assert cost.name in shown
    assert "1 source" in shown or "2 sources" in shown
    for text in ("Cabin", "economy", "the front", "No variable has it."):
        assert text in shown


def test_what_was_formalized_is_looked_through_by_itself(
    travel: Policy, policy: Policy, alices: Client, base: str
) -> None:
    assert "being looked for" in page(alices, f"{base}alike/")
    assert "Nobody has looked" in page(alices, f"/policies/{policy.slug}/glossary/alike/")


def test_a_search_is_a_job_whose_proposals_are_compared_and_merged(
    travel: Policy, alices: Client, base: str, twin: Variable, cost: Variable
) -> None:
    alices.post(f"{base}alike/search/")
    assert "being looked for" in page(alices, f"{base}alike/")
    job = last_search(travel)
    assert job is not None
    finish_inline(job, holder="tests")
    shown = page(alices, f"{base}alike/")
    assert f"from={twin.uid}&amp;into={cost.uid}" in shown
    assert "May be one" in shown
    side_by_side = page(alices, base + compared(twin, cost))
    for text in ("Stays", "Becomes the same", "What a trip costs.", "What differs", "wholeCost"):
        assert text in side_by_side
    merge_by_form(alices, base, twin, cost)
    glossary = page(alices, base)
    assert "Merged in:" in glossary
    assert "by Alice" in glossary
    pk = Merge.objects.get(undone_at=None).pk
    said = alices.post(f"{base}merges/{pk}/undo/", follow=True).content.decode()
    assert "The merge is undone" in said
    assert twin.uid in compose(travel).model.variable_by_id


def test_kept_apart_and_proposed_again(
    travel: Policy, alice: User, alices: Client, base: str, twin: Variable
) -> None:
    finish_inline(start_search(travel, alice), holder="tests")
    rows = present_proposals(travel, compose(travel).model)
    proposal = next(one for one in rows if not one.evidence["apart"])
    sent = {"shown": proposal.content_hash}
    shown = alices.post(f"{base}alike/{proposal.uid}/apart/", sent, follow=True).content.decode()
    assert "Kept apart by Alice" in shown
    shown = alices.post(f"{base}alike/{proposal.uid}/again/", follow=True).content.decode()
    assert "Kept apart by Alice" not in shown


def test_what_the_guard_tells_apart_is_listed_with_its_reason(
    travel: Policy, alice: User, alices: Client, base: str
) -> None:
    for who in ("manager", "director"):
        new = NewVariable(f"{who}Signed", "Bool", phrase=f"the {who} has signed the form")
        declare_variable(travel, alice, new)
    finish_inline(start_search(travel, alice), holder="tests")
    assert "They differ in manager / director." in page(alices, f"{base}alike/")


def test_a_contradiction_is_said_first_and_needs_another_yes(
    travel: Policy, alice: User, alices: Client, base: str
) -> None:
    outcome = Variable.objects.filter(policy=travel, role="outcome").first()
    assert outcome is not None
    other = declare_variable(
        travel,
        alice,
        NewVariable("goesAhead", "Bool", role="outcome", phrase="the trip goes ahead"),
    )
    rule = Rule.objects.filter(policy=travel).first()
    assert rule is not None
    add_rule(
        travel,
        alice,
        lineages=[rule.sources.first().lineage],  # type: ignore[union-attr]
        smtlib="(=> true goesAhead)",
        name="always",
    )
    travel.refresh_from_db()
    address = base + compared(other, outcome)
    assert "would contradict each other" in page(alices, address)
    sent = {"from": other.uid, "into": outcome.uid, "shown": travel.revision}
    refused = alices.post(f"{base}merge/", sent)
    assert refused.status_code == 422
    assert "Merge all the same" in refused.content.decode()
    assert not Merge.objects.filter(policy=travel, from_uid=other.uid).exists()
    assert alices.post(f"{base}merge/", sent | {"despite": "yes"}).status_code == 302
    assert Merge.objects.filter(policy=travel, from_uid=other.uid).exists()


def test_a_merge_of_what_does_not_fit_leads_back_with_a_sentence(
    travel: Policy, alices: Client, base: str, cost: Variable
) -> None:
    flag = Variable.objects.filter(policy=travel, sort="Bool").first()
    assert flag is not None
    assert "different sorts" in page(alices, base + compared(flag, cost))
    assert "cannot be merged" in page(alices, f"{base}merge/?from=%00&into=x")


def test_a_form_of_another_draft_is_refused(
    travel: Policy, alices: Client, base: str, twin: Variable, cost: Variable
) -> None:
    sent = {"from": twin.uid, "into": cost.uid, "shown": "0"}
    refused = alices.post(f"{base}merge/", sent)
    assert refused.status_code == 409
    assert "Someone changed this policy" in refused.content.decode()


def test_datatypes_are_merged_by_the_values_that_the_form_pairs(
    travel: Policy, alice: User, alices: Client, base: str
) -> None:
    made = [
        declare_datatype(travel, alice, name=name, values=[NewValue(value) for value in values])
        for name, values in (("Cabin", ("economy", "business")), ("Seat", ("coach", "premium")))
    ]
    first, second = ([*one.values.all()] for one in made)
    travel.refresh_from_db()
    sent = {
        "from": made[1].uid,
        "into": made[0].uid,
        "shown": travel.revision,
        f"value-{second[0].uid}": first[0].uid,
        f"value-{second[1].uid}": "",
    }
    assert "Which values are one?" in page(
        alices, f"{base}merge/?from={made[1].uid}&into={made[0].uid}"
    )
    alices.post(f"{base}merge/", sent)
    cabin = compose(travel).model.datatype_by_id[made[0].uid]
    assert [value.name for value in cabin.values] == ["economy", "business", "premium"]


def test_a_datatype_is_declared_and_edited_by_hand(
    travel: Policy, alices: Client, base: str
) -> None:
    sent = {"name": "Cabin", "values": "economy\nbusiness: the front\n\n"}
    assert (
        "Declared: Cabin."
        in alices.post(f"{base}datatypes/new/", sent, follow=True).content.decode()
    )
    cabin = Datatype.objects.get(policy=travel)
    values = [(value.name, value.phrase) for value in cabin.values.all()]
    assert values == [("economy", ""), ("business", "the front")]
    again = alices.post(f"{base}datatypes/new/", {"name": "Cabin", "values": "other"})
    assert again.status_code == 422
    address = f"{base}datatypes/{cabin.uid}/"
    shown = page(alices, address)
    hash_ = shown.split('name="shown" value="')[1].split('"')[0]
    first, second = cabin.values.all()
    sent = {
        "shown": hash_,
        "name": "CabinClass",
        "description": "Where one sits.",
        f"name-{first.uid}": "coach",
        f"phrase-{first.uid}": "the back",
        f"name-{second.uid}": "business",
        f"phrase-{second.uid}": "the front",
        "added": "first: the very front",
    }
    assert "Saved" in alices.post(address, sent, follow=True).content.decode()
    cabin.refresh_from_db()
    assert cabin.name == "CabinClass"
    names = [value.name for value in cabin.values.order_by("position")]
    assert names == ["coach", "business", "first"]
    assert alices.post(address, sent).status_code == 409


def test_a_variable_is_split_by_the_form(
    travel: Policy, alices: Client, base: str, cost: Variable
) -> None:
    rule = next(r for r in compose(travel).model.rules if cost.uid in str(r.term))
    assert "Which rules speak of the new one?" in page(alices, f"{base}{cost.uid}/split/")
    travel.refresh_from_db()
    sent = {"shown": travel.revision, "name": "ticketCost", "phrase": "the ticket's cost"}
    refused = alices.post(f"{base}{cost.uid}/split/", sent)
    assert refused.status_code == 409
    assert "the ticket&#x27;s cost" in refused.content.decode()
    Rule.objects.get(uid=rule.id).questions.all()
    done = alices.post(f"{base}{cost.uid}/split/", sent | {"rules": [rule.id]}, follow=True)
    assert "Split: ticketCost" in done.content.decode()


def test_a_rule_is_split_joined_and_renamed_by_its_forms(
    travel: Policy, alice: User, alices: Client, rule: Rule, cost: Variable
) -> None:
    lineages = [rule.sources.first().lineage]  # type: ignore[union-attr]
    outcome = Variable.objects.filter(policy=travel, role="outcome").first()
    assert outcome is not None
    both = f"(and (=> (> {cost.name} 9.0) {outcome.name}) (=> (> {cost.name} 5.0) {outcome.name}))"
    two = add_rule(travel, alice, lineages=lineages, smtlib=both, name="two")
    other = add_rule(
        travel,
        alice,
        lineages=lineages,
        smtlib=f"(or {outcome.name} (<= {cost.name} 9.0))",
        name="other",
    )
    rules = f"/policies/{travel.slug}/rules/"
    assert "Split into 2 rules" in page(alices, f"{rules}{two.uid}/parts/")
    hash_ = compose(travel).hashes[two.uid]
    alices.post(f"{rules}{two.uid}/split/", {"shown": hash_})
    part = Rule.objects.get(policy=travel, name="two-1", retired_at=None)
    travel.refresh_from_db()
    sent = {"shown": travel.revision, "keep": part.uid}
    joined = alices.post(f"{rules}{other.uid}/join/", sent, follow=True).content.decode()
    assert "Joined: two-1" in joined
    assert "Joined rules" in page(alices, f"/policies/{travel.slug}/glossary/")
    sent = {"shown-name": "two-1", "name": "dear"}
    assert (
        "Renamed: dear"
        in alices.post(f"{rules}{part.uid}/rename/", sent, follow=True).content.decode()
    )
    taken = alices.post(f"{rules}{part.uid}/rename/", {"shown-name": "dear", "name": rule.name})
    assert taken.status_code == 409


def test_a_viewer_sees_all_of_it_and_changes_nothing(
    travel: Policy, alice: User, bob: User, client_of: Clients, base: str, twin: Variable
) -> None:
    finish_inline(start_search(travel, alice), holder="tests")
    travel.memberships.filter(user=bob).update(role="viewer")
    bobs = client_of(bob)
    shown = page(bobs, f"{base}alike/")
    assert "May be one" in shown
    assert "Keep apart" not in shown
    proposal = MergeProposal.objects.filter(policy=travel).first()
    assert proposal is not None
    for address in (
        f"{base}alike/search/",
        f"{base}alike/{proposal.uid}/apart/",
        f"{base}merge/",
        f"{base}datatypes/new/",
        f"{base}{twin.uid}/split/",
    ):
        assert bobs.post(address).status_code == 403
    assert proposal.refused_at is None


def test_fr_50_rows_of_another_policy_are_not_there(
    travel: Policy, policy: Policy, alice: User, alices: Client, twin: Variable, cost: Variable
) -> None:
    finish_inline(start_search(travel, alice), holder="tests")
    travels = f"/policies/{travel.slug}/glossary/"
    merge_by_form(alices, travels, twin, cost)
    merge = Merge.objects.get(policy=travel, undone_at=None, from_uid=twin.uid)
    proposal = MergeProposal.objects.filter(policy=travel).first()
    assert proposal is not None
    others = f"/policies/{policy.slug}/glossary/"
    for address in (
        f"{others}merges/{merge.pk}/undo/",
        f"{others}alike/{proposal.uid}/apart/",
        f"{others}{cost.uid}/split/",
    ):
        assert alices.post(address).status_code == 404
    merge.refresh_from_db()
    assert merge.undone_at is None
    assert DefaultChoice.OPEN
