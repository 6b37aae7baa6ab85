"""Which cards of the queue a person wants to see, and in which order.

What is asked for stands in an address, so that a list can be kept and sent; a card is then
one of that list, with the one before and after it and the next that waits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.utils import timezone

from policies.composing import live_rules
from policies.declared_now import declared_now
from policies.models import AuditRow, Policy, Sentence, User
from policywright.english import draft_phrases
from policywright.english.phrases import value_phrase
from policywright.lint import Severity
from translation.ensemble.agreement import agreements_of
from translation.models import Translation
from vetting.assigning import cards_of
from vetting.coverage import SectionCover, WholeCoverage, with_those_below
from vetting.lint import LintHint, hint_of, severities_of
from vetting.naming import ids_by_rule
from vetting.queue import Card, Queue, build_queue
from vetting.review import ReviewState
from vetting.sentences import SentenceState

WAITS = "waits"
STATES: tuple[str, ...] = tuple(dict.fromkeys([*map(str, ReviewState), *map(str, SentenceState)]))
LINT = {"error": "an error", "any": "an error or a warning", "none": "nothing found"}
AGREEMENT = {"low": "a translation reads it otherwise", "all": "all translations agree"}
ORDERS = {"section": "as in the document", "risk": "what needs most care first"}
# Whoever did nothing for so long was away, and comes back.
AWAY = timedelta(minutes=30)
_MOST_ACTS = 500


@dataclass(frozen=True)
class Filters:
    """`section` is a document's id and the ordinal of its section, `3-12`, with those below it."""

    state: str = ""
    section: str = ""
    lint: str = ""
    agreement: str = ""
    find: str = ""
    since: str = ""
    assigned: str = ""
    order: str = "section"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Filters:
        """From an address; what it cannot mean is left out."""
        known: dict[str, Collection[str]] = {
            "state": (WAITS, *STATES),
            "lint": LINT,
            "agreement": AGREEMENT,
            "since": ("yes",),
            "assigned": ("me",),
            "order": ORDERS,
        }
        found = {name: str(data.get(name, "")) for name in known}
        found = {name: value for name, value in found.items() if value in known[name]}
        section = str(data.get("section", ""))
        if re.fullmatch(r"[0-9]{1,9}-[0-9]{1,9}", section):
            found["section"] = section
        find = " ".join(str(data.get("find", "")).replace("\0", " ").split())[:100]
        return cls(find=find, **found)

    @classmethod
    def of_query(cls, query: str) -> Filters:
        """From the text of an address, as `query` gives it."""
        return cls.of(dict(parse_qsl(query)))

    @property
    def query(self) -> str:
        """The same filters always give the same text; empty for none."""
        pairs = [(one.name, getattr(self, one.name)) for one in fields(self)]
        return urlencode([(k, v) for k, v in pairs if v and (k, v) != ("order", "section")])


def filtered(
    policy: Policy, user: User, filters: Filters, queue: Queue | None = None
) -> list[Card]:
    """The cards that are asked for, in the order that is."""
    queue = queue or build_queue(policy)
    known = _Known(policy, user, queue)
    cards: Sequence[Card] = queue.cards
    for wanted in _tests(filters, known):
        cards = [card for card in cards if wanted(card)]
    if filters.order == "risk":
        return sorted(cards, key=lambda card: (known.risk(card), card.place))
    return list(cards)


class Course:
    """The way of a person through the cards of a list."""

    def __init__(self, queue: Queue, cards: Sequence[Card], *, is_ordered: bool = True) -> None:
        self.queue, self.cards, self._is_ordered = queue, cards, is_ordered

    @cached_property
    def _at(self) -> dict[str, int]:
        return {card.key: index for index, card in enumerate(self.cards)}

    def _around(self, card: Card) -> tuple[Sequence[Card], Sequence[Card]]:
        """The cards before and behind one, which may have left the list meanwhile."""
        at = self._at.get(card.key)
        if at is not None:
            return self.cards[:at], self.cards[at + 1 :]
        if not self._is_ordered:
            return (), self.cards
        before = [one for one in self.cards if one.place < card.place]
        return before, self.cards[len(before) :]

    def neighbours(self, card: Card) -> tuple[str, str]:
        before, behind = self._around(card)
        return (before[-1].key if before else ""), (behind[0].key if behind else "")

    def next_waiting(self, card: Card | None = None) -> str:
        """The first that waits behind a card, else the first of the list; empty where none does."""
        before, behind = self._around(card) if card else ((), self.cards)
        return next((one.key for part in (behind, before) for one in part if one.waits), "")


def sections_of(cover: WholeCoverage) -> Iterator[tuple[str, range, SectionCover]]:
    """Each section by its name in an address, with the indices of its sentences."""
    start = 0
    for section in cover.sections:
        document, _ = cover.documents[section.revision]
        end = start + len(section.sentences)
        yield f"{document}-{section.ordinal}", range(start, end), section
        start = end


def last_here(user: User, policy: Policy, now: datetime | None = None) -> datetime | None:
    """When the person last did something before this sitting; None for one who never did."""
    rows = AuditRow.objects.filter(policy=policy, actor=user).order_by("-sequence")
    later = now or timezone.now()
    for at in rows.values_list("at", flat=True)[:_MOST_ACTS]:
        if later - at > AWAY:
            return at
        later = at
    return None


