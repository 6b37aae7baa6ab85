"""What became of each sentence: nothing is lost, and a mark is bound to its words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from policies.models import AuditRow, Statement
from policies.models.draft import StatementState
from policies.present import sentence_hash
from tests.vetting.conftest import (
    COST,
    REASONABLE,
    SENTENCES,
    SERVICE,
    WELCOME,
    Draft,
    write_revision,
)
from vetting.marks import mark_sentence, withdraw_mark
from vetting.models import MarkKind, SentenceMark
from vetting.refusals import MovedError, RefusedError
from vetting.sentences import SentenceState

pytestmark = pytest.mark.django_db
Say = Callable[..., Statement]


def mark(draft: Draft, text: str, kind: MarkKind, reason: str = "because") -> SentenceMark:
    sentence = draft.sentences[text]
    return mark_sentence(
        draft.policy,
        draft.alice,
        sentence,
        kind=kind,
        reason=reason,
        shown_hash=sentence_hash(sentence),
    )


def test_every_sentence_has_a_state(draft: Draft) -> None:
    states = [draft.sentence(text).state for text in SENTENCES]
    assert states == [
        SentenceState.WAITING,
        SentenceState.QUESTION_OPEN,
        SentenceState.UNTOUCHED,
        SentenceState.UNTOUCHED,
    ]


def test_a_sentence_is_expressed_once_all_its_rules_are_approved(draft: Draft) -> None:
    draft.approve("cost")
    review = draft.sentence(COST)
    assert (review.state, review.rules) == (SentenceState.EXPRESSED, (draft.rule("cost").uid,))


@pytest.mark.parametrize("kind", [MarkKind.DEFINITION, MarkKind.BINDING, MarkKind.NOT_BINDING])
def test_a_mark_says_what_a_sentence_is(draft: Draft, kind: MarkKind) -> None:
    mark(draft, WELCOME, kind)
    review = draft.sentence(WELCOME)
    assert (review.state.value, review.reason) == (kind.label, "because")


def test_binding_and_not_binding_need_a_reason(draft: Draft) -> None:
    for kind in (MarkKind.BINDING, MarkKind.NOT_BINDING):
        with pytest.raises(RefusedError, match="reason"):
            mark(draft, WELCOME, kind, reason="")
    mark(draft, WELCOME, MarkKind.DEFINITION, reason="")


def test_fr_55_the_same_mark_twice_is_one_row(draft: Draft) -> None:
    first = mark(draft, WELCOME, MarkKind.NOT_BINDING)
    second = mark(draft, WELCOME, MarkKind.NOT_BINDING)
    assert first.pk == second.pk
    assert AuditRow.objects.filter(action="mark-not_binding").count() == 1


def test_a_mark_can_be_withdrawn(draft: Draft) -> None:
    mark(draft, WELCOME, MarkKind.NOT_BINDING)
    shown = sentence_hash(draft.sentences[WELCOME])
    withdraw_mark(draft.policy, draft.bob, draft.sentences[WELCOME], shown_hash=shown)
    assert draft.sentence(WELCOME).state is SentenceState.UNTOUCHED
    with pytest.raises(RefusedError, match="nothing was said"):
        withdraw_mark(
            draft.policy,
            draft.bob,
            draft.sentences[COST],
            shown_hash=sentence_hash(draft.sentences[COST]),
        )


def test_a_mark_lapses_with_its_sentence_and_comes_back_with_it(draft: Draft) -> None:
    mark(draft, WELCOME, MarkKind.NOT_BINDING)
    lineages = {text: sentence.lineage for text, sentence in draft.sentences.items()}
    edited = "You must be pleasant."
    texts = (*SENTENCES[:-1], edited)
    write_revision(draft.policy, draft.alice, texts, lineages | {edited: lineages[WELCOME]})
    assert draft.sentence(edited).state is SentenceState.UNTOUCHED
    with pytest.raises(MovedError) as refusal:
        mark(draft, WELCOME, MarkKind.BINDING)
    assert refusal.value.present == edited
    write_revision(draft.policy, draft.alice, SENTENCES, lineages)
    assert draft.sentence(WELCOME).state is SentenceState.NOT_BINDING


def test_a_mark_on_a_sentence_that_is_gone_is_refused(draft: Draft) -> None:
    lineages = {text: sentence.lineage for text, sentence in draft.sentences.items()}
    write_revision(draft.policy, draft.alice, SENTENCES[:-1], lineages)
    with pytest.raises(MovedError, match="no longer in the document"):
        mark(draft, WELCOME, MarkKind.NOT_BINDING)


def test_only_outcomes_can_be_limited(draft: Draft) -> None:
    sentence = draft.sentences[REASONABLE]
    with pytest.raises(RefusedError, match="outcomes"):
        mark_sentence(
            draft.policy,
            draft.alice,
            sentence,
            kind=MarkKind.BINDING,
            reason="a person judges",
            outcomes=[draft.variable("costEur").uid],
            shown_hash=sentence_hash(sentence),
        )


def test_what_a_formalizer_did_not_understand_is_said_with_the_words(
    draft: Draft, formalized: Say
) -> None:
    formalized(REASONABLE, StatementState.ABSTAINED, "`reasonable` is not understood")
    review = draft.sentence(REASONABLE)
    assert review.state is SentenceState.ABSTAINED
    assert review.reason == "`reasonable` is not understood"
    assert REASONABLE[slice(*review.words[0])] == "Expenses"


def test_the_latest_run_counts(draft: Draft, formalized: Say) -> None:
    formalized(REASONABLE, StatementState.FAILED, "the model timed out")
    assert draft.sentence(REASONABLE).state is SentenceState.FAILED
    formalized(REASONABLE, StatementState.ABSTAINED, "too vague")
    assert draft.sentence(REASONABLE).state is SentenceState.ABSTAINED


def test_a_sentence_of_which_a_part_was_left_out_is_not_expressed_by_a_drafted_rule(
    draft: Draft, formalized: Say
) -> None:
    rule = draft.rule("cost")
    statement = formalized(COST, StatementState.ABSTAINED, "a part is not understood")
    rule.unit = statement.unit
    rule.save()
    draft.approve("cost")
    assert draft.sentence(COST).state is SentenceState.ABSTAINED
    mark(draft, COST, MarkKind.NOT_BINDING, reason="the rest only explains")
    assert draft.sentence(COST).state is SentenceState.EXPRESSED


def test_a_binding_rest_of_an_expressed_sentence_stays_listed(draft: Draft) -> None:
    draft.approve("cost")
    mark(draft, COST, MarkKind.BINDING)
    assert draft.sentence(COST).state is SentenceState.BINDING


def test_a_lapsed_rule_makes_its_sentence_wait_whatever_is_said_of_it(draft: Draft) -> None:
    mark(draft, SERVICE, MarkKind.NOT_BINDING)
    assert draft.sentence(SERVICE).state is SentenceState.QUESTION_OPEN
