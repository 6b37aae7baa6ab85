"""What an approval is bound to: the present hash of a rule moves with all that gives it meaning.

FR-47 at the level of hashes: whatever way a change comes about, a decision on the
old hash is no longer a decision on the present one; undone, it is again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Model

from policies.composing import compose
from policies.document_store import add_document, add_revision
from policies.editing import DraftMovedError, editing
from policies.models import (
    AuditRow,
    Datatype,
    DatatypeValue,
    DocumentRevision,
    Merge,
    Policy,
    Rule,
    RuleRevision,
    RuleSource,
    User,
    Variable,
)
from policies.retiring import retire_rule
from tests.policies.making import make_rule, make_variable, source_from

TEXT = """# Travel

Trips above EUR 1,000 need a manager's approval.

Travel abroad is not approved.

Nothing else is asked.
"""


def symbol(row: Variable) -> list[str]:
    return ["symbol", row.uid]


@dataclass
class Draft:
    """A small draft, by name: the travel policy of the reference texts, in our words."""

    policy: Policy
    alice: User
    revision: DocumentRevision
    rows: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.rows[name]

    def hash_of(self, name: str) -> str | None:
        return compose(self.policy).hashes.get(self.rows[name].uid)

    def hashes(self) -> dict[str, str]:
        return compose(self.policy).hashes


@pytest.fixture
def draft(policy: Policy, alice: User) -> Draft:
    revision = add_document(policy, alice, title="Travel", data=TEXT.encode(), filename="t.md")
    draft = Draft(policy, alice, revision)
    with editing(policy, alice, cause="drafted"):
        _fill(draft)
    return draft


def _fill(draft: Draft) -> None:
    policy, rows = draft.policy, draft.rows
    place = Datatype.objects.create(policy=policy, name="Place", description="where it goes")
    for position, name in enumerate(("domestic", "abroad")):
        rows[name] = place.values.create(name=name, phrase=f"{name} travel", position=position)
    rows["Place"] = place
    cost = make_variable(
        policy, "costEur", "Real", unit="EUR", description="the total", phrase="the trip's cost"
    )
    agreed = make_variable(
        policy, "agreed", phrase="a manager agreed", negative_phrase="no manager agreed"
    )
    approved = make_variable(policy, "approved", role="outcome", phrase="the trip is approved")
    place_of = make_variable(policy, "place", place.uid, phrase="the destination")
    unused = make_variable(policy, "unused", phrase="something else")
    for variable in (cost, agreed, approved, place_of, unused):
        rows[variable.name] = variable
    dear = [">", symbol(cost), ["literal", "Real", "1000"]]
    rows["cost-rule"] = make_rule(
        policy,
        "cost-rule",
        ["=>", ["and", dear, ["not", symbol(agreed)]], ["not", symbol(approved)]],
    )
    there = ["=", symbol(place_of), ["literal", place.uid, rows["abroad"].uid]]
    rows["abroad-rule"] = make_rule(policy, "abroad-rule", ["=>", there, ["not", symbol(approved)]])
    rows["default"] = Rule.objects.create(
        policy=policy,
        name="approved-by-default",
        kind="default",
        outcome=approved.uid,
        choice="approved unless forbidden",
    )
    source_from(rows["cost-rule"], draft.revision, "Trips above")
    source_from(rows["abroad-rule"], draft.revision, "Travel abroad")


# What is changed: the row's name, the field, the new value; then the rules that it touches.
COST, ABROAD, DEFAULT = {"cost-rule"}, {"abroad-rule"}, {"default"}
CHANGES = {
    "its term": ("cost-rule", "term", lambda d: ["not", symbol(d["agreed"])], COST | DEFAULT),
    "its kind": ("cost-rule", "kind", "assumption", COST | DEFAULT),
    "a variable's sort": ("costEur", "sort", "Int", COST | DEFAULT),
    "a variable's role": ("agreed", "role", "outcome", COST | DEFAULT),
    "a variable's unit": ("costEur", "unit", "USD", COST | DEFAULT),
    "a variable's description": ("costEur", "description", "without tax", COST | DEFAULT),
    "a variable's phrase": ("agreed", "phrase", "a director agreed", COST | DEFAULT),
    "its negative phrase": ("agreed", "negative_phrase", "nobody agreed", COST | DEFAULT),
    "a datatype's description": ("Place", "description", "where from", ABROAD | DEFAULT),
    "a value's phrase": ("domestic", "phrase", "travel at home", ABROAD | DEFAULT),
    "the order of values": ("domestic", "position", 7, ABROAD | DEFAULT),
    "the outcome's phrase": ("approved", "phrase", "all is well", COST | ABROAD | DEFAULT),
    "the default's choice": ("default", "choice", "open", DEFAULT),
}


def by_service(draft: Draft, row: Model, name: str, value: Any) -> None:
    with editing(draft.policy, draft.alice, cause="changed"):
        setattr(row, name, value)
        row.save()


def by_bulk_update(draft: Draft, row: Model, name: str, value: Any) -> None:
    type(row).objects.filter(pk=row.pk).update(**{name: value})


def by_raw_sql(draft: Draft, row: Model, name: str, value: Any) -> None:
    table = type(row)._meta.db_table
    value = json.dumps(value) if isinstance(value, list) else value
    with connection.cursor() as cursor:
        cursor.execute(f'UPDATE "{table}" SET "{name}" = %s WHERE id = %s', [value, row.pk])


WAYS = [by_service, by_bulk_update, by_raw_sql]


@pytest.mark.parametrize("way", WAYS)
def test_fr_47_a_change_moves_the_hash_and_undone_gives_it_back(draft, way):
    before = draft.hashes()
    for what, (name, column, value, touched) in CHANGES.items():
        row = draft[name]
        old = getattr(row, column)
        way(draft, row, column, value(draft) if callable(value) else value)
        assert moved(draft, before) == touched, what
        way(draft, row, column, old)
        assert draft.hashes() == before, what


@pytest.mark.parametrize("way", WAYS)
def test_names_and_order_are_in_no_hash(draft, way):
    before = draft.hashes()
    for name, column, value in (
        ("costEur", "name", "priceEur"),
        ("Place", "name", "Destination"),
        ("abroad", "name", "overseas"),
        ("cost-rule", "name", "dear-trips"),
        ("unused", "description", "anything"),
    ):
        way(draft, draft[name], column, value)
        assert draft.hashes() == before, name
    way(draft, draft["cost-rule"], "position", 9)
    assert draft.hashes() == before


def moved(draft: Draft, before: dict[str, str]) -> set[str]:
    """The rules whose hash is another now, or gone."""
    after = draft.hashes()
    names = ("cost-rule", "abroad-rule", "default")
    return {name for name in names if after.get(draft[name].uid) != before[draft[name].uid]}


def test_where_no_phrase_is_given_the_name_is_what_a_reader_sees(draft):
    by_bulk_update(draft, draft["costEur"], "phrase", "")
    before = draft.hash_of("cost-rule")
    by_bulk_update(draft, draft["costEur"], "name", "priceEur")
    assert draft.hash_of("cost-rule") != before


@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("EUR 1,000", "EUR 2,000", {"cost-rule"}),
        ("# Travel", "# Journeys", {"cost-rule", "abroad-rule"}),
        ("Travel abroad is not approved.", "", {"abroad-rule"}),
        ("Trips above", "Preface to it all.\n\nTrips above", set()),
        ("Nothing else", "Little else", set()),
    ],
)
def test_fr_47_a_source_sentence_or_its_context_moves_the_hash_and_comes_back(
    draft, old, new, touched
):
    before = draft.hashes()
    _revise(draft, TEXT.replace(old, new))
    assert moved(draft, before) == touched
    _revise(draft, TEXT + "\nA last word.\n")
    assert draft.hashes() == before


def _revise(draft: Draft, text: str) -> None:
    document = draft.revision.document
    add_revision(document, draft.alice, data=text.encode(), filename="t.md")


def test_a_sentence_itself_cannot_be_changed(draft):
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        by_raw_sql(draft, draft.revision.sentences.all()[0], "text", "Anything goes.")


def test_another_source_moves_the_hash(draft):
    before = draft.hash_of("cost-rule")
    other = draft.revision.sentences.get(text__startswith="Nothing")
    sources = RuleSource.objects.filter(rule=draft["cost-rule"])
    old = sources.get().lineage
    sources.update(lineage=other.lineage)
    assert draft.hash_of("cost-rule") != before
    sources.update(lineage=old)
    assert draft.hash_of("cost-rule") == before


@pytest.mark.parametrize("change", ["add", "remove"])
def test_another_value_moves_the_hash(draft, change):
    before = draft.hash_of("abroad-rule")
    values = DatatypeValue.objects.filter(datatype=draft["Place"])
    if change == "add":
        added = draft["Place"].values.create(name="space", position=2)
        assert draft.hash_of("abroad-rule") != before
        added.delete()
    else:
        values.filter(name="domestic").delete()
        assert draft.hash_of("abroad-rule") != before
        draft["Place"].values.create(
            name="domestic", phrase="domestic travel", position=0, uid=draft["domestic"].uid
        )
    assert draft.hash_of("abroad-rule") == before


def test_a_default_rests_on_the_rules_that_decide_its_outcome(draft):
    before = draft.hash_of("default")
    model = compose(draft.policy).model
    default = model.rule_by_id[draft["default"].uid]
    assert set(default.rests_on) == {draft["cost-rule"].uid, draft["abroad-rule"].uid}
    with editing(draft.policy, draft.alice, cause="one more") as edit:
        term = ["=>", symbol(draft["unused"]), ["not", symbol(draft["approved"])]]
        extra = make_rule(edit.policy, "extra", term)
    assert draft.hash_of("default") != before
    with editing(draft.policy, draft.alice, cause="one less") as edit:
        retire_rule(edit, extra)
    assert draft.hash_of("default") == before


def test_a_merge_is_resolved_and_can_be_undone(draft):
    other = make_variable(draft.policy, "price", "Real", unit="EUR")
    third = make_variable(draft.policy, "fee", "Real", unit="EUR")
    term = ["<", symbol(other), ["literal", "Real", "9"]]
    rule = draft.rows["merged"] = make_rule(draft.policy, "merged", term)
    before = draft.hash_of("merged")
    chain = [(other, third), (third, draft["costEur"])]
    merges = [
        Merge.objects.create(policy=draft.policy, from_uid=one.uid, into_uid=into.uid)
        for one, into in chain
    ]
    found = compose(draft.policy)
    assert found.canonical_uid[other.uid] == draft["costEur"].uid
    assert not {other.uid, third.uid} & set(found.model.variable_by_id)
    merged = found.hashes[rule.uid]
    by_bulk_update(draft, rule, "term", ["<", symbol(draft["costEur"]), term[2]])
    assert draft.hash_of("merged") == merged != before
    by_bulk_update(draft, rule, "term", term)
    for merge in merges:
        by_bulk_update(draft, merge, "undone_at", merge.created_at)
    assert draft.hash_of("merged") == before


def test_merged_datatypes_take_their_values_along(draft):
    other = Datatype.objects.create(policy=draft.policy, name="Area")
    values = [other.values.create(name=n, position=i) for i, n in enumerate(("home", "away"))]
    target = make_variable(draft.policy, "target", other.uid)
    term = ["=", symbol(target), ["literal", other.uid, values[1].uid]]
    rule = make_rule(draft.policy, "merged", term)
    Merge.objects.create(
        policy=draft.policy,
        from_uid=other.uid,
        into_uid=draft["Place"].uid,
        values={values[0].uid: draft["domestic"].uid, values[1].uid: draft["abroad"].uid},
    )
    found = compose(draft.policy)
    assert found.broken == {}
    assert other.uid not in found.model.datatype_by_id
    assert found.contents[rule.uid]["term"][2] == [
        "literal",
        draft["Place"].uid,
        draft["abroad"].uid,
    ]


def test_equal_names_are_told_apart_in_the_model_and_nowhere_else(draft):
    twin = make_variable(draft.policy, "costEur", "Real")
    model = compose(draft.policy).model
    assert model.variable_by_id[twin.uid].name == "costEur2"
    assert Variable.objects.get(pk=twin.pk).name == "costEur"


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        (["symbol", "nowhere"], "`nowhere` is not declared"),
        (["literal", "Int", "7"], "must be a condition"),
        (["explode", ["literal", "Bool", "true"]], "`explode` is not an operator"),
        ("true", "a term is a list"),
        (["and"], ""),
        (["literal", "Place", "abroad"], "condition"),
    ],
)
def test_a_rule_that_does_not_fit_is_kept_with_its_reason(draft, term, reason):
    with editing(draft.policy, draft.alice, cause="spoilt"):
        by_bulk_update(draft, draft["abroad-rule"], "term", term)
    found, uid = compose(draft.policy), draft["abroad-rule"].uid
    assert reason in found.broken[uid]
    assert uid not in found.hashes
    assert uid not in found.model.rule_by_id
    assert draft["cost-rule"].uid in found.hashes
    last = RuleRevision.objects.filter(rule=draft["abroad-rule"]).last()
    assert (last.content_hash, last.content) == ("", {"broken": found.broken[uid]})


def test_a_default_that_cannot_be_made_is_kept_with_its_reason(draft):
    both_ways = ["=", symbol(draft["approved"]), ["not", symbol(draft["approved"])]]
    by_bulk_update(draft, draft["cost-rule"], "term", both_ways)
    assert "from which no default can be made" in compose(draft.policy).broken[draft["default"].uid]


def test_rows_written_past_the_services_do_not_keep_the_draft_from_being_read(draft):
    by_raw_sql(draft, draft["costEur"], "name", "assert")
    by_raw_sql(draft, draft["place"], "sort", "NoSuchSort")
    draft["Place"].values.all().delete()
    found = compose(draft.policy)
    assert found.model.variables[0].name == "assertValue"
    assert "is not declared" in found.broken[draft["abroad-rule"].uid]
    assert draft["cost-rule"].uid in found.hashes


def test_fr_51_each_rule_whose_hash_moved_gets_a_revision_and_an_audit_row(draft):
    before = {name: draft.hash_of(name) for name in ("cost-rule", "abroad-rule", "default")}
    rows = AuditRow.objects.count()
    # Behind everybody's back; the next change of the draft finds it.
    by_raw_sql(draft, draft["approved"], "description", "what the form says")
    with editing(draft.policy, draft.alice, cause="anything"):
        pass
    added = {row.object: row for row in AuditRow.objects.order_by("sequence")[rows:]}
    assert set(added) == {f"rule:{draft[name].uid}" for name in before}
    for name, old in before.items():
        row = added[f"rule:{draft[name].uid}"]
        revision = RuleRevision.objects.filter(rule=draft[name]).last()
        assert (row.old_hash, row.new_hash, row.actor) == (old, draft.hash_of(name), draft.alice)
        assert (revision.number, revision.content_hash) == (2, draft.hash_of(name))
        assert revision.cause == "anything"
    with editing(draft.policy, draft.alice, cause="nothing"):
        pass
    assert AuditRow.objects.count() == rows + 3


def test_fr_46_a_form_that_shows_an_older_draft_is_refused(draft):
    shown = Policy.objects.get(pk=draft.policy.pk).revision
    by_service(draft, draft["costEur"], "unit", "USD")
    with (
        pytest.raises(DraftMovedError, match="nothing was saved"),
        editing(draft.policy, draft.alice, expected_revision=shown),
    ):
        pytest.fail("the block must not run")


def test_the_number_of_queries_does_not_grow_with_the_draft(
    draft, django_assert_num_queries: Callable[[int], Any]
):
    with django_assert_num_queries(9):
        small = compose(draft.policy)
    for number in range(60):
        rule = make_rule(draft.policy, f"rule-{number}", draft["cost-rule"].term)
        source_from(rule, draft.revision, "Trips above")
        make_variable(draft.policy, f"variable{number}")
    with django_assert_num_queries(9):
        large = compose(draft.policy)
    assert len(large.hashes) == len(small.hashes) + 60
