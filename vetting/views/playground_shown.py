"""What the playground shows: facts as controls, outcomes and what matters most in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from policies.composing import Composition
from policies.models import Policy
from policywright.english import draft_phrases, render_rule, render_value
from policywright.english.phrases import value_phrase
from policywright.english.values import is_currency, quantity_text
from policywright.english.words import capitalise, join_words
from policywright.evaluate import Value
from policywright.model import PolicyModel, Role, Variable
from policywright.playground import Clash, Edge, Matter, Outcome, Played, State
from policywright.sorts import BOOL
from policywright.terms import symbols
from vetting.playground import Chosen, write_value
from vetting.views.cards import as_sentence

FACT = "f."
# Of a settled value, the word; of everything else what a person reads beside the shape.
WORDS = {
    "yes": "yes",
    "no": "no",
    "value": "settled",
    "leaves": "the document leaves it open",
    "waits": "open so far",
    "cannot": "this case cannot happen",
    "undecided": "not decided",
}
_SAID = {
    "yes": "value",
    "no": "value",
    "value": "value",
    "leaves": "open",
    "waits": "open",
    "cannot": "cannot",
}


@dataclass(frozen=True)
class Place:
    """The query, read: what the page is about."""

    policy: Policy
    chosen: tuple[Chosen, ...]
    find: str
    page: str
    derived: bool

    @property
    def given(self) -> dict[str, Value]:
        return {one.variable.id: one.value for one in self.chosen if one.value is not None}

    def url(self, facts: Mapping[str, str | None] | None = None, *, page: int | None = None) -> str:
        """The address with some facts otherwise; None takes one away."""
        texts: dict[str, str | None] = {one.variable.id: one.text for one in self.chosen}
        texts |= facts or {}
        query = [(f"{FACT}{uid}", text) for uid, text in texts.items() if text is not None]
        query += [("find", self.find)] if self.find else []
        query += [("also", "derived")] if self.derived else []
        query += [("page", str(page))] if page else []
        base = reverse("playground", args=[self.policy.slug])
        return f"{base}?{urlencode(query)}" if query else base


def control(model: PolicyModel, place: Place, one: Chosen) -> dict[str, Any]:
    variable = one.variable
    values: list[dict[str, str]] = []
    if variable.sort == BOOL:
        values = [{"text": "yes", "says": "yes"}, {"text": "no", "says": "no"}]
    elif variable.sort.is_enumeration:
        datatype = model.datatype_by_id[variable.sort.key]
        values = [{"text": value.id, "says": value_phrase(value)} for value in datatype.values]
    return {
        "uid": variable.id,
        "name": f"{FACT}{variable.id}",
        "says": capitalise(asked(variable)),
        "supposed": variable.role is not Role.FACT,
        "is_yes_or_no": variable.sort == BOOL,
        "values": values,
        "text": one.text,
        "unit": _unit(variable),
        "is_currency": is_currency(variable.unit),
        "is_date": variable.unit == "date",
        "problem": as_sentence(one.problem),
        "without": place.url({variable.id: None}),
    }


def _unit(variable: Variable) -> str:
    if variable.unit in ("percent", "share"):
        return "%"
    return "" if variable.unit == "date" else variable.unit


def told(played: Played) -> str:
    """'1 settled, 3 left open' of what is shown; said when the page changes in place."""
    if played.clash is not None:
        return "These facts cannot occur together."
    states = [one.state for one in played.outcomes]
    counts = (
        (states.count(State.SETTLED), "settled"),
        (states.count(State.OPEN), "left open"),
        (states.count(State.IMPOSSIBLE), "impossible"),
        (states.count(State.UNDECIDED), "not decided"),
    )
    return capitalise(join_words([f"{n} {word}" for n, word in counts if n])) + "."


class Saying:
    """What was found, in words for the page."""

    def __init__(self, composition: Composition, place: Place) -> None:
        self.model, self.place = composition.model, place
        self._rules: dict[str, dict[str, Any]] = {}
        terms = [rule.term for rule in self.model.rules]
        terms += [definition.term for definition in self.model.definitions]
        self._spoken_of = {symbol.id for term in terms for symbol in symbols(term)}

    def outcome(self, one: Outcome, *, clashes: bool) -> dict[str, Any]:
        """Why facts cannot occur is said once, above all outcomes: then with `clashes`."""
        variable = self.model.variable_by_id[one.variable]
        state = state_of(one)
        says = phrase(variable)
        if one.value is not None:
            says = self.clause(variable, one.value)
        return {
            "uid": variable.id,
            "state": state,
            "word": WORDS[state],
            "says": capitalise(says),
            "left": self._left(variable, one),
            "is_silent": one.state is State.OPEN and variable.id not in self._spoken_of,
            "rules": [] if clashes else [self.rule(uid) for uid in one.rules],
            "facts": join_words([phrase(self.model.variable_by_id[uid]) for uid in one.facts]),
            "keep": self._keep(variable, one),
        }

    def clash(self, clash: Clash) -> dict[str, Any]:
        given = self.place.given
        facts = [
            {
                "says": self.clause(self.model.variable_by_id[uid], given[uid]),
                "without": self.place.url({uid: None}),
                "uid": uid,
            }
            for uid in clash.facts
        ]
        return {"facts": facts, "rules": [self.rule(uid) for uid in clash.rules]}

    def matter(self, one: Matter) -> dict[str, Any]:
        variable = self.model.variable_by_id[one.variable]
        return {
            "uid": variable.id,
            "says": asked(variable),
            "settles": bool(one.mean),
            "is_number": variable.sort.is_number,
            "url": self.place.url({variable.id: ""}),
            "values": [
                {
                    "says": render_value(self.model, variable, each.value),
                    "possible": each.possible,
                    "url": self.place.url({variable.id: write_value(variable, each.value)}),
                    "settled": join_words(
                        [
                            self.clause(self.model.variable_by_id[uid], value)
                            for uid, value in each.settled.items()
                        ]
                    ),
                }
                for each in one.values
            ],
        }

    def rule(self, uid: str) -> dict[str, Any]:
        if uid not in self._rules:
            rule = self.model.rule_by_id[uid]
            quotes = [source.quote for source in rule.sources if source.quote]
            english = render_rule(self.model, rule)
            self._rules[uid] = {
                "uid": uid,
                "name": rule.name,
                "english": english,
                "kind": rule.kind,
                "quotes": quotes,
            }
        return self._rules[uid]

    def clause(self, variable: Variable, value: Value) -> str:
        phrases = draft_phrases(variable)
        if isinstance(value, bool):
            return phrases.text if value else phrases.negative
        return f"{phrases.text} is {render_value(self.model, variable, value)}"

    def _left(self, variable: Variable, one: Outcome) -> str:
        """What an open outcome can still be, where that is less than everything."""
        if one.state is not State.OPEN:
            return ""
        if variable.sort.is_enumeration:
            values = self.model.datatype_by_id[variable.sort.key].values
            if len(one.left) == len(values):
                return ""
            left = [render_value(self.model, variable, value) for value in one.left]
            return f"It can still be {join_words(left, 'or')}."
        ends = [*_end(variable, one.low, True), *_end(variable, one.high, False)]
        return f"It is {join_words(ends)}." if ends else ""

    def _keep(self, variable: Variable, one: Outcome) -> str:
        """The address that keeps what was found as a scenario; empty where nothing was."""
        said = _SAID.get(state_of(one), "")
        if not said or (one.state is State.OPEN and variable.sort != BOOL):
            return ""
        query = [("claim", variable.id), ("said", said)]
        if one.value is not None:
            query.append(("value", write_value(variable, one.value)))
        address = self.place.url()
        base, _, facts = address.partition("?")
        return f"{base}keep/?{'&'.join(part for part in (facts, urlencode(query)) if part)}"


def state_of(one: Outcome) -> str:
    if one.state is State.SETTLED:
        return {True: "yes", False: "no"}[one.value] if isinstance(one.value, bool) else "value"
    if one.state is State.OPEN:
        return "waits" if one.waits else "leaves"
    return "cannot" if one.state is State.IMPOSSIBLE else "undecided"


def _end(variable: Variable, edge: Edge | None, is_low: bool) -> Iterator[str]:
    if edge is not None:
        words = ("more than", "at least") if is_low else ("less than", "at most")
        yield f"{words[0] if edge.beyond else words[1]} {quantity_text(edge.at, variable.unit)}"


def phrase(variable: Variable) -> str:
    return draft_phrases(variable).text


def asked(variable: Variable) -> str:
    """What a fact asks: 'whether the trip is international', 'the cost'."""
    said = phrase(variable)
    return f"whether {said}" if variable.sort == BOOL else said
