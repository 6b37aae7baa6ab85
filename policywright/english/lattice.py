"""Every way to take a text apart into phrases, constants and words of the templates.

Where phrases overlap there is more than one way, and all of them are kept: a
clause may hold `and`, and a value may begin with `not`. What leads to no end is
cut off. Names and phrases in quotation marks are always one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from policywright.english.folding import Folded, fold_words
from policywright.english.phrasebook import Entry, Phrasebook
from policywright.english.places import Word
from policywright.english.rule_lines import CLOSE, NEXT, OPEN, run_together
from policywright.english.templates import HEADS, TEMPLATES
from policywright.terms import Term

if TYPE_CHECKING:
    from policywright.english.quantities import Quantity

_CLOSERS = {'"': '"', "“": "”", "„": "“”", "«": "»"}
_PAUSES = frozenset({";", ",", "."})
# No constant is without a digit or a number word; this finds more than those.
_COUNTS = re.compile(
    r"\d|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|ty", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RuleToken:
    """A piece of a text; `start` and `end` are code points of the text that was given.

    `terms` is what a phrase stands for; a value may be one of several lists.
    """

    type: str
    text: str
    start: int
    end: int
    terms: tuple[Term, ...] = ()
    quantity: Quantity | None = None

    @property
    def word(self) -> Word:
        return Word(self.start, self.end, self.text)

    @property
    def is_doubtful(self) -> bool:
        """Whether it is said of several values of one list."""
        return len({term.sort for term in self.terms}) < len(self.terms)

    @property
    def shows_point(self) -> bool:
        return "." in self.text


Edge = tuple[RuleToken | None, int]
"""A token, or None for a pause that means nothing, and the place behind it."""


def is_doubtful(edges: Sequence[Edge]) -> bool:
    """Whether a text can go on in several ways at a place."""
    token = edges[0][0]
    return len(edges) > 1 or (token is not None and token.is_doubtful)


class Lattice:
    """The tokens of a text between its words: place 0 is before the first, the last behind all."""

    def __init__(self, text: str, book: Phrasebook) -> None:
        self.given = text
        self.book = book
        self.running = run_together(text)
        self.words: list[Folded] = fold_words(self.running.text)
        self.ends = {word.end: index + 1 for index, word in enumerate(self.words)}
        self.last = len(self.words)
        self.misspelled: dict[int, str] = {}
        self._edges: dict[int, list[Edge]] = {}

    def edges(self, place: int) -> list[Edge]:
        """What may begin at a place, whether or not it leads to the end."""
        if place not in self._edges:
            self._edges[place] = list(self._find(place))
        return self._edges[place]

    def marks(self, place: int) -> list[RuleToken]:
        """OPEN, NEXT and CLOSE in front of the word at a place."""
        at = self.words[place].start if place < self.last else len(self.running.text)
        origin = self._origin(at)
        return [RuleToken(mark, "", origin, origin) for mark in self.running.marks.get(at, ())]

    @cached_property
    def useful(self) -> dict[int, list[Edge]]:
        """The edges that lie on a way from the first place to the last; empty if there is none."""
        reached = {0}
        for place in range(self.last):
            if place in reached:
                reached.update(end for _, end in self.edges(place))
        if self.last not in reached:
            return {}
        leads = {self.last}
        found: dict[int, list[Edge]] = {}
        for place in range(self.last - 1, -1, -1):
            if place not in reached:
                continue
            kept = [edge for edge in self.edges(place) if edge[1] in leads]
            if kept:
                leads.add(place)
                found[place] = kept
        return found

    @property
    def branches(self) -> bool:
        """Whether there is more than one way, or a phrase is said of several things."""
        return any(is_doubtful(edges) for edges in self.useful.values())

    def unknown(self) -> list[Word]:
        """The fewest words without which the rest can be taken apart, neighbours joined."""
        skipped = self._fewest_skipped()
        groups: list[list[int]] = []
        for index in skipped:
            if groups and all(self.words[i].key == "of" for i in range(groups[-1][-1] + 1, index)):
                groups[-1].append(index)
            else:
                groups.append([index])
        return [self.span(group[0], group[-1] + 1) for group in groups]

    def misspelled_word(self) -> tuple[Word, str] | None:
        """The first number or date that can be read in no way, or in two, and why."""
        if not self.misspelled:
            return None
        from policywright.english.rule_literals import spelled_until

        place, reason = next(iter(self.misspelled.items()))
        at = self.words[place].start
        start, end = self._origin(at), self._origin_end(spelled_until(self.running.text, at))
        return Word(start, end, self.given[start:end]), reason

    def span(self, first: int, behind: int) -> Word:
        """The words `[first, behind)` as they stand in the text given."""
        start = self._origin(self.words[first].start)
        end = self._origin_end(self.words[behind - 1].end)
        return Word(start, end, self.given[start:end])

    def _fewest_skipped(self) -> list[int]:
        """Indices of words; fewer first, then fewer pieces, then the longest first piece."""
        best: list[tuple[int, int]] = [(0, 0)] * (self.last + 1)
        step: list[tuple[bool, int]] = [(True, place + 1) for place in range(self.last + 1)]
        for place in range(self.last - 1, -1, -1):
            skipped, pieces = best[place + 1]
            best[place] = (skipped + 1, pieces)
            for _, end in self.edges(place):
                cost = (best[end][0], best[end][1] + 1)
                if cost < best[place]:
                    best[place], step[place] = cost, (False, end)
        found, place = [], 0
        while place < self.last:
            skips, end = step[place]
            if skips:
                found.append(place)
            place = end
        return found

    def _find(self, place: int) -> Iterator[Edge]:
        word = self.words[place]
        if word.key in _PAUSES and self._is_pause(place):
            yield None, place + 1
        if word.key == ":" and OPEN in self._marks_behind(place):
            yield None, place + 1
        if self.running.text[word.start] in _CLOSERS:
            yield from self._quoted(place)
        yield from self._phrases(place)
        if self._counts:
            yield from self._literals(place)

    @cached_property
    def _counts(self) -> bool:
        return bool(_COUNTS.search(self.running.text))

    def _literals(self, place: int) -> Iterator[Edge]:
        # Their patterns take their time to be made, and many sentences have no constant.
        from policywright.english.quantities import NumberSpellingError
        from policywright.english.rule_literals import literals

        try:
            for quantity, stop in literals(self.running.text, self.words[place].start, self.book):
                behind = self.ends.get(stop)
                if behind is not None and not self._crosses_mark(place, behind):
                    type_ = "PERCENT" if quantity.kind == "PERCENT" else "LITERAL"
                    yield self._piece(type_, place, behind, (), quantity), behind
        except NumberSpellingError as error:
            self.misspelled[place] = str(error)

    def _phrases(self, place: int) -> Iterator[Edge]:
        """Phrases and words of the templates; of the latter mostly the longest alone."""
        found: list[tuple[RuleToken, int]] = []
        for end, entries in self.book.matches(self.words, place):
            if self._crosses_mark(place, end):
                break
            for type_ in dict.fromkeys(entry.type for entry in entries):
                if not self._is_elsewhere(type_, place, end):
                    found += [(token, end) for token in self._tokens(type_, place, end, entries)]
        longest = max((end for token, end in found if token.type in TEMPLATES), default=0)
        for token, end in found:
            if token.type not in TEMPLATES or end == longest or self._phrase_follows(end):
                yield token, end

    def _phrase_follows(self, place: int) -> bool:
        """Whether a phrase of the model, a name in quotes or a number begins at a place."""
        if place == self.last or self.running.text[self.words[place].start] in _CLOSERS:
            return place < self.last
        if any(entry.terms for _, found in self.book.matches(self.words, place) for entry in found):
            return True
        return self.running.text[self.words[place].start].isdigit()

    def _quoted(self, place: int) -> Iterator[Edge]:
        text, start = self.running.text, self.words[place].start
        closers = _CLOSERS[text[start]]
        stop = _closing(text, start + 1, closers)
        if stop < 0:
            return
        entries = self.book.find_quoted(text[start + 1 : stop])
        if text[stop + 1 : stop + 6] == f" of {text[start]}":
            # A value is named with its list: `"low" of "Season"`.
            longer = _closing(text, stop + 6, closers)
            named = f'{text[start + 1 : stop]}" of "{text[stop + 6 : longer]}'
            if longer > 0 and named in self.book.named:
                entries, stop = self.book.named[named], longer
        behind = self.ends.get(stop + 1)
        if behind is None or self._crosses_mark(place, behind):
            return
        for type_ in dict.fromkeys(entry.type for entry in entries):
            for token in self._tokens(type_, place, behind, entries):
                yield token, behind

    def _tokens(
        self, type_: str, place: int, end: int, entries: Sequence[Entry]
    ) -> list[RuleToken]:
        """A token for each thing that a phrase is said of; of values one, told apart later."""
        terms = [term for entry in entries if entry.type == type_ for term in entry.terms]
        if type_ in ("AND", "OR") and NEXT in self._marks_behind(end - 1)[:1]:
            type_ += "NEXT"
        chosen = tuple(dict.fromkeys(terms))
        if type_ == "VALUE" or not chosen:
            return [self._piece(type_, place, end, chosen)]
        return [self._piece(type_, place, end, (term,)) for term in chosen]

    def _piece(
        self,
        type_: str,
        place: int,
        end: int,
        terms: tuple[Term, ...],
        quantity: Quantity | None = None,
    ) -> RuleToken:
        start, stop = self.words[place].start, self.words[end - 1].end
        text = self.running.text[start:stop]
        return RuleToken(type_, text, self._origin(start), self._origin_end(stop), terms, quantity)

    def _is_pause(self, place: int) -> bool:
        """Punctuation at the end of the text or of an item of a list; a comma behind a list."""
        behind = self._marks_behind(place)
        if place + 1 == self.last or behind[:1] in ([NEXT], [CLOSE]):
            return True
        joint = self.words[place].key == ";" and self.words[place + 1].key in ("and", "or")
        return joint and self._marks_behind(place + 1)[:1] == [NEXT]

    def _marks_behind(self, place: int) -> list[str]:
        at = self.words[place + 1].start if place + 1 < self.last else len(self.running.text)
        return self.running.marks.get(at, [])

    def _crosses_mark(self, place: int, end: int) -> bool:
        marks = self.running.marks
        return bool(marks) and any(self.words[i].start in marks for i in range(place + 1, end))

    def _is_elsewhere(self, type_: str, place: int, end: int) -> bool:
        """Whether a word of the templates means something else, or nothing, where it stands."""
        if type_ == "COMMA":
            return self._is_pause(place)
        return self._is_sign_of_number(type_, place) or self._lacks_list(type_, end)

    def _is_sign_of_number(self, type_: str, place: int) -> bool:
        """Whether `-` belongs to a number (`-5`), or `/` to a fraction (`1/3`)."""
        text, start = self.running.text, self.words[place].start
        if type_ not in ("MINUS", "DIVIDED", "PLUS") or text[start].isalpha():
            return False
        if not text[start + 1 : start + 2].isdigit():
            return False
        before = text[start - 1 : start]
        return before in ("", " ", "(") if type_ != "DIVIDED" else before.isdigit()

    def _lacks_list(self, type_: str, end: int) -> bool:
        """The head of a list stands in front of one."""
        if type_ not in HEADS:
            return False
        behind = end + 1 if end < self.last and self.words[end].key == ":" else end
        at = self.words[behind].start if behind < self.last else len(self.running.text)
        return OPEN not in self.running.marks.get(at, ())

    def _origin(self, position: int) -> int:
        origin = self.running.origin
        return origin[position] if position < len(origin) else len(self.given)

    def _origin_end(self, position: int) -> int:
        return self.running.origin[position - 1] + 1 if position else 0


def _closing(text: str, start: int, closers: str) -> int:
    found = [at for sign in closers if (at := text.find(sign, start)) >= 0]
    return min(found, default=-1)
