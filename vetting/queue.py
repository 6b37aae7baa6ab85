"""The order in which a person reads a policy: a card for each rule, and for each
sentence that no rule carries, or not in full.

Rules stand with the first of their sentences, in document order; what stands in
no sentence (assumptions, defaults, rules without a source) comes last.

A queue is made of an outline of the policy (`vetting.coverage`), which composes nothing.
The draft as it stands, composed, is worked out only for a page that asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from django.db.models import Q

from policies.composing import Composition, compose
from policies.models import AuditRow, Policy, User
from policywright.model import Kind
from vetting.coverage import WholeCoverage, cover_all
from vetting.outline import Covered, RuleLine
from vetting.publishing import Standing, standing
from vetting.review import ReviewState, RuleReview
from vetting.sentences import UNACCOUNTED, SentenceReview, SentenceState

Place = tuple[int, int]


class Card(NamedTuple):
    """`key` is a rule's uid or a sentence's lineage; `place` orders the cards.

    `sentence` is the index of the sentence it stands with, None where there is none.
    """

    key: str
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


class Queue:
    """The cards of a policy; what is composed of the draft is composed when it is asked for."""

    def __init__(self, policy: Policy, cover: WholeCoverage, now: Standing | None = None) -> None:
        self.policy, self.cover, self._now = policy, cover, now
        self.cards, self.by_key = _order(cover)

    @property
    def approved(self) -> int:
        return self.cover.outline.approved

    @property
    def total(self) -> int:
        """The rules, assumptions and defaults."""
        return self.cover.outline.total

    def card(self, key: str) -> Card | None:
        index = self.by_key.get(key)
        return None if index is None else self.cards[index]

    def label(self, card: Card) -> str:
        """`Rule 3 of 12`: definitions count as rules, sentences by their place."""
        if card.sentence is not None and not card.is_rule:
            number, total = card.sentence + 1, len(self.cover.sentences)
        else:
            both = ("rule", "definition")
            kinds = both if card.kind in both else (card.kind,)
            same = [one.key for one in self.cards if one.kind in kinds]
            number, total = same.index(card.key) + 1, len(same)
        return f"{card.kind.capitalize()} {number} of {total}"

    def next_waiting(self, place: Place = (-1, -1)) -> str:
        """The key of the first card from a place on that waits, else of the first at all."""
        first = ""
        for card in self.cards:
            if card.waits:
                if card.place >= place:
                    return card.key
                first = first or card.key
        return first

    @cached_property
    def now(self) -> Standing:
        """The whole draft as it stands, composed: as much work as the draft is long."""
        return self._now or standing(self.policy, self.composition)

    @cached_property
    def composition(self) -> Composition:
        """The whole draft, composed."""
        return self._now.composition if self._now else compose(self.policy)

    @property
    def rules(self) -> Mapping[str, RuleReview]:
        return self.now.rules

    @property
    def sentences(self) -> Sequence[SentenceReview]:
        return self.now.sentences


def left_at(policy: Policy, user: User, queue: Queue) -> Place:
    """The place of what the person decided last, where it still has a card; one query."""
    acts = Q(object__startswith="rule:") | Q(object__startswith="sentence:")
    rows = AuditRow.objects.filter(acts, policy=policy, actor=user).order_by("-sequence")
    last = rows.values_list("object", flat=True).first()
    card = queue.card(last.split(":")[1]) if last else None
    return card.place if card else (-1, -1)


def build_queue(policy: Policy, now: Standing | None = None) -> Queue:
    """The cards from a handful of queries; `now` is the standing draft, if the caller has it."""
    return Queue(policy, cover_all(policy), now)


def cards_of(review: SentenceReview) -> list[str]:
    """The keys of a sentence's cards; never none."""
    return _keys(review.sentence.lineage, review.rules, review.mark is not None, review.state)


def cards_of_covered(one: Covered) -> list[str]:
    """As `cards_of`, of a sentence in an outline."""
    return _keys(one.lineage, one.rules, one.is_marked, one.state)


def _keys(lineage: str, rules: Sequence[str], is_marked: bool, state: SentenceState) -> list[str]:
    own = not rules or is_marked or state in UNACCOUNTED
    return [*rules, *([lineage] if own else [])]


_ORDER = [kind.value for kind in (Kind.RULE, Kind.DEFINITION, Kind.ASSUMPTION, Kind.DEFAULT)]


@lru_cache(maxsize=8)
def _order(cover: WholeCoverage) -> tuple[tuple[Card, ...], dict[str, int]]:
    """The cards, and the place of each in the row."""
    cards = tuple(_cards(cover))
    return cards, {card.key: index for index, card in enumerate(cards)}


def _cards(cover: WholeCoverage) -> Iterator[Card]:
    rules = cover.outline.rules
    placed: set[str] = set()
    for index, one in enumerate(cover.sentences):
        for offset, key in enumerate(cards_of_covered(one)):
            if key in placed:
                continue
            placed.add(key)
            rule = rules.get(key)
            kind, state = (rule.kind, rule.state) if rule else ("sentence", one.state)
            yield Card(key, kind, state, (index, offset), index)
    rest = [rule for key, rule in rules.items() if key not in placed]
    for offset, rule in enumerate(sorted(rest, key=_kind_order)):
        place = (len(cover.sentences), offset)
        yield Card(rule.uid, rule.kind, rule.state, place, None)


def _kind_order(rule: RuleLine) -> int:
    return _ORDER.index(rule.kind)
