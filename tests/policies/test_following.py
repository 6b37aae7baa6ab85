"""Rules follow their sentences through revisions, joins and splits; approvals by their hash."""

from __future__ import annotations

import pytest

from documents import Edit, EditError, EditKind
from policies.document_store import RevisionMovedError, add_document, add_revision, edit_sentences
from policies.models import DocumentRevision, Rule, RuleSource
from policies.structures import stored_document
from tests.policies.making import make_rule, source_from

TEXT = """# Travel

Trips above EUR 1,000 need approval. A trip is booked by the office.

Hotels are paid. Meals are not paid.
"""


@pytest.fixture
def first(policy, alice) -> DocumentRevision:
    return add_document(policy, alice, title="Travel", data=TEXT.encode(), filename="t.md")


@pytest.fixture
def revise(alice, first):
    def store(text: str) -> DocumentRevision:
        return add_revision(first.document, alice, data=text.encode(), filename="t.md")

    return store


@pytest.fixture
def rule_of(policy, alice, first):
    """`rule_of("Hotels")` is a rule of the sentence that begins so."""

    def make(*beginnings: str) -> Rule:
        rule = make_rule(policy, f"rule-{beginnings[0].split()[0].lower()}")
        for beginning in beginnings:
            source_from(rule, first, beginning)
        # A change of any kind settles the hashes.
        edit_and_undo = add_document(
            policy, alice, title=rule.name, data=b"It is so.", filename="t.txt"
        )
        assert edit_and_undo.number == 1
        rule.refresh_from_db()
        return rule

    return make


def sentences_of(rule: Rule, revision: DocumentRevision) -> list[str]:
    texts = {one.lineage: one.text for one in revision.sentences.all()}
    return [texts.get(source.lineage, "gone") for source in rule.sources.order_by("pk")]


def split(at: int) -> Edit:
    return Edit(EditKind.SPLIT, at)


def join(at: int) -> Edit:
    return Edit(EditKind.JOIN, at)


def test_fr_47_the_rule_of_a_changed_sentence_comes_from_the_changed_one(first, revise, rule_of):
    rule = rule_of("Trips above", "Hotels")
    approved = rule.content_hash
    second = revise(TEXT.replace("1,000", "2,000"))
    rule.refresh_from_db()
    assert sentences_of(rule, second) == [
        "Trips above EUR 2,000 need approval.",
        "Hotels are paid.",
    ]
    assert rule.content_hash != approved
    assert rule.revisions.order_by("-number")[0].cause == "a document has a new revision"
    third = revise(TEXT)
    rule.refresh_from_db()
    assert sentences_of(rule, third)[0] == "Trips above EUR 1,000 need approval."
    assert rule.content_hash == approved


def test_the_rule_of_a_moved_or_untouched_sentence_stays_as_it_was(first, revise, rule_of):
    rules = [rule_of("Trips above"), rule_of("Meals")]
    before = [(rule.content_hash, rule.sources.get().lineage) for rule in rules]
    moved = (
        "# Travel\n\nHotels are paid. Meals are not paid.\n\nTrips above EUR 1,000 need approval."
    )
    second = revise(moved)
    for rule in rules:
        rule.refresh_from_db()
    assert [(rule.content_hash, rule.sources.get().lineage) for rule in rules] == before
    assert sentences_of(rules[0], second) == ["Trips above EUR 1,000 need approval."]


def test_the_rule_of_a_removed_sentence_keeps_its_old_words(first, revise, rule_of):
    rule = rule_of("Meals")
    approved = rule.content_hash
    second = revise(TEXT.replace(" Meals are not paid.", ""))
    rule.refresh_from_db()
    assert sentences_of(rule, second) == ["gone"]
    assert rule.sources.get().quote == "Meals are not paid."
    assert rule.content_hash != approved
    revise(TEXT)
    rule.refresh_from_db()
    assert rule.content_hash == approved


