"""The phrases of a model and of the templates, found by their words.

A tree of words finds every phrase that begins at a place, however many
variables there are. A phrase to the letter goes before one that differs in its
articles, and both go before what owners say instead ('must be' for an outcome
that 'is').
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from policywright.english.folding import ARTICLE, ARTICLES, Folded, loose_key, phrase_key
from policywright.english.phrases import draft_phrases, negate_clause, value_phrase
from policywright.english.templates import spellings
from policywright.english.values import unit_word
from policywright.model import Datatype, Definition, Role, Variable
from policywright.per_model import PerModel
from policywright.sorts import BOOL
from policywright.terms import Literal, Term, member, not_

NEGATION = ("it", "is", "not", "true", "that")
EXACT, LOOSE, VARIANT = range(3)
_NUMBER = re.compile(r"[-+]?\d[\d.,/]*\s?%?")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a phrase is: a template's token without terms, or CLAUSE, NUMBER, VALUE with theirs.

    `text` is the phrase as it is given, `key` its words to the letter. A `variant` is
    read only where nothing else fits the words; what is not `shown` is never offered.
    """

    type: str
    key: tuple[str, ...]
    text: str
    terms: tuple[Term, ...] = ()
    variant: bool = False
    shown: bool = True


@dataclass(slots=True)
class _Node:
    below: dict[str, _Node] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def all_below(self, accepts: Callable[[Entry], bool], limit: int) -> list[Entry]:
        """Accepted entries here and below, in the order in which they were put in."""
        found: list[Entry] = []
        stack = [self]
        while stack and len(found) < limit:
            node = stack.pop()
            found += [entry for entry in node.entries if accepts(entry)]
            stack.extend(reversed(node.below.values()))
        return found


class Phrasebook:
    """Phrases of symbols and values, and of templates; `units` are those that numbers may have.

    `named` finds a symbol or value by what stands in quotes.
    """

    def __init__(
        self,
        datatypes: Iterable[Datatype],
        symbols: Iterable[Variable | Definition],
        units: frozenset[str],
        templates: Iterable[Entry] | None = None,
    ) -> None:
        self.root = _Node()
        self.entries: list[Entry] = []
        self.named: dict[str, list[Entry]] = {}
        self.quoted: dict[tuple[str, ...], list[Entry]] = {}
        for entry in template_entries() if templates is None else templates:
            self._insert(_with_one_article(entry.key), entry)
        for symbol in symbols:
            self._add_symbol(symbol)
        for datatype in datatypes:
            self._add_values(datatype)
        self.units = tuple(sorted(units, key=lambda unit: (-len(unit), unit)))
        self.unit_words = tuple(
            sorted({w for u in units for w in (u, unit_word(u, 1))}, key=lambda w: (-len(w), w))
        )

    def matches(self, words: Sequence[Folded], start: int) -> Iterator[tuple[int, list[Entry]]]:
        """(end, entries) for each phrase that begins at a word, the shortest first."""
        node = self.root
        for index in range(start, len(words)):
            key = words[index].key
            below = node.below.get(ARTICLE if key in ARTICLES else key)
            if below is None:
                return
            node = below
            if node.entries:
                yield index + 1, _best(node.entries, [w.key for w in words[start : index + 1]])

    def find_quoted(self, content: str) -> list[Entry]:
        """What a name or phrase in quotation marks stands for; a name to the letter goes first."""
        if content in self.named:
            return self.named[content]
        return self.quoted.get(phrase_key(content), [])

    def is_reserved(self, entry: Entry) -> bool:
        """Whether a phrase consists of words of the templates, or is a number."""
        return entry.key in _template_keys() or bool(_NUMBER.fullmatch(entry.text.strip()))

    def _add_symbol(self, symbol: Variable | Definition) -> None:
        phrases = draft_phrases(symbol)
        if symbol.sort != BOOL:
            self._add(Entry("NUMBER", phrase_key(phrases.text), phrases.text, (symbol.symbol,)))
            self._name(Entry("NUMBER", (), symbol.name, (symbol.symbol,)))
            return
        self._name(Entry("CLAUSE", (), symbol.name, (symbol.symbol,)))
        negated = not_(symbol.symbol)
        clause = Entry("CLAUSE", phrase_key(phrases.text), phrases.text, (symbol.symbol,))
        negative = Entry("CLAUSE", phrase_key(phrases.negative), phrases.negative, (negated,))
        self._add(clause)
        # The grammar reads 'it is not true that' by itself.
        if negative.key != NEGATION + clause.key:
            self._add(negative)
        decided = isinstance(symbol, Variable) and symbol.role is not Role.FACT
        for type_, text, holds in _variants(phrases.text, decided):
            key = phrase_key(text)
            if key not in (clause.key, negative.key):
                terms: tuple[Term, ...] = (symbol.symbol,) if holds else (negated,)
                self._add(Entry(type_, key, text, terms, variant=True, shown=False))

    def _add_values(self, datatype: Datatype) -> None:
        for value in datatype.values:
            literal: Literal = member(datatype.id, value.id)
            phrase = value_phrase(value)
            self._add(Entry("VALUE", phrase_key(phrase), phrase, (literal,)))
            text = f"{phrase} of {datatype.name}"
            self._add(Entry("VALUE", phrase_key(text), text, (literal,), shown=False))
            name = f'{value.name}" of "{datatype.name}'
            self._name(Entry("VALUE", (), name, (literal,)))

    def _name(self, entry: Entry) -> None:
        """A name is found to the letter, but for white space of which there is too much."""
        self.named.setdefault(" ".join(entry.text.split(" ")), []).append(entry)

    def _add(self, entry: Entry) -> None:
        if not entry.key:
            return
        self.entries.append(entry)
        if not entry.variant:
            self.quoted.setdefault(entry.key, []).append(entry)
        if self.is_reserved(entry):
            # Words of the templates and numbers mean what they are; in quotes this is the phrase.
            return
        bare = loose_key(entry.key)
        self._insert(bare, entry)
        if bare[0] != ARTICLE or len(entry.key) > len(bare):
            self._insert((ARTICLE, *bare), entry)

    def _insert(self, key: tuple[str, ...], entry: Entry) -> None:
        node = self.root
        for word in key:
            node = node.below.setdefault(word, _Node())
        node.entries.append(entry)


