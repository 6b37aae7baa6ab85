"""The phrasebook of one text: only what the text may say is in it.

Takes a text apart as the phrasebook of the whole model does, without making that:
a process that says three sentences about a large policy has no use for the rest.

A phrase stands in a text only if its skeleton, the letters and digits that are in no
article, stands in the skeleton of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from policywright.english.folding import phrase_key
from policywright.english.phrasebook import (
    Entry,
    Phrasebook,
    phrasebook,
    template_entries,
    units_of,
)
from policywright.english.phrases import AUXILIARY, draft_phrases
from policywright.english.words import split_name
from policywright.model import Datatype, Definition, PolicyModel, Value, Variable
from policywright.per_model import PerModel
from policywright.sorts import BOOL

MAX_LENGTH = 2_000
MAX_TEXTS = 50
"""After so many texts of a model the whole phrasebook is no dearer."""

_QUOTES = re.compile(r'["“„«]')
_VERB = re.compile("is|are|may", re.IGNORECASE)
_DROPPED = {number: None for number in range(128) if not chr(number).isalnum()}
_DROPPED |= {ord(letter): None for letter in "antheANTHE"}


def textbook(model: PolicyModel, text: str) -> Phrasebook:
    """A phrasebook that has each phrase of the model, and of the templates, in the text."""
    shelf = _shelves(model)
    shelf.texts += 1
    if shelf.texts > MAX_TEXTS or len(text) > MAX_LENGTH or _QUOTES.search(text):
        return phrasebook(model)  # What stands in quotes may be any name.
    return shelf.book(text)


class _Shelf:
    """The skeletons of a model's phrases; holds its parts, not the model."""

    def __init__(self, model: PolicyModel) -> None:
        self.texts = 0
        self._units = units_of(model.variables)
        self._symbols = [(s, skeleton) for s in model.symbols for skeleton in _skeletons(s)]
        self._values = [
            (datatype, value, _skeleton(value.phrase.strip() or _words_of(value.name)))
            for datatype in model.datatypes
            for value in datatype.values
        ]

    def book(self, text: str) -> Phrasebook:
        said = _skeleton("".join(phrase_key(text)))
        symbols = {s.id: s for s, skeleton in self._symbols if skeleton in said}
        values: dict[str, tuple[Datatype, list[Value]]] = {}
        for datatype, value, skeleton in self._values:
            if skeleton in said:
                values.setdefault(datatype.id, (datatype, []))[1].append(value)
        return Phrasebook(
            (replace(datatype, values=tuple(found)) for datatype, found in values.values()),
            symbols.values(),
            self._units,
            (entry for entry, skeleton in _templates() if skeleton in said),
        )


_shelves = PerModel(_Shelf)


@cache
def _templates() -> list[tuple[Entry, str]]:
    return [(entry, _skeleton(entry.text)) for entry in template_entries()]


def _skeletons(symbol: Variable | Definition) -> Iterator[str]:
    """For each way to say a symbol, what all spellings of it share."""
    given = symbol.phrases
    if given.negative.strip():
        yield _skeleton(given.negative)
    text = given.text.strip()
    if symbol.sort == BOOL and (text or _VERB.search(symbol.name)):
        # `is` may become `must be` or `is not`: only what stands between is always the same.
        pieces = AUXILIARY.split(draft_phrases(symbol).text)[::2]
        yield max(map(_skeleton, pieces), key=len)
    else:
        yield _skeleton(text or _words_of(symbol.name))


def _words_of(name: str) -> str:
    """A name as it is said; the skeleton of a plain one is that of its words."""
    return name if name.isascii() else split_name(name) or name


def _skeleton(phrase: str) -> str:
    if not phrase.isascii() or "'" in phrase:
        phrase = "".join(phrase_key(phrase))
    return phrase.lower().translate(_DROPPED)