def test_fr_43_joined_by_hand_both_rules_come_from_the_whole_and_apart_again_each_from_its_own(
    first, alice, rule_of
):
    trips, office = rule_of("Trips above"), rule_of("A trip is")
    approved = [trips.content_hash, office.content_hash]
    at = first.sentences.get(text__startswith="A trip is").start
    second = edit_sentences(first.document, alice, join(at), shown=1)
    whole = "Trips above EUR 1,000 need approval. A trip is booked by the office."
    assert second.sentences.get(ordinal=1).text == whole
    assert (second.text, second.blob_id, second.based_on) == (first.text, first.blob_id, first)
    for rule in (trips, office):
        rule.refresh_from_db()
        assert sentences_of(rule, second) == [whole]
        assert rule.content_hash not in approved
    third = edit_sentences(first.document, alice, split(at), shown=2)
    assert third.edits == []
    for rule, before in zip((trips, office), approved, strict=True):
        rule.refresh_from_db()
        assert rule.content_hash == before


def test_a_rule_of_a_split_sentence_comes_from_both_parts_and_of_a_joined_one_once(
    first, alice, rule_of
):
    rule = rule_of("Trips above", "A trip is")
    at = first.text.index("need approval")
    second = edit_sentences(first.document, alice, split(at), shown=1)
    assert sorted(sentences_of(rule, second)) == [
        "A trip is booked by the office.",
        "Trips above EUR 1,000",
        "need approval.",
    ]
    office = first.sentences.get(text__startswith="A trip is").start
    third = edit_sentences(first.document, alice, join(office), shown=2)
    assert sorted(sentences_of(rule, third)) == [
        "Trips above EUR 1,000",
        "need approval. A trip is booked by the office.",
    ]


def test_a_new_revision_keeps_edits_by_hand_where_their_paragraph_is_the_same(first, alice, revise):
    at = first.sentences.get(text__startswith="Meals").start
    edit_sentences(first.document, alice, join(at), shown=1)
    third = revise("# Travel\n\nAll of it is new.\n\nHotels are paid. Meals are not paid.\n")
    texts = [one.text for one in third.sentences.order_by("ordinal")]
    assert texts == ["All of it is new.", "Hotels are paid. Meals are not paid."]
    fourth = revise("# Travel\n\nHotels are paid at once. Meals are not paid.\n")
    assert fourth.edits == []
    assert fourth.sentences.count() == 2


def test_an_edit_that_fits_nowhere_or_comes_too_late_changes_nothing(first, alice):
    with pytest.raises(EditError):
        edit_sentences(first.document, alice, join(3), shown=1)
    at = first.sentences.get(text__startswith="Meals").start
    edit_sentences(first.document, alice, join(at), shown=1)
    with pytest.raises(RevisionMovedError, match="later revision"):
        edit_sentences(first.document, alice, join(at), shown=1)
    assert edit_sentences(first.document, alice, join(at), shown=2).number == 2
    assert first.document.revisions.count() == 2


def test_paragraphs_joined_by_hand_are_one_block_where_they_are_shown(policy, alice):
    text = b"Trips above EUR 1,000 need\n\napproval by the head of the office.\n"
    first = add_document(policy, alice, title="T", data=text, filename="t.txt")
    at = first.sentences.get(ordinal=2).start
    second = edit_sentences(first.document, alice, join(at), shown=1)
    document = stored_document(second, second.sentences.order_by("ordinal"))
    assert len(document.blocks) == len(document.sentences) == 1
    assert len(second.blocks) == 2


def test_rules_of_other_policies_do_not_follow(first, revise, policy, alice):
    other = type(policy).objects.create(slug="other", name="Other", created_by=alice)
    theirs = make_rule(other, "theirs")
    source = source_from(theirs, first, "Trips above")
    revise(TEXT.replace("1,000", "2,000"))
    assert RuleSource.objects.get(rule=theirs).lineage == source.lineage


def test_words_of_any_older_revision_come_back_with_their_lineage_from_few_queries(
    first, revise, django_assert_max_num_queries
):
    for number in range(12):
        revise(TEXT.replace("1,000", f"{number + 2},000"))
    with django_assert_max_num_queries(45):
        last = revise(TEXT.replace("1,000", "3,000"))
    second = first.document.revisions.get(number=3)
    lineages = [one.sentences.get(text__startswith="Trips above").lineage for one in (second, last)]
    assert lineages[0] == lineages[1]