@lru_cache(maxsize=8)
def _phrasebook(
    datatypes: tuple[Datatype, ...],
    variables: tuple[Variable, ...],
    definitions: tuple[Definition, ...],
) -> Phrasebook:
    return Phrasebook(datatypes, (*variables, *definitions), units_of(variables))


phrasebook = PerModel(lambda m: _phrasebook(m.datatypes, m.variables, m.definitions))
"""The phrasebook of a model; made once for equal declarations, found by the model itself."""


def units_of(variables: Iterable[Variable]) -> frozenset[str]:
    return frozenset(unit for v in variables if v.unit and (unit := " ".join(v.unit.split())))


@cache
def template_entries() -> tuple[Entry, ...]:
    """Every spelling of the templates; the first of each token is offered."""
    found: dict[str, list[Entry]] = {}
    for token, spelling in spellings():
        known = found.setdefault(token, [])
        known.append(Entry(token, phrase_key(spelling), spelling, shown=not known))
    return tuple(entry for entries in found.values() for entry in entries)


@cache
def _template_keys() -> frozenset[tuple[str, ...]]:
    return frozenset(entry.key for entry in template_entries())


def _with_one_article(key: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(ARTICLE if word in ARTICLES else word for word in key)


def _best(entries: list[Entry], words: list[str]) -> list[Entry]:
    ranked = [(_rank(entry, words), entry) for entry in entries]
    best = min(rank for rank, _ in ranked)
    return [entry for rank, entry in ranked if rank == best]


def _rank(entry: Entry, words: list[str]) -> int:
    if entry.variant:
        return VARIANT
    return EXACT if list(entry.key) == words else LOOSE


def _variants(clause: str, decided: bool) -> Iterator[tuple[str, str, bool]]:
    """(type, other words for a clause, whether they say that it holds).

    That an outcome 'must be' says that it is, since the policy decides it; that it
    'may be' is read before `only if` alone. Of a fact such words would be a duty,
    which is another rule.
    """
    negative = negate_clause(clause)
    if phrase_key(negative)[:5] == NEGATION:
        return
    yield "CLAUSE", negative, False
    if not decided:
        return
    for verb in ("is", "are"):
        before, _, after = f" {clause} ".partition(f" {verb} ")
        if after:
            yield "PERMITTED", f"{before} may be {after}", True
            for words in ("must be", "shall be", "will be"):
                yield "CLAUSE", f"{before} {words} {after}", True
            for words in ("must not be", "shall not be", "will not be", "may not be", "cannot be"):
                yield "CLAUSE", f"{before} {words} {after}", False
            return
    before, _, after = f" {clause} ".partition(" may ")
    if after:
        yield "CLAUSE", f"{before} can {after}", True
        for words in ("must not", "shall not", "cannot"):
            yield "CLAUSE", f"{before} {words} {after}", False
