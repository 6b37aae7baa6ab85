"""Questions: open until answered as they stand; an answer gives the rule its reading."""

from __future__ import annotations

import pytest

from policies.models import AuditRow
from tests.vetting.conftest import SENTENCES, SERVICE, Draft, write_revision
from vetting.answering import answer_question
from vetting.edits import edit_rule
from vetting.models import Answer
from vetting.questions import AS_EDITED, open_questions, question_states
from vetting.refusals import MovedError, RefusedError
from vetting.review import ReviewState

pytestmark = pytest.mark.django_db


def the_open(draft: Draft):
    return open_questions(draft.policy, draft.composition())[0]


def answer(draft: Draft, reading: int, shown: str | None = None) -> Answer:
    now = question_states(draft.policy, draft.composition())[0]
    return answer_question(
        draft.policy, draft.alice, now.question, reading, shown_hash=shown or now.shown_hash
    )


def test_a_question_shows_its_readings_in_english(draft: Draft) -> None:
    first, second = the_open(draft).readings
    assert "less than 6 months" in first.english
    assert "at most 6 months" in second.english
    assert (first.is_present, second.is_present) == (True, False)


def test_the_drafted_reading_is_confirmed_without_a_change_of_the_rule(draft: Draft) -> None:
    before = draft.rule("service").content_hash
    answer(draft, 0)
    assert draft.rule("service").content_hash == before
    assert draft.review("service").state is ReviewState.WAITING


def test_another_reading_becomes_the_rule_in_the_name_of_who_answers(draft: Draft) -> None:
    answer(draft, 1)
    rule = draft.rule("service")
    assert rule.author == draft.alice
    assert rule.revisions.order_by("-number").first().cause == "answered a question"
    assert not open_questions(draft.policy, draft.composition())
    draft.approve("service")


def test_fr_55_the_same_answer_twice_is_one_row(draft: Draft) -> None:
    shown = the_open(draft).shown_hash
    first, second = answer(draft, 1, shown), answer(draft, 1, shown)
    assert first.pk == second.pk
    assert AuditRow.objects.filter(action="answer-question").count() == 1


def test_an_answer_can_be_changed(draft: Draft) -> None:
    answer(draft, 1)
    answer(draft, 0)
    rule = draft.composition().model.rule_by_id[draft.rule("service").uid]
    assert "<=" not in str(rule.term)
    assert Answer.objects.count() == 2


def test_an_answer_to_a_page_that_moved_is_refused(draft: Draft) -> None:
    shown = the_open(draft).shown_hash
    rule = draft.rule("service")
    edit_rule(
        draft.policy,
        draft.bob,
        rule,
        smtlib="(=> (< tenureMonths 7) (not tripApproved))",
        shown_hash=draft.review("service").hash,
    )
    with pytest.raises(MovedError):
        answer(draft, 1, shown)
    assert not Answer.objects.exists()


def test_a_rule_edited_to_neither_reading_can_be_confirmed_as_edited(draft: Draft) -> None:
    rule = draft.rule("service")
    edit_rule(
        draft.policy,
        draft.bob,
        rule,
        smtlib="(=> (< tenureMonths 7) (not tripApproved))",
        shown_hash=draft.review("service").hash,
    )
    third = the_open(draft).readings[2]
    assert (third.label, third.is_present) == (AS_EDITED, True)
    before = draft.rule("service").content_hash
    answer(draft, 2)
    assert draft.rule("service").content_hash == before
    draft.approve("service", draft.alice)


def test_a_changed_sentence_opens_the_question_again_and_undoing_it_closes_it(
    draft: Draft,
) -> None:
    answer(draft, 0)
    lineages = {text: sentence.lineage for text, sentence in draft.sentences.items()}
    edited = SERVICE.replace("six", "seven")
    texts = tuple(edited if text == SERVICE else text for text in SENTENCES)
    keep = lineages | {edited: lineages[SERVICE]}
    write_revision(draft.policy, draft.alice, texts, keep)
    assert the_open(draft).is_open
    assert draft.review("service").state is ReviewState.QUESTION_OPEN
    write_revision(draft.policy, draft.alice, SENTENCES, lineages)
    assert not open_questions(draft.policy, draft.composition())


@pytest.mark.parametrize("reading", [-1, 2, 99])
def test_a_reading_that_there_is_not_is_refused(draft: Draft, reading: int) -> None:
    with pytest.raises(RefusedError, match="one of the readings"):
        answer(draft, reading)


def test_an_answer_that_somebody_gave_meanwhile_is_shown_before_it_is_changed(
    draft: Draft,
) -> None:
    first = the_open(draft)
    answer(draft, 0)  # the rule stays as it is, and so does its hash
    with pytest.raises(MovedError, match="Alice answered this question") as moved:
        answer_question(draft.policy, draft.bob, first.question, 1, shown_hash=first.shown_hash)
    assert "less than 6 months" in moved.value.present
    assert Answer.objects.count() == 1
    now = question_states(draft.policy, draft.composition())[0]
    answer_question(draft.policy, draft.bob, now.question, 1, shown_hash=now.shown_hash)
    assert Answer.objects.count() == 2
