"""Puts parts together into one document: text and offsets, context, numbers, sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from documents.errors import UnreadableError
from documents.hidden import find_hidden
from documents.numbering import heading_number, join_number
from documents.parts import Part, Reading
from documents.sentences import split_sentences
from documents.structure import Block, BlockKind, Heading, Note, ReadDocument, Sentence

# A document with more is refused: nobody reviews that many.
MAX_SENTENCES = 250_000

_CONNECTIVE = re.compile(r"(?:^|[\s;,])(and/or|and|or)[,;:]?$", re.IGNORECASE)
_FINISHED = ".;?!,"
_CLOSE = {BlockKind.ITEM, BlockKind.TABLE_ROW}


@dataclass(slots=True)
class _List:
    """A list while it is read: its lead-in, and how each of its items ended so far."""

    lead_in: str
    endings: list[str] = field(default_factory=list)

    def pair(self) -> tuple[str, ...]:
        found = _CONNECTIVE.search(self.endings[-2]) if len(self.endings) > 1 else None
        connective = found[1].lower() if found else ""
        return (self.lead_in, connective) if self.lead_in or connective else ()


@dataclass(slots=True)
class _Draft:
    """A sentence whose context is known only when its lists are closed."""

    start: int
    end: int
    headings: tuple[str, ...]
    lists: tuple[_List, ...]
    cells: tuple[str, ...]
    number: str
    block: int


def assemble(reading: Reading, abbreviations: Collection[str] = ()) -> ReadDocument:
    """Make the document of a reading.

    Raises UnreadableError where it holds no sentence or more than MAX_SENTENCES.
    """
    builder = _Builder(abbreviations)
    places: list[int] = []
    for part in _with_unmarked_items(reading.parts):
        places.append(builder.position)
        builder.add(part)
    if not builder.drafts:
        raise UnreadableError(
            "This file holds no sentence, only headings or signs; "
            "upload a file that holds the policy's text."
        )
    text = "".join(builder.pieces)
    notes = tuple(
        Note(remark.kind, place, place, remark.message)
        for remark in reading.remarks
        for place in [places[remark.part] if remark.part < len(places) else len(text)]
    )
    return ReadDocument(
        text=text,
        media_type=reading.media_type,
        title=reading.title,
        headings=tuple(builder.headings),
        blocks=tuple(builder.blocks),
        sentences=builder.sentences(),
        notes=notes + find_hidden(text),
    )


class _Builder:
    """Takes parts one by one and keeps what is open: headings, lists, the table's header."""

    def __init__(self, abbreviations: Collection[str]) -> None:
        self.abbreviations = abbreviations
        self.pieces: list[str] = []
        self.position = 0
        self.blocks: list[Block] = []
        self.headings: list[Heading] = []
        self.drafts: list[_Draft] = []
        self._path: list[Heading] = []
        self._titles: tuple[str, ...] = ()
        self._number = ""
        self._lists: tuple[_List, ...] = ()
        self._labels: list[str] = []
        self._header: tuple[str, ...] = ()
        self._last_sentence = ""

    def add(self, part: Part) -> None:
        if not (part.marker or any(map(str.isalnum, part.text))):
            return  # a ruled line, a row of dots: signs without a word
        if self.blocks:
            close = self.blocks[-1].kind == part.kind and part.kind in _CLOSE
            self._write("\n" if close else "\n\n")
        start = self.position
        self._write(part.marker)
        if part.marker and part.text:
            self._write(" ")
        content = self.position
        self._write(part.text)
        self._enter(part)
        self.blocks.append(Block(part.kind, start, self.position, part.level, part.marker))
        if part.kind is BlockKind.HEADING:
            self._add_heading(start, part)
        else:
            self._add_sentences(content, part)

    def sentences(self) -> tuple[Sentence, ...]:
        contexts: dict[tuple[int, ...], tuple[str, ...]] = {}
        return tuple(
            Sentence(d.start, d.end, d.headings, _context(d, contexts), d.number, d.block)
            for d in self.drafts
        )

    def _write(self, piece: str) -> None:
        self.pieces.append(piece)
        self.position += len(piece)

    def _enter(self, part: Part) -> None:
        """Close and open lists, and the table, for the part that comes now."""
        if part.kind is BlockKind.TABLE_ROW:
            if part.opens:
                self._header = ()
            return
        if part.kind is BlockKind.HEADING:
            self._lists, self._labels = (), []
            return
        is_item = part.kind is BlockKind.ITEM
        kept = min(part.level, len(self._lists))
        self._lists = self._lists[: min(kept, part.level - part.opens)]
        if not is_item:
            self._labels = self._labels[: part.level]
            return
        lead_in = self._last_sentence if self._leads(len(self._lists)) else ""
        while len(self._lists) < part.level:
            self._lists += (_List(lead_in),)
            lead_in = ""
        outer = part.level - len(part.labels)
        labels = [*self._labels[:outer], *[""] * (outer - len(self._labels)), *part.labels]
        for at, one in enumerate(self._lists):
            # '(a)(2)' after '(a)(1)' begins an item of the inner list only.
            if at == part.level - 1 or not one.endings or labels[at] != self._labels[at]:
                one.endings.append("")
        self._labels = labels

    def _leads(self, level: int) -> bool:
        """True where the block just before leads into a list that opens at `level`."""
        if not self.blocks or not self._last_sentence:
            return False
        before = self.blocks[-1]
        leads = before.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.QUOTE)
        return leads and before.level <= level and self._last_sentence[-1] not in _FINISHED

    def _add_heading(self, start: int, part: Part) -> None:
        title = " ".join(part.text.split())
        heading = Heading(part.level, start, self.position, title)
        self.headings.append(heading)
        while self._path and self._path[-1].level >= part.level:
            self._path.pop()
        self._path.append(heading)
        self._titles = tuple(one.title for one in self._path)
        self._number = heading_number(title)
        self._last_sentence = ""

    def _add_sentences(self, content: int, part: Part) -> None:
        if part.kind is BlockKind.TABLE_ROW and part.level == 0:
            self._header = tuple(part.text.split("\t"))
            self._last_sentence = ""
            return
        whole = part.kind in (BlockKind.TABLE_ROW, BlockKind.CODE)
        spans = _whole(part.text) if whole else split_sentences(part.text, self.abbreviations)
        cells = self._header if part.kind is BlockKind.TABLE_ROW else ()
        lists = () if part.kind is BlockKind.TABLE_ROW else self._lists
        number = join_number(self._number, self._labels)
        for start, end in spans:
            self.drafts.append(
                _Draft(
                    content + start,
                    content + end,
                    self._titles,
                    lists,
                    cells,
                    number,
                    len(self.blocks) - 1,
                )
            )
        if len(self.drafts) > MAX_SENTENCES:
            raise UnreadableError(
                f"This file holds more than {MAX_SENTENCES:,} sentences; "
                "split it into several documents."
            )
        last = part.text[slice(*spans[-1])] if spans else ""
        self._last_sentence = " ".join(last.split())
        for one in self._lists:
            one.endings[-1] = self._last_sentence[-12:]


def _whole(text: str) -> list[tuple[int, int]]:
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return [(start, end)] if start < end else []


def _context(draft: _Draft, known: dict[tuple[int, ...], tuple[str, ...]]) -> tuple[str, ...]:
    if draft.cells or not draft.lists:
        return draft.cells
    key = tuple(map(id, draft.lists))
    if key not in known:
        known[key] = tuple(word for one in draft.lists for word in one.pair())
    return known[key]


def _with_unmarked_items(parts: Sequence[Part]) -> list[Part]:
    """Make items of the paragraphs after '... as follows:' that end in ';' up to one that does not.

    Law is often printed so, its list markers lost.
    """
    result: list[Part] = []
    inside = False
    for part in parts:
        before = result[-1] if result else None
        loose = part.kind is BlockKind.PARAGRAPH
        ends_open = part.text.endswith((";", "; and", "; or", "; and/or"))
        opens = not inside and before is not None and before.text.endswith(":") and ends_open
        if loose and (inside or (opens and before and before.kind is not BlockKind.HEADING)):
            result.append(
                replace(
                    part, kind=BlockKind.ITEM, level=part.level + 1, labels=("",), opens=int(opens)
                )
            )
            inside = ends_open
        else:
            result.append(part)
            inside = False
    return result
