"""A duplicated policy means what the first one means, and nobody has said a word about it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from documents import Edit, EditKind
from policies.access import roles_of
from policies.archiving import archive
from policies.audit import first_broken_link
from policies.composing import Composition, compose
from policies.document_store import add_revision, edit_sentences
from policies.duplicating import duplicate_policy
from policies.models import (
    AuditRow,
    DocumentRevision,
    Merge,
    Policy,
    Rule,
    RuleRevision,
    SectionScope,
    Sentence,
    Statement,
    Unit,
    User,
    Variable,
)
from policies.roles import Role
from policies.sections import section_rows
from policies.structures import stored_document
from policywright.english import render_rule
from policywright.model import DefaultChoice
from policywright.smtlib import print_model
from policywright.termjson import term_to_json
from tests.in_browser.making import draft_travel
from tests.vetting.in_sections import TEXT, Leave, make_leave
from translation.spans import open_spans
from vetting.assumptions import set_default
from vetting.declarations import NewVariable, declare_variable
from vetting.edits import add_rule
from vetting.marks import MarkKind
from vetting.merging import merge_symbols, undo_merge
from vetting.publishing import standing
from vetting.review import ReviewState
from vetting.scopes import write_scope


@pytest.fixture
def leave(policy: Policy, alice: User, bob: User) -> Leave:
    """With a scope, a merge, a default, an approval, a mark, and a rule whose sentence is gone."""
    made = make_leave(policy, alice, bob)
    document = made.document
    write_scope(policy, alice, document, ["Leave", "Germany"], english="the country is Germany")
    declare_variable(policy, alice, NewVariable("asked", "Bool", phrase="the leave was asked for"))
    add_rule(
        policy,
        alice,
        lineages=[made.sentence("Leave needs").lineage],
        smtlib="(=> (and (not asked) (> days 3)) (not granted))",
        name="asked",
    )
    policy.refresh_from_db()
    names = {one.name: one.uid for one in Variable.objects.filter(policy=policy)}
    merge_symbols(
        policy,
        alice,
        from_uid=names["asked"],
        into_uid=names["requested"],
        shown_revision=policy.revision,
    )
    outcome = Variable.objects.get(policy=policy, name="granted")
    set_default(policy, alice, outcome, DefaultChoice.APPROVED)
    made.approve("request")
    made.mark("We thank", MarkKind.NOT_BINDING)
    without = TEXT.replace("Parents need six months of service.\n", "Parents are welcome.\n")
    add_revision(document, alice, data=without.encode(), filename="leave.md")
    policy.refresh_from_db()
    return made


def by_name(composition: Composition) -> dict[str, Any]:
    """All that a composed model says, with no uid in it."""
    model = composition.model
    names = {one.id: one.name for one in (*model.variables, *model.datatypes, *model.rules)}
    names |= {value.id: value.name for one in model.datatypes for value in one.values}
    return {
        "datatypes": {
            one.name: [(v.name, v.phrase) for v in one.values] for one in model.datatypes
        },
        "variables": [
            (one.name, names.get(one.sort.key, one.sort.key), one.role, one.unit, one.phrases)
            for one in model.variables
        ],
        "rules": [
            (rule.name, rule.kind, rule.choice, said(term_to_json(rule.term), names))
            for rule in model.rules
        ],
        "english": {rule.name: render_rule(model, rule) for rule in model.rules},
        "sources": {
            rule.name: [(one.document, one.quote, one.context) for one in rule.sources]
            for rule in model.rules
        },
        "scopes": [
            (one.section, one.problem, said(one.content["term"], names))
            for one in composition.scopes
        ],
        "broken": sorted(
            (Rule.objects.get(uid=uid).name, why) for uid, why in composition.broken.items()
        ),
    }


def said(term: Any, names: dict[str, str]) -> Any:
    """A term as JSON by name; what is joined by `and` or `or` has no order."""
    if not isinstance(term, list):
        return names.get(term, term)
    parts = [said(one, names) for one in term]
    if parts[0] in ("and", "or"):
        return [parts[0], *sorted(parts[1:], key=json.dumps)]
    return parts


def test_the_copy_means_the_same_by_name(leave: Leave, alice: User) -> None:
    Policy.objects.filter(pk=leave.policy.pk).update(
        needs_second_person=True, forbids_external_models=True, abbreviations=["Ref."]
    )
    before = by_name(leave.composition())
    assert len(before["english"]) >= 4
    assert before["scopes"]
    copy = duplicate_policy(leave.policy, alice, name="Leave, once more")
    assert by_name(compose(copy)) == before
    assert (copy.needs_second_person, copy.forbids_external_models) == (True, True)
    assert copy.abbreviations == ["Ref."]
    assert by_name(leave.composition()) == before


def test_no_row_is_shared_and_every_reference_follows(leave: Leave, alice: User) -> None:
    copy = duplicate_policy(leave.policy, alice, name="Copy")
    old = uids_of(leave.policy)
    new = uids_of(copy)
    assert len(old) == len(new)
    assert not old & new
    rows = [
        *Rule.objects.filter(policy=copy).values_list("term", "outcome"),
        *Variable.objects.filter(policy=copy).values_list("sort"),
        *Merge.objects.filter(policy=copy).values_list("from_uid", "into_uid", "values"),
        *Merge.objects.filter(policy=copy).values_list("evidence"),
        *SectionScope.objects.filter(document__policy=copy).values_list("term"),
        *RuleRevision.objects.filter(rule__policy=copy).values_list("content", "term"),
    ]
    text = json.dumps(rows, default=str)
    assert not [uid for uid in old if uid in text]
    assert [uid for uid in new if uid in text]


def uids_of(policy: Policy) -> set[str]:
    latest = DocumentRevision.objects.filter(document__policy=policy).order_by("-number").first()
    assert latest is not None
    return {
        *Rule.objects.filter(policy=policy, retired_at=None).values_list("uid", flat=True),
        *Variable.objects.filter(policy=policy).values_list("uid", flat=True),
        *policy.datatypes.values_list("uid", flat=True),
        *policy.datatypes.values_list("values__uid", flat=True),
        *SectionScope.objects.filter(document__policy=policy).values_list("uid", flat=True),
        *Sentence.objects.filter(revision=latest).values_list("lineage", flat=True),
    }


def test_nothing_that_people_said_comes_along(leave: Leave, alice: User, bob: User) -> None:
    copy = duplicate_policy(leave.policy, bob, name="Copy")
    assert roles_of(bob, copy) == {Role.OWNER}
    assert roles_of(alice, copy) == frozenset()
    assert not copy.versions.exists()
    assert not copy.jobs.exclude(kind="lint").exists()
    states = {review.state for review in standing(copy).rules.values()}
    assert states == {ReviewState.WAITING}
    rules = Rule.objects.filter(policy=copy)
    assert set(rules.values_list("author", flat=True)) == {bob.pk}
    assert all(rule.revisions.count() == 1 for rule in rules)
    numbers = DocumentRevision.objects.filter(document__policy=copy).values_list(
        "number", flat=True
    )
    assert list(numbers) == [1]
    actions = list(AuditRow.objects.filter(policy=copy).values_list("action", flat=True))
    assert actions[:3] == ["create-policy", "add-member", "duplicate-policy"]
    assert first_broken_link(copy) is None
    assert first_broken_link(leave.policy) is None


def test_the_sections_of_the_copy_are_those_that_reading_would_make(
    leave: Leave, alice: User
) -> None:
    copy = duplicate_policy(leave.policy, alice, name="Copy")
    revision = DocumentRevision.objects.get(document__policy=copy)
    sentences = list(revision.sentences.order_by("ordinal"))
    made = list(section_rows(revision.pk, stored_document(revision, sentences), sentences))
    kept = list(revision.sections.order_by("ordinal").values(*made[0]))
    assert kept == made


def test_sentences_that_were_joined_by_hand_stay_joined(leave: Leave, alice: User) -> None:
    latest = leave.latest()
    at = latest.sentences.get(text__startswith="We thank").start
    joined = edit_sentences(leave.document, alice, Edit(EditKind.JOIN, at), shown=latest.number)
    copy = duplicate_policy(leave.policy, alice, name="Copy")
    revision = DocumentRevision.objects.get(document__policy=copy)
    assert (revision.number, revision.based_on) == (1, None)
    texts = [list(one.sentences.values_list("text", flat=True)) for one in (joined, revision)]
    assert texts[0] == texts[1]
    changed = revision.text.replace("30 days", "40 days").encode()
    again = add_revision(revision.document, alice, data=changed, filename="leave.md")
    assert again.sentences.filter(text__contains="people team. We thank").exists()


def test_no_sentence_of_the_copy_is_formalized_again(alice: User) -> None:
    travel = draft_travel()
    assert open_spans(travel, "builtin") == []
    copy = duplicate_policy(travel, alice, name="Copy")
    assert open_spans(copy, "builtin") == []
    kept = Statement.objects.filter(unit__policy=copy)
    assert kept.count() == Statement.objects.filter(unit__policy=travel).count()
    assert not Unit.objects.filter(policy=copy).exclude(log=[], prompt_tokens=0).exists()
    assert by_name(compose(copy)) == by_name(compose(travel))
    units = Rule.objects.filter(policy=copy).values_list("unit__policy", flat=True)
    assert set(units) == {copy.pk}


def test_a_merge_of_the_copy_is_undone_in_the_copy_alone(leave: Leave, alice: User) -> None:
    copy = duplicate_policy(leave.policy, alice, name="Copy")
    undo_merge(copy, alice, Merge.objects.get(policy=copy))
    assert "asked" in print_model(compose(copy).model)
    assert Merge.objects.get(policy=leave.policy).undone_at is None


def test_an_archived_policy_is_duplicated_into_one_that_is_not(leave: Leave, alice: User) -> None:
    archive(leave.policy, alice)
    copy = duplicate_policy(leave.policy, alice, name="Copy")
    assert copy.archived_at is None
    assert by_name(compose(copy)) == by_name(leave.composition())


def test_duplicating_costs_no_query_for_each_rule_or_sentence(leave: Leave, alice: User) -> None:
    with CaptureQueriesContext(connection) as first:
        duplicate_policy(leave.policy, alice, name="Copy")
    for number in range(6):
        add_rule(
            leave.policy,
            alice,
            lineages=[leave.sentence("Leave of more").lineage],
            smtlib=f"(=> (> days {100 + number}) (not granted))",
            name=f"more{number}",
        )
    with CaptureQueriesContext(connection) as second:
        duplicate_policy(leave.policy, alice, name="Another")
    assert len(second) <= len(first)
