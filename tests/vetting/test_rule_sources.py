"""A rule of several sentences: named, read beside all of them, taken away; joined and split."""

from __future__ import annotations

import pytest

from documents import Edit, EditKind
from policies.document_store import add_document, add_revision, edit_sentences
from policies.models import AuditRow, Policy, User
from policies.present import sentence_hash
from tests.vetting.in_sections import TEXT, Leave, make_leave
from vetting.refusals import MovedError, RefusedError
from vetting.review import ReviewState
from vetting.rule_sources import add_source, find_sentences, remove_source, sources_of


@pytest.fixture
def leave(policy: Policy, alice: User, bob: User) -> Leave:
    return make_leave(policy, alice, bob)


def add(leave: Leave, beginning: str, part: str = "states", rule: str = "long") -> None:
    sentence = leave.sentence(beginning)
    add_source(
        leave.policy,
        leave.alice,
        leave.rule(rule),
        sentence,
        part=part,
        shown_sentence=sentence_hash(sentence),
    )


def test_one_more_sentence_voids_the_approval_and_taking_it_away_gives_it_back(
    leave: Leave,
) -> None:
    leave.approve("long")
    add(leave, "We thank")
    review = leave.review("long")
    assert review.state is ReviewState.LAPSED
    assert review.why == ("It came from one sentence and comes from 2 sentences now.",)
    sentence = leave.sentence("We thank")
    remove_source(
        leave.policy, leave.alice, leave.rule("long"), sentence.lineage, shown_hash=review.hash
    )
    assert leave.review("long").state is ReviewState.APPROVED
    actions = list(AuditRow.objects.values_list("action", flat=True))
    assert (actions.count("add-source"), actions.count("remove-source")) == (1, 1)


def test_what_a_sentence_does_for_a_rule_is_part_of_what_is_approved(leave: Leave) -> None:
    add(leave, "We thank", "limits")
    leave.approve("long")
    rows = AuditRow.objects.count()
    add(leave, "We thank", "limits")
    assert AuditRow.objects.count() == rows
    add(leave, "We thank", "defines")
    review = leave.review("long")
    assert review.state is ReviewState.LAPSED
    assert "defines a word of this rule" in review.why[0]
    parts = [
        (one.part.value, one.sentence is None)
        for one in sources_of(leave.policy, leave.rule("long"))
    ]
    assert parts == [("states", False), ("defines", False)]


def test_the_last_sentence_stays(leave: Leave) -> None:
    review = leave.review("long")
    lineage = leave.sentence("Leave of more").lineage
    with pytest.raises(RefusedError, match="only sentence"):
        remove_source(
            leave.policy, leave.alice, leave.rule("long"), lineage, shown_hash=review.hash
        )


def test_a_sentence_or_a_rule_that_moved_is_refused(leave: Leave) -> None:
    with pytest.raises(MovedError):
        add_source(
            leave.policy,
            leave.alice,
            leave.rule("long"),
            leave.sentence("We thank"),
            shown_sentence="pw1:0",
        )
    add(leave, "We thank")
    lineage = leave.sentence("We thank").lineage
    with pytest.raises(MovedError):
        remove_source(leave.policy, leave.alice, leave.rule("long"), lineage, shown_hash="pw1:0")


def test_sentences_are_found_by_all_of_their_words(leave: Leave) -> None:
    assert [one.text for one in find_sentences(leave.policy, "people TEAM")] == [
        "This text was written by the people team."
    ]
    assert find_sentences(leave.policy, "people request") == []
    assert find_sentences(leave.policy, " \0 ") == []


def test_rules_follow_a_join_and_an_undone_join_gives_everything_back(leave: Leave) -> None:
    add(leave, "We thank")
    leave.approve("long")
    first, second = leave.sentence("This text"), leave.sentence("We thank")
    join = Edit(EditKind.JOIN, second.start)
    edit_sentences(leave.document, leave.alice, join, shown=1)
    joined = leave.sentence("This text")
    assert joined.text.endswith("We thank everybody.")
    lineages = set(leave.rule("long").sources.values_list("lineage", flat=True))
    assert joined.lineage in lineages
    assert leave.review("long").state is ReviewState.LAPSED
    split = Edit(EditKind.SPLIT, second.start)
    edit_sentences(leave.document, leave.alice, split, shown=2)
    assert leave.sentence("This text").lineage == first.lineage
    assert leave.sentence("We thank").lineage == second.lineage
    assert leave.review("long").state is ReviewState.APPROVED


def test_the_rule_of_a_split_sentence_comes_from_both_halves_and_waits(leave: Leave) -> None:
    leave.approve("long")
    whole = leave.sentence("Leave of more")
    at = whole.start + whole.text.index("is not")
    edit_sentences(leave.document, leave.alice, Edit(EditKind.SPLIT, at), shown=1)
    halves = [
        one.sentence.text for one in sources_of(leave.policy, leave.rule("long")) if one.sentence
    ]
    assert halves == ["Leave of more than 30 days", "is not granted."]
    assert leave.review("long").state is ReviewState.LAPSED
    changed = TEXT.replace("We thank everybody.", "We thank you.").encode()
    add_revision(leave.document, leave.alice, data=changed, filename="leave.md")
    assert leave.sentence("is not granted").text == "is not granted."


def test_a_clause_that_a_sentence_points_to_is_part_of_what_is_approved(
    policy: Policy, alice: User, bob: User
) -> None:
    made = make_leave(policy, alice, bob)
    text = (
        "# Rules\n\n## 1 Limits\n\nThe limit is 5 days.\n\n## 2 Leave\n\nSection 1 applies here.\n"
    )
    revision = add_document(policy, alice, title="Limits", data=text.encode(), filename="l.md")
    sentence = revision.sentences.get(text__startswith="Section 1")
    add_source(policy, alice, made.rule("long"), sentence, shown_sentence=sentence_hash(sentence))
    made.approve("long")
    add_revision(
        revision.document,
        alice,
        data=text.replace("5 days", "6 days").encode(),
        filename="l.md",
    )
    review = made.review("long")
    assert review.state is ReviewState.LAPSED
    assert "see: The limit is 6 days." in review.why[0]
