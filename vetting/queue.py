"""The order in which a person reads a policy: a card for each rule, and for each
sentence that no rule carries, or not in full.

Rules stand with the first of their sentences, in document order; what stands in
no sentence (assumptions, defaults, rules without a source) comes last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from policies.composing import Composition
from policies.models import Policy, Rule
from policywright.model import Kind
from vetting.publishing import Standing, standing
from vetting.questions import QuestionReview
from vetting.review import ReviewState, RuleReview
from vetting.scopes import ScopeReview
from vetting.sentences import UNACCOUNTED, SentenceReview, SentenceState

Place = tuple[int, int]


@dataclass(frozen=True)
class Card:
    """`key` is a rule's uid or a sentence's lineage; `place` orders the cards.

    `sentence` is the index of the sentence it stands with, None where there is none.
    """

    key: str
    label: str
    kind: str
    state: ReviewState | SentenceState
    place: Place
    sentence: int | None

    @property
    def is_rule(self) -> bool:
        return self.kind != "sentence"

    @property
    def waits(self) -> bool:
        if isinstance(self.state, ReviewState):
            return self.state is not ReviewState.APPROVED
        return self.state in UNACCOUNTED


@dataclass(frozen=True)
class Queue:
    composition: Composition
    rules: Mapping[str, RuleReview]
    sentences: Sequence[SentenceReview]
    questions: Sequence[QuestionReview]
    scopes: Sequence[ScopeReview]
    names: Mapping[str, str]
    cards: tuple[Card, ...]

    @cached_property
    def by_key(self) -> dict[str, int]:
        return {card.key: index for index, card in enumerate(self.cards)}

    def card(self, key: str) -> Card | None:
        index = self.by_key.get(key)
        return None if index is None else self.cards[index]

    def neighbours(self, key: str) -> tuple[str, str]:
        """The keys before and after, empty at the ends."""
        index = self.by_key[key]
        before = self.cards[index - 1].key if index else ""
        after = self.cards[index + 1].key if index + 1 < len(self.cards) else ""
        return before, after

    def next_waiting(self, place: Place = (-1, -1), but: str = "") -> str:
        """The key of the first card from a place on that waits, else of the first at all."""
        waiting = [card for card in self.cards if card.waits and card.key != but]
        later = [card for card in waiting if card.place >= place]
        return (later or waiting)[0].key if waiting else ""

    @property
    def approved(self) -> int:
        return sum(review.state is ReviewState.APPROVED for review in self.rules.values())


def build_queue(policy: Policy, now: Standing | None = None) -> Queue:
    """Everything the review pages need, from about twenty queries whatever the size."""
    now = now or standing(policy)
    rules, sentences = now.rules, now.sentences
    rows = Rule.objects.filter(policy=policy, retired_at=None).values_list("uid", "name", "kind")
    names = {uid: name for uid, name, _ in rows}
    kinds = {uid: kind for uid, _, kind in rows}
    cards = _numbered(_cards(rules, sentences, kinds), len(sentences))
    return Queue(now.composition, rules, sentences, now.questions, now.scopes, names, tuple(cards))


def cards_of(review: SentenceReview) -> list[str]:
    """The keys of a sentence's cards; never none."""
    own = not review.rules or review.mark is not None or review.state in UNACCOUNTED
    return [*review.rules, *([review.sentence.lineage] if own else [])]


def _cards(
    rules: Mapping[str, RuleReview], sentences: Sequence[SentenceReview], kinds: Mapping[str, str]
) -> list[Card]:
    cards: list[Card] = []
    placed: set[str] = set()
    for index, review in enumerate(sentences):
        for offset, key in enumerate(cards_of(review)):
            if key in placed:
                continue
            placed.add(key)
            place = (index, offset)
            if key in rules:
                cards.append(Card(key, "", kinds[key], rules[key].state, place, index))
            else:
                cards.append(Card(key, "", "sentence", review.state, place, index))
    order = [kind.value for kind in (Kind.RULE, Kind.DEFINITION, Kind.ASSUMPTION, Kind.DEFAULT)]
    rest = sorted((key for key in rules if key not in placed), key=lambda k: order.index(kinds[k]))
    end = len(sentences)
    for offset, key in enumerate(rest):
        cards.append(Card(key, "", kinds[key], rules[key].state, (end, offset), None))
    return cards


def _numbered(cards: Iterable[Card], sentence_count: int) -> list[Card]:
    """Labels such as `Rule 3 of 12`: definitions count as rules, sentences by their place."""
    cards = list(cards)
    words = {"definition": "rule"}
    totals = Counter(words.get(card.kind, card.kind) for card in cards)
    seen: Counter[str] = Counter()
    labelled = []
    for card in cards:
        word = words.get(card.kind, card.kind)
        seen[word] += 1
        number, total = seen[word], totals[word]
        if word == "sentence" and card.sentence is not None:
            number, total = card.sentence + 1, sentence_count
        label = f"{card.kind.capitalize()} {number} of {total}"
        labelled.append(Card(card.key, label, card.kind, card.state, card.place, card.sentence))
    return labelled
