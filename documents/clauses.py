"""Finds the sentences of a clause by its number, as it is cited from some other sentence."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict

from documents.numbering import heading_number
from documents.structure import BlockKind, ReadDocument

# A reference to more sentences than this leads to the first of them.
MAX_TARGETS = 40

# How near two sentences, or two clauses with one number, are still looked at together.
_GAP = 4

NUMBER = (
    r"(?:\d{1,4}(?:[.\-–]\d{1,4})*[a-z]?\b(?:\(\w{1,5}\))*|[A-Z]-?\d{1,3}(?:\(\w{1,5}\))*"
    r"|(?:\(\w{1,5}\))+|[IVXLC]{1,6}\b|[A-Z]\b)"
)
_EACH = re.compile(NUMBER)
_TWO = re.compile(r"(\d{1,2})[-–](\d{1,2})")
_RANGE = re.compile(r"\s*(?:to|through|[–-])\s*$")
_COMPONENT = re.compile(r"[^().\s]+")


class Clauses:
    """The numbered clauses, headings and lists of a document."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._owners = [sentence.block for sentence in document.sentences]
        self._keys = [_components(sentence.number) for sentence in document.sentences]
        # For each number the runs of sentences that have it, or one that begins with it.
        self._numbers: dict[tuple[str, ...], list[list[int]]] = defaultdict(list)
        for index, key in enumerate(self._keys):
            for length in range(1, len(key) + 1):
                self._add_to_runs(self._numbers[key[:length]], index)
        self._headings: dict[tuple[str, ...], int] = {}
        self._ends: dict[int, int] = {}
        self._read_headings()

    def cited(self, index: int, words: str, *, outer: bool, within: str = "") -> list[int]:
        """The sentences that the numbers in `words` mean where the sentence at `index` says them.

        `outer` for parts that are numbered through a whole document ('Article 5');
        `within` is the number of the part that they are said to be of.
        """
        around = _components(within)
        targets: list[int] = []
        places = list(_EACH.finditer(words))
        for number, place in enumerate(places):
            found = self._clause(index, _components(place[0]), around, outer=outer)
            ends = _TWO.fullmatch(place[0])
            if not found and ends:  # '1-5' may be one number or five
                first, last = (ends[1],), (ends[2],)
                for key in (first, *_between(first, last), last):
                    found += self._clause(index, key, around, outer=outer)
            targets += found
            if number + 1 < len(places):
                after = places[number + 1]
                if _RANGE.search(words[place.end() : after.start()]):
                    for key in _between(_components(place[0]), _components(after[0])):
                        targets += self._clause(index, key, around, outer=outer)
        return sorted(set(targets))

    def with_items(self, index: int) -> list[int]:
        """A sentence, and the items of the list that it leads into."""
        block = self._owners[index]
        level = self._document.blocks[block].level
        last = bisect_right(self._owners, block)
        end = last
        while end < len(self._owners) and end - index < MAX_TARGETS:
            below = self._document.blocks[self._owners[end]]
            if below.kind is not BlockKind.ITEM or below.level <= level:
                break
            end += 1
        return [index, *range(last, end)] if last == index + 1 else [index]

    def below(self, block: int) -> list[int]:
        """The sentences of a block; of a heading those under it."""
        first = bisect_left(self._owners, block)
        if block in self._ends:
            last = bisect_left(self._owners, self._ends[block])
        else:
            last = bisect_right(self._owners, block)
            if last == first + 1:
                return self.with_items(first)
        return list(range(first, min(last, first + MAX_TARGETS)))

    def _clause(
        self, index: int, key: tuple[str, ...], around: tuple[str, ...], *, outer: bool
    ) -> list[int]:
        """'(b)' is looked for beside the sentence's own clause, then ever further out.

        'Article 5' the other way round; and 'paragraph 2 of Article 5' there only.
        """
        if not key:
            return []
        if around:
            return self._inside(index, key, around)
        own = self._keys[index]
        depths = range(len(own), -1, -1)
        for depth in reversed(depths) if outer else depths:
            found = self._numbers.get((*own[:depth], *key))
            if found:
                return self._nearest(index, found)
        # An article whose sections count from 1 again has its number in its heading only.
        heading = self._headings.get(key)
        return [] if heading is None else self.below(heading)

    def _inside(self, index: int, key: tuple[str, ...], around: tuple[str, ...]) -> list[int]:
        found = self._numbers.get((*around, *key))
        if found:
            return self._nearest(index, found)
        heading = self._headings.get(around)
        if heading is None:
            return []
        first = bisect_left(self._owners, heading)
        last = bisect_left(self._owners, self._ends[heading])
        runs = self._numbers.get(key, [])
        at = bisect_left(runs, [first])
        return runs[at][:MAX_TARGETS] if at < len(runs) and runs[at][0] < last else []

    def _nearest(self, index: int, runs: list[list[int]]) -> list[int]:
        """Of clauses with the same number: one under the same heading, else the nearest."""
        at = bisect_right(runs, [index])
        near = runs[max(0, at - _GAP) : at + _GAP]
        sentences = self._document.sentences
        headings = sentences[index].headings
        same = [run for run in near if sentences[run[0]].headings == headings]
        best = min(same or near, key=lambda run: abs(run[0] - index))
        return best[:MAX_TARGETS]

    def _add_to_runs(self, runs: list[list[int]], index: int) -> None:
        sentences = self._document.sentences
        # A footnote or two between two sentences of a clause do not cut it.
        near = runs and index - runs[-1][-1] <= _GAP
        if near and sentences[runs[-1][-1]].headings[:1] == sentences[index].headings[:1]:
            runs[-1].append(index)
        else:
            runs.append([index])

    def _read_headings(self) -> None:
        """Find each heading's number, and the block where what it stands over ends."""
        document = self._document
        open_headings: list[int] = []
        for place, block in enumerate(document.blocks):
            if block.kind is not BlockKind.HEADING:
                continue
            title = " ".join(document.text[block.start : block.end].split())
            self._headings.setdefault(_components(heading_number(title)), place)
            while open_headings and document.blocks[open_headings[-1]].level >= block.level:
                self._ends[open_headings.pop()] = place
            open_headings.append(place)
        self._ends |= dict.fromkeys(open_headings, len(document.blocks))


def _between(first: tuple[str, ...], last: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The numbers between two ends of a range that are both single numbers or letters."""
    if not first or not last:
        return []
    one, other = first[-1], last[-1]
    inside: list[str] = []
    if one.isdecimal() and other.isdecimal():
        inside = [str(n) for n in range(int(one) + 1, min(int(other), int(one) + MAX_TARGETS))]
    elif len(one) == len(other) == 1 and one.isalpha() and other.isalpha():
        inside = [chr(n) for n in range(ord(one) + 1, min(ord(other), ord(one) + MAX_TARGETS))]
    return [(*first[:-1], name) for name in inside]


def _components(number: str) -> tuple[str, ...]:
    """'4.2(b)' as ('4', '2', 'b'), so that '4(2)(b)' is the same clause."""
    return tuple(_COMPONENT.findall(number))
