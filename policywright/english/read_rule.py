"""Reads a rule back from structured English, by the grammar alone.

Nothing is read silently: words that are no phrase of the model are named, with
known phrases that resemble them; a text with two meanings gives both, with a
case that tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policywright.english.joints import RuleNotReadError
from policywright.english.meanings import meanings
from policywright.english.near import NearPhrase, near_phrases
from policywright.english.places import Word
from policywright.english.render import render_sentence
from policywright.english.telling import telling_case
from policywright.evaluate import Value
from policywright.model import PolicyModel
from policywright.terms import Term

MAX_NEAR = 10


@dataclass(frozen=True, slots=True)
class Understood:
    """The text says one thing; `term` is in normal form."""

    term: Term


@dataclass(frozen=True, slots=True)
class Reading:
    """One of several things that a text may say, with the English that says only this."""

    term: Term
    english: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The text says several things.

    `telling_case` gives, by variable id, a case in which the first two readings
    differ; None where none was found.
    """

    readings: tuple[Reading, ...]
    telling_case: Mapping[str, Value] | None


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """The text is no rule of the model.

    `words` are `(start, end, text)` in code points of the text given; `near` holds
    for each of the first of them the phrases that resemble it, the best first.
    """

    words: tuple[Word, ...]
    near: tuple[tuple[NearPhrase, ...], ...]
    reason: str


ReadRule = Understood | Ambiguous | NotUnderstood


def read_rule(text: str, model: PolicyModel) -> ReadRule:
    """What a text says as a rule of a model."""
    try:
        terms = meanings(text, model)
    except RuleNotReadError as error:
        near = tuple(near_phrases(word.text, model) for word in error.words[:MAX_NEAR])
        return NotUnderstood(error.words, near, error.reason)
    if len(terms) == 1:
        return Understood(terms[0])
    readings = tuple(Reading(term, render_sentence(model, term)) for term in terms)
    return Ambiguous(readings, telling_case(model, terms[0], terms[1]))


def parse_rule(text: str, model: PolicyModel) -> Term:
    """The condition that a text says, in normal form.

    Raises RuleNotReadError with the words that were not understood, or with all
    readings in its reason where there is more than one.
    """
    found = read_rule(text, model)
    if isinstance(found, Understood):
        return found.term
    if isinstance(found, Ambiguous):
        readings = "; or: ".join(reading.english for reading in found.readings)
        raise RuleNotReadError(f"the text can be read in several ways: {readings}")
    near = [tuple(phrase.text for phrase in phrases) for phrases in found.near]
    raise RuleNotReadError(found.reason, found.words, near)
