"""The outline, the queue made of it and the card in hand say what the composed draft says."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest

from policies.editing import editing
from policies.models import Policy, Rule, Span, Statement, Unit, Variable
from policies.models.draft import StatementState
from policies.present import present_sentences, sentence_hash
from tests.approving import approve
from tests.vetting.conftest import SENTENCES, Draft, write_revision
from translation.models import Question, QuestionKind
from vetting.answering import answer_question
from vetting.coverage import cover_all
from vetting.decisions import reject, withdraw
from vetting.in_hand import in_hand
from vetting.in_the_way import in_the_way
from vetting.marks import mark_sentence, withdraw_mark
from vetting.models import MarkKind
from vetting.publishing import Blocker, Standing, blockers, standing
from vetting.queue import build_queue, cards_of
from vetting.refusals import RefusedError
from vetting.rule_sources import add_source


def agree(policy: Policy) -> Standing:
    """Everything that a page takes of the outline, against the draft composed whole."""
    policy.refresh_from_db()
    now, found = standing(policy), cover_all(policy)
    exact = {uid: str(review.state) for uid, review in now.rules.items()}
    assert {uid: str(line.state) for uid, line in found.outline.rules.items()} == exact
    assert found.outline.approved == now.approved
    assert [(one.lineage, str(one.state), one.rules, one.is_marked) for one in found.sentences] == [
        (one.sentence.lineage, str(one.state), one.rules, one.mark is not None)
        for one in now.sentences
    ]
    assert {one.uid: (one.is_open, one.rules) for one in found.outline.questions} == {
        one.question.uid: (one.is_open, one.rules) for one in now.questions
    }
    _agree_on_cards(policy, now)
    named = [one for group in in_the_way(policy, found, None) for one in group.named]
    assert _told(named) == _told(blockers(policy, now))
    return now


def _told(found: Iterable[Blocker]) -> list[str]:
    """A broken rule has a name in one of them only; what was said of scenarios is in one."""
    broken = "does not fit its declarations; edit it or reject it."
    return sorted(
        broken if one.sentence.endswith(broken) else one.sentence
        for one in found
        if one.kind != "scenario"
    )


def _agree_on_cards(policy: Policy, now: Standing) -> None:
    queue = build_queue(policy)
    keys = list(dict.fromkeys(key for one in now.sentences for key in cards_of(one)))
    assert [card.key for card in queue.cards][: len(keys)] == keys
    assert {card.key for card in queue.cards} == {*keys, *now.rules}
    for card in queue.cards:
        hand = in_hand(policy, queue, card)
        assert hand is not None
        if not card.is_rule:
            assert hand.sentence is not None
            assert hand.sentence.lineage == card.key
            continue
        review, exact = hand.review, now.rules[card.key]
        assert review is not None
        assert (review.state, review.hash, review.why) == (exact.state, exact.hash, exact.why)
        asked = [one for one in now.questions if card.key in one.rules]
        shown = {one.question.uid: one.shown_hash for one in hand.questions}
        assert shown == {one.question.uid: one.shown_hash for one in asked}


class Hands:
    """People at random; what is refused is refused."""

    def __init__(self, draft: Draft, seed: int) -> None:
        self.draft, self.policy, self.dice = draft, draft.policy, random.Random(seed)
        self.keep = {text: one.lineage for text, one in draft.sentences.items()}
        self.done: dict[str, int] = {}

    def act(self) -> None:
        acts: tuple[Callable[[Standing], object], ...] = (
            self.approve,
            self.approve,
            self.withdraw,
            self.reject,
            self.mark,
            self.unmark,
            self.ask,
            self.answer,
            self.reword,
            self.break_one,
            self.say_nothing,
            self.revise,
            self.one_more_source,
        )
        act = self.dice.choice(acts)
        try:
            act(standing(self.policy))
        except RefusedError:
            return
        self.done[act.__name__] = self.done.get(act.__name__, 0) + 1

    def _rule(self, now: Standing) -> tuple[Rule, str]:
        review = self.dice.choice(list(now.rules.values()))
        return Rule.objects.get(uid=review.uid), review.hash

    def approve(self, now: Standing) -> None:
        rule, shown = self._rule(now)
        approve(self.policy, self.draft.bob, rule, shown_hash=shown)

    def withdraw(self, now: Standing) -> None:
        rule, shown = self._rule(now)
        withdraw(self.policy, self.draft.bob, rule, shown_hash=shown)

    def reject(self, now: Standing) -> None:
        rule, shown = self._rule(now)
        if len(now.rules) > 3:
            reject(self.policy, self.draft.bob, rule, reason="not so", shown_hash=shown)

    def mark(self, now: Standing) -> None:
        one = self.dice.choice(now.sentences)
        kinds = (MarkKind.DEFINITION, MarkKind.BINDING, MarkKind.NOT_BINDING)
        mark_sentence(
            self.policy,
            self.draft.alice,
            one.sentence,
            kind=self.dice.choice(kinds),
            reason="read",
            shown_hash=one.hash,
        )

    def unmark(self, now: Standing) -> None:
        one = self.dice.choice(now.sentences)
        withdraw_mark(self.policy, self.draft.alice, one.sentence, shown_hash=one.hash)

    def ask(self, now: Standing) -> None:
        """Of a rule, or of one whose other reading would take the place of another."""
        rule, other = self._rule(now)[0], self._rule(now)[0]
        if rule.term is None or other.pk == rule.pk:
            raise RefusedError("nothing to ask")
        second = {"label": "another", "term": rule.term}
        if self.dice.random() < 0.5:
            second["retires"] = [other.uid]
        Question.objects.create(
            policy=self.policy,
            rule=rule,
            kind=QuestionKind.READING,
            text=f"Which, {self.dice.random()}?",
            readings=[{"label": "as drafted", "term": rule.term}, second],
        )

    def answer(self, now: Standing) -> None:
        if not now.questions:
            raise RefusedError("nothing to answer")
        one = self.dice.choice(now.questions)
        answer_question(self.policy, self.draft.alice, one.question, 0, shown_hash=one.shown_hash)

    def reword(self, _: Standing) -> None:
        with editing(self.policy, self.draft.alice):
            row = self.dice.choice(list(Variable.objects.filter(policy=self.policy)))
            row.description = self.dice.choice(("", "in full", "as it is"))
            row.save()

    def break_one(self, _: Standing) -> None:
        with editing(self.policy, self.draft.alice):
            row = Variable.objects.get(policy=self.policy, name="tenureMonths")
            row.sort = "Bool" if row.sort == "Int" else "Int"
            row.save()

    def say_nothing(self, now: Standing) -> None:
        one = self.dice.choice(now.sentences).sentence
        span = Span.objects.filter(revision=one.revision).first()
        if span is None:
            span = Span.objects.create(revision=one.revision, ordinal=0, start=0, end=10)
        unit = Unit.objects.create(policy=self.policy, span=span, formalizer="by hand")
        for state in self.dice.sample(list(StatementState), self.dice.choice((1, 2))):
            Statement.objects.create(unit=unit, sentence=one, state=state, words=[[0, 2]])

    def revise(self, _: Standing) -> None:
        """A sentence changes, keeps its lineage or not, and may come back."""
        texts = list(SENTENCES)
        at = self.dice.randrange(len(texts))
        if self.dice.random() < 0.6:
            texts[at] = texts[at].replace(" ", "  ", 1)
            self.keep[texts[at]] = self.keep[SENTENCES[at]]
        elif self.dice.random() < 0.5:
            del texts[at]
        write_revision(self.policy, self.draft.alice, tuple(texts), self.keep)
        with editing(self.policy, self.draft.alice, cause="revised"):
            pass

    def one_more_source(self, now: Standing) -> None:
        rule = self._rule(now)[0]
        sentence = self.dice.choice(present_sentences(self.policy))
        shown = sentence_hash(sentence)
        add_source(self.policy, self.draft.alice, rule, sentence, shown_sentence=shown)


@pytest.mark.django_db(transaction=True)
def test_what_a_process_keeps_of_the_outline_is_never_of_what_was(draft: Draft) -> None:
    """Committed for once: only of what was committed anything is kept."""
    hands = Hands(draft, 11)
    for _ in range(30):
        before = cover_all(draft.policy)
        assert cover_all(draft.policy) is before
        hands.act()
        agree(draft.policy)
    assert len(hands.done) > 7


@pytest.mark.parametrize("seed", range(4))
def test_the_outline_says_what_the_composed_draft_says_whatever_people_do(
    draft: Draft, seed: int
) -> None:
    hands = Hands(draft, seed)
    for _ in range(20):
        hands.act()
        agree(draft.policy)
    assert sum(hands.done.values()) > 6
    assert "approve" in hands.done