def _tests(filters: Filters, known: _Known) -> Iterator[Callable[[Card], bool]]:
    """The cheap ones first."""
    if filters.state == WAITS:
        yield lambda card: card.waits
    elif filters.state:
        yield lambda card: str(card.state) == filters.state
    if filters.section:
        within = known.within(filters.section)
        yield lambda card: card.sentence is not None and card.sentence in within
    if filters.lint == "none":
        yield lambda card: card.is_rule and known.is_checked and card.key not in known.lint
    elif filters.lint:
        bad = [Severity.ERROR] if filters.lint == "error" else [Severity.ERROR, Severity.WARNING]
        yield lambda card: known.lint.get(card.key) in bad
    if filters.agreement:
        wanted = known.differing if filters.agreement == "low" else known.agreeing
        yield lambda card: card.key in wanted
    if filters.assigned:
        own = cards_of(known.policy, known.user)
        yield lambda card: card.key in own
    if filters.since:
        yield lambda card: card.key in known.changed
    if filters.find:
        found = known.found(filters.find)
        yield lambda card: card.key in found


class _Known:
    """What is known of cards beside their states; each thing is looked up where it is asked for."""

    def __init__(self, policy: Policy, user: User, queue: Queue) -> None:
        self.policy, self.user, self.queue = policy, user, queue
        self.cover = queue.cover

    def risk(self, card: Card) -> int:
        """What needs most care first: rules that are wrong, in doubt, or changed, then the rest."""
        doubts = (
            card.state in (ReviewState.BROKEN, ReviewState.REJECTED),
            self.lint.get(card.key) is Severity.ERROR,
            card.state is ReviewState.QUESTION_OPEN,
            card.key in self.differing,
            card.state is ReviewState.LAPSED,
            self.lint.get(card.key) is Severity.WARNING,
            card.is_rule and card.waits,
            card.waits,
        )
        return next((rank for rank, holds in enumerate(doubts) if holds), len(doubts))

    @cached_property
    def lint(self) -> dict[str, Severity]:
        """The worst that lint found of each rule and nobody silenced, where it was checked."""
        return severities_of(self._hint, self.policy) if self._hint else {}

    @property
    def is_checked(self) -> bool:
        return self._hint is not None

    @cached_property
    def _hint(self) -> LintHint | None:
        return hint_of(self.policy)

    @cached_property
    def differing(self) -> set[str]:
        """The rules that a further translator reads otherwise."""
        return {uid for uid, one in self._agreements.items() if one.differ}

    @cached_property
    def agreeing(self) -> set[str]:
        return {uid for uid, one in self._agreements.items() if one.all_agree}

    @cached_property
    def _agreements(self) -> dict[str, Any]:
        told = Translation.objects.filter(unit__policy=self.policy)
        spoken_of = {uid for rules in told.values_list("rules", flat=True) for uid in rules}
        rows = live_rules(self.policy).filter(uid__in=spoken_of)
        return agreements_of(list(rows)) if spoken_of else {}

    def within(self, name: str) -> set[int]:
        """The indices of the sentences of a section, its parts and those below it."""
        for number, (key, indices, _) in enumerate(sections_of(self.cover)):
            if key == name:
                own = with_those_below(self.cover.sections[number:])
                length = sum(len(section.sentences) for section in own)
                return set(range(indices.start, indices.start + length))
        return set()

    @cached_property
    def changed(self) -> set[str]:
        """What others did since the person was last here; all, for one who never was."""
        since = last_here(self.user, self.policy)
        if since is None:
            return {card.key for card in self.queue.cards}
        rows = AuditRow.objects.filter(policy=self.policy, at__gt=since).exclude(actor=self.user)
        return {part for name in rows.values_list("object", flat=True) for part in name.split(":")}

    def found(self, words: str) -> set[str]:
        """The cards that hold each of the words: in a rule's name or in what it speaks of, as it
        is said in English, or in a sentence."""
        wanted = words.casefold().split()
        texts = self._sentences()
        phrases = self._phrases()
        rules = self.cover.outline.rules
        named = ids_by_rule(self.policy, declared_now(self.policy, self.policy.revision).merged)
        found = set()
        for card in self.queue.cards:
            rule = rules.get(card.key)
            parts = [texts.get(card.key, "")]
            if rule is not None:
                parts = [rule.name, *(texts.get(lineage, "") for lineage, _ in rule.sources)]
                parts += (phrases.get(uid, "") for uid in named.get(rule.uid, ()))
            told = "\n".join(parts).casefold()
            if all(word in told for word in wanted):
                found.add(card.key)
        return found

    def _sentences(self) -> dict[str, str]:
        rows = Sentence.objects.filter(revision__in=self.cover.documents)
        return dict(rows.values_list("lineage", "text"))

    def _phrases(self) -> dict[str, str]:
        base = declared_now(self.policy, self.policy.revision).base
        said = {one.id: _said(one) for one in base.variables}
        return said | {
            value.id: value_phrase(value) for one in base.datatypes for value in one.values
        }


def _said(variable: Any) -> str:
    phrases = draft_phrases(variable)
    return f"{phrases.text}\n{phrases.negative}"
