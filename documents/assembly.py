"""Puts the parts of a reading into one text, with the place of each block, link and note."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from documents.dividing import divide
from documents.errors import UnreadableError
from documents.hidden import find_hidden
from documents.parts import CellPart, Part, Reading
from documents.structure import Block, BlockKind, Cell, Edit, Link, Note, ReadDocument

_CLOSE = {BlockKind.ITEM, BlockKind.TABLE_ROW}


def assemble(
    reading: Reading, abbreviations: Collection[str] = (), edits: Sequence[Edit] = ()
) -> ReadDocument:
    """Make the document of a reading.

    Raises UnreadableError where it holds no sentence or too many, and EditError
    for an edit that fits nowhere.
    """
    layout = _Layout()
    for part in _with_unmarked_items(reading.parts):
        layout.add(part)
    text = "".join(layout.pieces)
    notes = tuple(
        Note(remark.kind, place, place, remark.message)
        for remark in reading.remarks
        for place in [layout.places[remark.part] if remark.part < len(layout.places) else len(text)]
    )
    document = ReadDocument(
        text=text,
        media_type=reading.media_type,
        title=reading.title,
        headings=(),
        blocks=tuple(layout.blocks),
        sentences=(),
        notes=notes + find_hidden(text),
        links=tuple(layout.links()),
        choices=reading.choices,
    )
    divided = divide(document, edits, abbreviations)
    if not divided.sentences:
        raise UnreadableError(
            "This file holds no sentence, only headings or signs; "
            "upload a file that holds the policy's text."
        )
    return divided


class _Layout:
    """Takes parts one by one and gives each its place."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.blocks: list[Block] = []
        self.places: list[int] = []
        self._position = 0
        self._anchors: dict[str, int] = {}
        self._links: list[tuple[int, int, str, str]] = []

    def add(self, part: Part) -> None:
        self.places.append(self._position)
        for anchor in part.anchors:
            # An anchor of a part without a word leads to the next block.
            self._anchors.setdefault(anchor, len(self.blocks))
        if not (part.marker or any(map(str.isalnum, part.text))):
            return  # a ruled line, a row of dots: signs without a word
        if self.blocks:
            close = self.blocks[-1].kind == part.kind and part.kind in _CLOSE
            self._write("\n" if close else "\n\n")
        start = self._position
        self._write(part.marker)
        if part.marker and part.text:
            self._write(" ")
        content = self._position
        self._write(part.text)
        self._links += [
            (content + link.start, content + link.end, link.target, link.label)
            for link in part.links
        ]
        self.blocks.append(
            Block(
                kind=part.kind,
                start=start,
                end=self._position,
                level=part.level,
                marker=part.marker,
                page=part.page,
                cells=tuple(_cells(part.cells, content)),
                breaks=tuple(content + at for at in part.breaks),
                labels=part.labels,
                opens=part.opens,
            )
        )

    def links(self) -> Iterator[Link]:
        """The links whose target is in the document."""
        for start, end, target, label in self._links:
            block = self._anchors.get(target)
            if block is not None and block < len(self.blocks):
                yield Link(start, end, block, label)

    def _write(self, piece: str) -> None:
        self.pieces.append(piece)
        self._position += len(piece)


def _cells(cells: Sequence[CellPart], start: int) -> Iterator[Cell]:
    for cell in cells:
        yield Cell(start, start + cell.length, cell.header, cell.columns, cell.rows)
        start += cell.length + 1


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
