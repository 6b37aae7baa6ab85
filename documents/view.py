"""What a template needs to show a document as its author laid it out.

`view(document)` yields one `ViewBlock` for each heading, paragraph, item, quote,
code or footnote, and one for each whole table. A template goes over them in order:

    {% for block in blocks %}
      kind 'heading':  <h{{ block.level }}> with block.marker ('4.2', mostly '') and
                       block.pieces
      kind 'table':    a row for each of block.rows, in <thead> where row.header,
                       a <th> or <td> for each of row.cells, with cell.columns as
                       colspan and cell.rows as rowspan, around cell.pieces
      all others:      a paragraph with block.pieces, set in by block.level lists;
                       block.marker ('(a)', '•') is not among the pieces

A `Piece` is a run of text that is to be one element: `piece.sentence` is the index
of its sentence, None between two sentences (a blank), in header cells, and in headings
but for one that says a rule itself. A sentence has one piece, or several where a
reference in it is an element of its own, and where a table row is one sentence in
several cells. `piece.targets` are indices of the sentences that a reference leads to.
A `piece.mark` is a footnote's number: it is shown raised and is not in the text, so
`start == end`.

Everything is plain text for the template to escape. `view(document, 40, 60)` yields
the blocks 40 to 59 only, for a page of one section; a table is cut there too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from documents.structure import Block, BlockKind, ReadDocument, Reference


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; `text` is `document.text[start:end]` but for a mark."""

    text: str
    start: int
    end: int
    sentence: int | None = None
    targets: tuple[int, ...] = ()
    reference: bool = False
    mark: bool = False


@dataclass(frozen=True, slots=True)
class ViewCell:
    """A cell of a table; `header` is true for one that names its row or columns."""

    pieces: tuple[Piece, ...]
    header: bool
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class ViewRow:
    """A row of a table; `sentence` is None where it is part of the table's header."""

    cells: tuple[ViewCell, ...]
    header: bool
    sentence: int | None


@dataclass(frozen=True, slots=True)
class ViewBlock:
    """A block to show; `kind` is a BlockKind's value, or 'table' with its `rows`.

    `[first, last)` are the sentences in it. `page` is 0 where there are no pages.
    """

    kind: str
    level: int
    marker: str
    page: int
    pieces: tuple[Piece, ...]
    rows: tuple[ViewRow, ...]
    first: int
    last: int


def view(document: ReadDocument, first: int = 0, last: int | None = None) -> Iterator[ViewBlock]:
    """The blocks `[first, last)` of a document as a template needs them, in order."""
    viewer = _Viewer(document)
    rows: list[tuple[int, Block]] = []
    for index, block in list(enumerate(document.blocks))[first:last]:
        is_row = block.kind is BlockKind.TABLE_ROW
        if rows and (not is_row or block.opens):
            yield viewer.table(rows)
            rows = []
        if is_row:
            rows.append((index, block))
        else:
            yield viewer.block(index, block)
    if rows:
        yield viewer.table(rows)


class _Viewer:
    """Finds the sentences and references of a block."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._owners = [sentence.block for sentence in document.sentences]
        self._references: dict[int, list[Reference]] = {}
        for reference in document.references:
            self._references.setdefault(reference.sentence, []).append(reference)

    def block(self, index: int, block: Block) -> ViewBlock:
        content = block.start + len(block.marker)
        pieces = tuple(self._pieces(index, content, block.end))
        kind = str(block.kind)
        return ViewBlock(
            kind, block.level, block.marker, block.page, pieces, (), *self._sentences(index, index)
        )

    def table(self, rows: list[tuple[int, Block]]) -> ViewBlock:
        shown = tuple(self._row(index, block) for index, block in rows)
        page = rows[0][1].page
        return ViewBlock("table", 0, "", page, (), shown, *self._sentences(rows[0][0], rows[-1][0]))

    def _row(self, index: int, block: Block) -> ViewRow:
        cells = tuple(
            ViewCell(
                tuple(self._pieces(index, cell.start, cell.end)),
                cell.header,
                cell.columns,
                cell.rows,
            )
            for cell in block.cells
        )
        first, last = self._sentences(index, index)
        return ViewRow(cells, block.level == 0, first if first < last else None)

    def _sentences(self, first: int, last: int) -> tuple[int, int]:
        return bisect_left(self._owners, first), bisect_right(self._owners, last)

    def _pieces(self, block: int, start: int, end: int) -> Iterator[Piece]:
        """The pieces of `[start, end)`, which lies in one block, without blanks at its start."""
        text = self._document.text
        at = start + len(text[start:end]) - len(text[start:end].lstrip())
        for index in range(*self._sentences(block, block)):
            sentence = self._document.sentences[index]
            left, right = max(sentence.start, at), min(sentence.end, end)
            if left >= right:
                continue
            if at < left:
                yield Piece(text[at:left], at, left)
            yield from self._sentence(index, left, right)
            at = right
        if at < end:
            yield Piece(text[at:end], at, end)

    def _sentence(self, index: int, start: int, end: int) -> Iterator[Piece]:
        text = self._document.text
        at = start
        for one in self._references.get(index, ()):
            if one.start < at or one.end > end:
                continue
            if at < one.start:
                yield Piece(text[at : one.start], at, one.start, index)
            words = one.label if one.start == one.end else text[one.start : one.end]
            yield Piece(
                words, one.start, one.end, index, one.targets, True, mark=one.start == one.end
            )
            at = one.end
        if at < end:
            yield Piece(text[at:end], at, end, index)
