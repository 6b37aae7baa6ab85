"""Finds what a sentence leans on: clauses it refers to, defined terms, footnotes, 'Otherwise'."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from documents.numbering import heading_number
from documents.structure import BlockKind, ReadDocument, Reference
from documents.terms import find_definitions, find_uses

# A reference to more sentences than this leads to the first of them.
MAX_TARGETS = 40

# One to more than this is a place to look at, and no context to read with the sentence.
MAX_POINTED = 20

# How near two sentences, or two clauses with one number, are still looked at together.
_GAP = 4

GOES_ON = re.compile(
    r"(?:otherwise|in all other cases|in any other case|else|if not|failing (?:this|that|which))\b",
    re.IGNORECASE,
)

_NUMBER = (
    r"(?:\d{1,4}(?:[.\-–]\d{1,4})*[a-z]?\b(?:\(\w{1,5}\))*|[A-Z]-?\d{1,3}(?:\(\w{1,5}\))*"
    r"|(?:\(\w{1,5}\))+|[IVXLC]{1,6}\b|[A-Z]\b)"
)
# Parts that are numbered through a whole document, and parts that are numbered inside those.
_OUTER = (
    r"sections?|secs?\.|articles?|arts?\.|annex(?:es)?|appendix|appendices|schedules?|chapters?"
)
_INNER = r"sub-?clauses?|clauses?|sub-?paragraphs?|paragraphs?|paras?\.|sub-?sections?"
# Words that often stand before a number and refer to nothing.
_UNSURE = r"items?|points?|parts?|rules?|steps?|conditions?|nos?\."
_REFERENCE = re.compile(
    rf"(?<![\w.])(?:(?P<outer>(?i:{_OUTER})\s+|§§?\s?)|(?P<inner>(?i:{_INNER})\s+)"
    rf"|(?i:{_UNSURE})\s+)(?P<cited>(?:§§?\s?)?{_NUMBER}"
    rf"(?:\s*(?:,|and|or|to|through|[–-]|,\s*and|,\s*or)\s*(?:§§?\s*)?{_NUMBER})*)"
)
_EACH = re.compile(_NUMBER)
_RANGE = re.compile(r"\s*(?:to|through|[–-])\s*$")
# '... of the Act', '... of Directive 2004/38': a part of another text.
_OUTSIDE = re.compile(
    r"(?:\s*,)?\s+(?:of|to|in|under)\s+(?:the\s+|that\s+|Council\s+|Commission\s+)*"
    r"(?:(?:[A-Z][\w’'-]*\s+(?:(?:and|of|for|on|the)\s+)*){0,6}"
    r"(?:Act|Code|Law|Regulations?|Directive|Convention|Treaty|Constitution|Statute|Ordinance|U\.S\.C|"
    r"C\.?F\.?R|Title|EU|EEC|EC|Manual|Standard|RFC)\b|Title\s+\d|RFC\s?\d|\d+\s+(?:U\.S\.C|C\.?F\.?R)"
    r"|this\s+(?:[Tt]itle|[Cc]ode)\b)"
)
_CITED = re.compile(r"(?:U\.?\s?S\.?\s?C\.?|C\.?\s?F\.?\s?R\.?|RFC\s?\d+,?)\s*$")
_COMPONENT = re.compile(r"[^().\s]+")


def point(document: ReadDocument) -> ReadDocument:
    """The document with its definitions and references, and `pointed` of each sentence."""
    pointer = _Pointer(document)
    definitions = find_definitions(document)
    references = sorted(
        [*pointer.links(), *pointer.citations()], key=lambda one: (one.start, one.end)
    )
    pointed: dict[int, set[int]] = defaultdict(set)
    for reference in references:
        if len(reference.targets) <= MAX_POINTED:
            pointed[reference.sentence].update(reference.targets)
        for target in reference.targets if reference.label else ():
            pointed[target].add(reference.sentence)
    for index, definition in find_uses(document, definitions):
        pointed[index].update(pointer.with_items(definition.sentence))
    for index, before in pointer.otherwise():
        pointed[index].update(before)
    sentences = tuple(
        replace(sentence, pointed=tuple(sorted(pointed[index] - {index})))
        if index in pointed
        else sentence
        for index, sentence in enumerate(document.sentences)
    )
    return replace(
        document,
        sentences=sentences,
        definitions=definitions,
        references=tuple(references),
    )


class _Pointer:
    """Finds clauses by their numbers and blocks by their places."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._starts = [sentence.start for sentence in document.sentences]
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
        self._linked: set[int] = set()

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

    def links(self) -> Iterator[Reference]:
        """The author's own links and footnotes' marks."""
        for link in self._document.links:
            mark = link.start == link.end
            # A mark stands behind the words it belongs to.
            at = bisect_right(self._starts, link.start - int(mark)) - 1
            if at < 0 or link.end > self._document.sentences[at].end:
                continue
            targets = tuple(target for target in self._below(link.block) if target != at)
            if targets:
                self._linked.add(link.start)
                yield Reference(at, link.start, link.end, targets, link.label)

    def citations(self) -> Iterator[Reference]:
        """The words that refer to a clause: 'section 4.2', 'clauses (a) and (b)'."""
        text = self._document.text
        for index, sentence in enumerate(self._document.sentences):
            for found in _REFERENCE.finditer(text, sentence.start, sentence.end):
                start, end = found.span()
                before = text[max(sentence.start, start - 12) : start]
                outside = _OUTSIDE.match(text, end, sentence.end) or _CITED.search(before)
                linked = any(at in self._linked for at in range(start, end))
                if outside or linked:
                    continue
                cited, outer = found["cited"], found["outer"] is not None
                every = self._cited(index, cited, outer=outer)
                targets = tuple(target for target in every if target != index)
                sure = outer or found["inner"] is not None
                if targets or (sure and not every):
                    yield Reference(index, start, end, targets[:MAX_TARGETS])

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

    def otherwise(self) -> Iterator[tuple[int, list[int]]]:
        """Each sentence that begins with 'Otherwise', and the sentences that it follows."""
        text, blocks = self._document.text, self._document.blocks
        for index, sentence in enumerate(self._document.sentences):
            if not index or not GOES_ON.match(text, sentence.start, sentence.end):
                continue
            own, above = blocks[sentence.block], blocks[self._owners[index - 1]]
            first = index - 1
            if own is not above and above.level > own.level and above.kind is BlockKind.ITEM:
                while first and blocks[self._owners[first]].level > own.level:
                    first -= 1
            yield index, list(range(max(first, index - MAX_TARGETS), index))

    def _below(self, block: int) -> list[int]:
        """The sentences of a block; of a heading those under it."""
        first = bisect_left(self._owners, block)
        if block in self._ends:
            last = bisect_left(self._owners, self._ends[block])
        else:
            last = bisect_right(self._owners, block)
            if last == first + 1:
                return self.with_items(first)
        return list(range(first, min(last, first + MAX_TARGETS)))

    def _cited(self, index: int, cited: str, *, outer: bool) -> list[int]:
        targets: list[int] = []
        places = list(_EACH.finditer(cited))
        for number, place in enumerate(places):
            found = self._clause(index, _components(place[0]), outer=outer)
            first, dash, last = re.sub("–", "-", place[0]).partition("-")
            if not found and dash:  # '1-5' may be one number or five
                for end in (first, last):
                    found += self._clause(index, _components(end), outer=outer)
                found += self._between(index, first, last, outer=outer)
            targets += found
            between = (
                cited[place.end() : places[number + 1].start()] if number + 1 < len(places) else ""
            )
            if _RANGE.search(between):
                targets += self._between(index, place[0], places[number + 1][0], outer=outer)
        return sorted(set(targets))

    def _clause(self, index: int, key: tuple[str, ...], *, outer: bool) -> list[int]:
        """The sentences of a clause, as it is cited in the sentence at `index`.

        '(b)' is looked for beside the sentence's own clause, then ever further out;
        'Article 5' the other way round.
        """
        own = self._keys[index]
        depths = range(len(own), -1, -1)
        for depth in reversed(depths) if outer else depths:
            found = self._numbers.get((*own[:depth], *key))
            if found and key:
                return self._nearest(index, found)
        # An article whose sections count from 1 again has its number in its heading only.
        heading = self._headings.get(key) if key else None
        return [] if heading is None else self._below(heading)

    def _nearest(self, index: int, runs: list[list[int]]) -> list[int]:
        """Of clauses with the same number: one under the same heading, else the nearest."""
        at = bisect_right(runs, [index])
        near = runs[max(0, at - _GAP) : at + _GAP]
        sentences = self._document.sentences
        headings = sentences[index].headings
        same = [run for run in near if sentences[run[0]].headings == headings]
        best = min(same or near, key=lambda run: abs(run[0] - index))
        return best[:MAX_TARGETS]

    def _between(self, index: int, first: str, last: str, *, outer: bool) -> list[int]:
        """The clauses between two ends of a range that are both single numbers or letters."""
        left, right = _components(first)[-1:], _components(last)[-1:]
        if not left or not right:
            return []
        (one,), (other,) = left, right
        inside: list[str] = []
        if one.isdigit() and other.isdigit():
            inside = [str(n) for n in range(int(one) + 1, min(int(other), int(one) + MAX_TARGETS))]
        elif len(one) == len(other) == 1 and one.isalpha() and other.isalpha():
            inside = [chr(n) for n in range(ord(one) + 1, ord(other))]
        around = _components(first)[:-1]
        keys = [(*around, name) for name in inside]
        return [found for key in keys for found in self._clause(index, key, outer=outer)]


def _components(number: str) -> tuple[str, ...]:
    """'4.2(b)' as ('4', '2', 'b'), so that '4(2)(b)' is the same clause."""
    return tuple(_COMPONENT.findall(number))
