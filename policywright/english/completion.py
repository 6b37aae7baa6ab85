"""What may come next while somebody writes a rule: phrases, values, words of the templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from policywright.english.folding import ARTICLE, ARTICLES, Folded, fold_words
from policywright.english.lattice import Lattice, RuleToken
from policywright.english.phrasebook import Entry, Phrasebook, phrasebook
from policywright.english.rule_parser import expected
from policywright.english.templates import RELATIONS
from policywright.model import PolicyModel
from policywright.sorts import Sort

Fits: TypeAlias = Callable[[Entry], bool]
MAX_SHOWN = 20
MAX_LOOKED_AT = 2_000
"""Characters before the caret that are read; what stands further back is not looked at."""
MAX_PHRASE_WORDS = 16


def completions(text: str, caret: int, model: PolicyModel) -> tuple[str, ...]:
    """What the words before the caret may go on with, whole phrases, at most `MAX_SHOWN`.

    The longest phrase that has been begun comes first. Only what the grammar allows
    there is given, where the text so far can be read; behind 'the destination is'
    only what may be compared with it.
    """
    before = text[:caret]
    if len(before) > MAX_LOOKED_AT:
        before = before[-MAX_LOOKED_AT:].partition(" ")[2]
    book = phrasebook(model)
    words = fold_words(before)
    is_open = bool(words) and not before[-1:].isspace()
    starts = [*range(max(0, len(words) - MAX_PHRASE_WORDS), len(words))]
    if not is_open:
        # Behind a whole phrase something new begins, sooner than that the phrase goes on.
        fresh_first = _fitting(before, book) is not None
        starts = [len(words), *starts] if fresh_first else [*starts, len(words)]
    found: dict[str, None] = {}
    for start in starts:
        begun = words[start:]
        fits = _fitting(before[: begun[0].start] if begun else before, book)
        for entry in _going_on(book, begun, is_open, fits or _any):
            found[entry.text] = None
            if len(found) >= MAX_SHOWN:
                return tuple(found)
    return tuple(found)


def _any(entry: Entry) -> bool:
    return True


def _fitting(before: str, book: Phrasebook) -> Fits | None:
    """Which entries may follow; None where the words before cannot be read."""
    lattice = Lattice(before, book)
    tokens: list[RuleToken] = []
    place = 0
    while place < lattice.last:
        edges = lattice.useful.get(place)
        if not edges:
            return None
        tokens += lattice.marks(place)
        token, place = max(edges, key=lambda edge: edge[1])
        tokens += [token] if token else []
    kinds = expected(tokens)
    if not kinds:
        return None
    sort = _compared(tokens)

    def fits(entry: Entry) -> bool:
        if entry.type not in kinds:
            return False
        return sort is None or not entry.terms or _comparable(entry.terms[0].sort, sort)

    return fits


def _compared(tokens: list[RuleToken]) -> Sort | None:
    """The sort of what the text ends in comparing; None where it does not."""
    if len(tokens) < 2 or tokens[-1].type not in RELATIONS or tokens[-2].type != "NUMBER":
        return None
    return tokens[-2].terms[0].sort


def _comparable(one: Sort, other: Sort) -> bool:
    return one == other or (one.is_number and other.is_number)


def _going_on(book: Phrasebook, begun: list[Folded], is_open: bool, fits: Fits) -> list[Entry]:
    """The phrases that begin with some words, of which the last may be half written."""
    whole = begun[:-1] if is_open else begun
    node = book.root
    for word in whole:
        below = node.below.get(ARTICLE if word.key in ARTICLES else word.key)
        if below is None:
            return []
        node = below
    nodes = list(node.below.values()) if begun else [node]
    if is_open:
        half = begun[-1].key
        nodes = [below for key, below in node.below.items() if key.startswith(half)]

    def accepts(entry: Entry) -> bool:
        return entry.shown and fits(entry)

    found = [entry for node in nodes for entry in node.all_below(accepts, MAX_SHOWN)]
    return sorted(found, key=lambda entry: not entry.terms)
