"""Collects the words of one paragraph while its markup is walked over, with the links in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.decoding import MANY_MARKS
from documents.parts import CellPart, LinkPart, Part
from documents.structure import BlockKind

_BLANKS = re.compile(r"[ \t\n\r\f]+")


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph's text without blanks around it, and the links in it."""

    text: str
    links: tuple[LinkPart, ...]


@dataclass(frozen=True, slots=True)
class CellWords:
    """The words of a table's cell, whether it names a row or column, and how many it covers."""

    words: Words
    header: bool
    columns: int
    rows: int


class Flow:
    """A paragraph that is being written. Blanks are collapsed as they come, so places hold."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._links: list[LinkPart] = []
        self._length = 0
        self._blank = ""

    @property
    def position(self) -> int:
        """Where the next word will begin."""
        return self._length + len(self._blank)

    @property
    def text(self) -> str:
        """What was written so far."""
        return "".join(self._pieces)

    def write(self, text: str) -> None:
        """Add text; blanks are collapsed, also with those before, and accents are composed."""
        for number, word in enumerate(_BLANKS.split(_composed(text))):
            if number and self._length and not self._blank:
                self._blank = " "
            if word:
                self._put(self._blank + word)
                self._blank = ""

    def break_line(self) -> None:
        """Begin a new line; several in a row are one."""
        if self._length:
            self._blank = "\n"

    def link(self, start: int, target: str) -> None:
        """What was written since `start` leads to `target`."""
        if start < self._length:
            self._links.append(LinkPart(start, self._length, target))

    def mark(self, target: str, label: str) -> None:
        """A footnote's mark stands here; it leads to `target` and is not text."""
        self._links.append(LinkPart(self._length, self._length, target, label))

    def take(self) -> Words:
        """What was written; the next paragraph begins."""
        words = Words("".join(self._pieces), tuple(self._links))
        self._pieces, self._links, self._length, self._blank = [], [], 0, ""
        return words

    def _put(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)


def _composed(text: str) -> str:
    """The text in Unicode NFC, as `documents.decoding` makes it, unless that would take long."""
    if text.isascii() or MANY_MARKS.search(text):
        return text
    return unicodedata.normalize("NFC", text)


def linked_row(cells: Sequence[CellWords], *, header: bool, opens: bool) -> Part:
    """A table row with the links in it; blanks inside a cell are collapsed, as in `row_part`."""
    texts: list[str] = []
    links: list[LinkPart] = []
    at = 0
    for cell in cells:
        words = _collapsed(cell.words)
        links += [replace(link, start=at + link.start, end=at + link.end) for link in words.links]
        texts.append(words.text)
        at += len(words.text) + 1
    return Part(
        BlockKind.TABLE_ROW,
        "\t".join(texts),
        level=0 if header else 1,
        opens=int(opens),
        cells=tuple(
            CellPart(len(text), cell.header, cell.columns, cell.rows)
            for text, cell in zip(texts, cells, strict=True)
        ),
        links=tuple(links),
    )


def _collapsed(words: Words) -> Words:
    """The words with each run of blanks, also of no-break spaces, as one."""
    text = " ".join(words.text.split())
    if text == words.text or not words.links:
        return replace(words, text=text)
    places: list[int] = []
    size = 0
    blank = False
    for character in words.text:
        if character.isspace():
            places.append(size)
            blank = size > 0
        else:
            size += blank
            places.append(size)
            size += 1
            blank = False
    places.append(size)
    links = (replace(one, start=places[one.start], end=places[one.end]) for one in words.links)
    return Words(text, tuple(links))


def spread_links(parts: Sequence[Part], words: Words) -> list[Part]:
    """Give each of `parts` the links in it; their markers and texts are `words`, cut up.

    The parts may have lost or changed blanks, so places are found by counting
    the characters that are none.
    """
    if not words.links:
        return list(parts)
    counts = [0]
    for character in words.text:
        counts.append(counts[-1] + (not character.isspace()))
    result: list[Part] = []
    done = 0
    for part in parts:
        marker = sum(not character.isspace() for character in part.marker)
        first = done + marker
        inside = [at for at, character in enumerate(part.text) if not character.isspace()]
        last = first + len(inside)
        links = []
        for link in words.links:
            start, end = counts[link.start], counts[link.end]
            if start == end and first < start <= last:
                place = inside[start - 1 - first] + 1
                links.append(replace(link, start=place, end=place))
            elif start < end and first <= start and end <= last:
                left, right = inside[start - first], inside[end - 1 - first] + 1
                links.append(replace(link, start=left, end=right))
        result.append(replace(part, links=tuple(links)) if links else part)
        done = last
    return result
