"""How a rule's sentence says its symbols and values: as phrases, or in quotation marks.

A phrase that could be mistaken for something else where it stands is put in
quotation marks. Where that is not enough, as for two variables that are said
alike, the name stands there.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property

from policywright.english.folding import is_mark, phrase_key
from policywright.english.phrasebook import NEGATION, Phrasebook, phrasebook
from policywright.english.phrases import draft_phrases, value_phrase
from policywright.english.rule_lines import MARKER
from policywright.model import PolicyModel
from policywright.terms import Literal, Symbol, Term, not_

UNTRUE = "it is not true that"
_QUOTES = frozenset('"“”„«»')


@dataclass(frozen=True)
class Sayings:
    """The words for the symbols of one model; those in `quoted` stand in quotation marks."""

    model: PolicyModel
    quoted: frozenset[Term] = frozenset()

    @cached_property
    def book(self) -> Phrasebook:
        return phrasebook(self.model)

    def clause(self, symbol: Symbol) -> str:
        """A condition that holds, or the noun phrase of anything else."""
        text = draft_phrases(self.model.declared(symbol.id)).text
        return self._said(text, symbol, self.model.name_of(symbol.id))

    def negative(self, symbol: Symbol) -> str:
        """A condition that does not hold."""
        phrases = draft_phrases(self.model.declared(symbol.id))
        if phrase_key(phrases.negative) != NEGATION + phrase_key(phrases.text):
            said = self._said(phrases.negative, not_(symbol), "")
            if said:
                return said
        return f"{UNTRUE} {self.clause(symbol)}"

    def value(self, literal: Literal, *, of_list: bool = False) -> str:
        """A value, with the list that it is of where nothing else tells it."""
        datatype = self.model.datatype_by_id[literal.sort.key]
        value = datatype.value(str(literal.value))
        text = value_phrase(value)
        return self._said(
            f"{text} of {datatype.name}" if of_list else text,
            literal,
            f'{value.name}" of "{datatype.name}',
        )

    def _said(self, text: str, term: Term, name: str) -> str:
        """The phrase, the phrase in quotes, or the name in quotes; empty if there is no name."""
        text = " ".join(text.split())
        if is_sayable(text) and term not in self.quoted:
            return text
        if is_sayable(text) and not _QUOTES & set(text):
            stands_for = {t for entry in self.book.find_quoted(text) for t in entry.terms}
            if stands_for == {term}:
                return f'"{text}"'
        return f'"{name}"' if name else ""


def is_sayable(phrase: str) -> bool:
    """Whether a phrase may stand in a sentence as it is: visible, and not like a list's marker."""
    if not phrase or is_mark(phrase[0]) or not (phrase[0].isalnum() or phrase[0] in _QUOTES):
        return False
    if MARKER.match(f"{phrase} "):
        return False
    return not any(
        unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn") and not is_mark(c) for c in phrase
    )
