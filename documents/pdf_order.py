"""Puts what stands on a page in reading order: columns, and tables that have no lines.

Columns and a table without lines look alike; what tells them apart is that lines
of a column go on below, in the middle of a sentence. Where in doubt rows are read
as they stand, and a remark says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import mean, median

from documents.numbering import find_markers
from documents.pdf_layout import Line, Table, TableCell, make_line, make_rows
from documents.pdf_runs import APART, Run

# Dots that lead to a page number at the end of a line.
_CONTENTS_ENTRY = re.compile(r"(?:[.·…_]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,6})$")

# As many rows make a column, or a table without lines.
_LEAST_ROWS = 3


@dataclass(slots=True)
class Order:
    """What stands on a page in reading order, and whether its columns are in doubt."""

    items: list[Line | Table] = field(default_factory=list)
    columns: int = 1
    doubtful: bool = False


@dataclass(slots=True)
class _Piece:
    """Runs of one row with no wide gap between them."""

    runs: list[Run]

    @property
    def left(self) -> float:
        return min(run.left for run in self.runs)

    @property
    def right(self) -> float:
        return max(run.right for run in self.runs)


def _pieces(row: Sequence[Run]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for run in row:
        if pieces and run.left - pieces[-1].right < APART * run.size:
            pieces[-1].runs.append(run)
        elif pieces and _is_marker(pieces[-1]):
            pieces[-1].runs.append(run)  # a list marker and its text are one
        else:
            pieces.append(_Piece([run]))
    return pieces


def _is_marker(piece: _Piece) -> bool:
    text = " ".join("".join(run.text for run in piece.runs).split())
    markers, end = find_markers(text)
    return bool(markers and end >= len(text)) or bool(re.fullmatch(r"\d+(?:\.\d+)+|[o•QA:]+", text))


def take_contents(items: Sequence[Line | Table]) -> tuple[list[Line | Table], bool]:
    """The items without the lines of a table of contents, and whether there were any."""
    entries = [
        item for item in items if isinstance(item, Line) and _CONTENTS_ENTRY.search(item.text)
    ]
    if len(entries) < _LEAST_ROWS:
        return list(items), False
    gone = set(map(id, entries))
    return [item for item in items if id(item) not in gone], True


def read_order(runs: Sequence[Run], tables: Sequence[Table], page: int) -> Order:
    """The lines and tables of a page in reading order; `runs` hold none of the tables' words."""
    order = Order()
    edges = _edges(runs)
    stops = sorted((table.top for table in tables), reverse=True)
    blocks: list[list[Run]] = [[] for _ in range(len(stops) + 1)]
    for run in runs:
        blocks[sum(run.baseline < stop for stop in stops)].append(run)
    by_top = sorted(tables, key=lambda table: -table.top)
    for at, block in enumerate(blocks):
        if at:
            order.items.append(by_top[at - 1])
        _read_block(block, page, edges, order, depth=0)
    return order


def _edges(runs: Sequence[Run]) -> tuple[float, float]:
    if not runs:
        return 0.0, 0.0
    return min(run.left for run in runs), max(run.right for run in runs)


def _read_block(
    runs: Sequence[Run], page: int, edges: tuple[float, float], order: Order, depth: int
) -> None:
    rows = make_rows(runs)
    pieces = [_pieces(row) for row in rows]
    at = 0
    while band := _find_band(pieces, at):
        start, end, gutter = band
        for number in range(at, start):
            order.items.append(make_line(rows[number], page, edges))
        inside = pieces[start:end]
        sides = _sides(inside, gutter)
        if depth < 3 and _are_columns(sides):
            order.columns = max(order.columns, depth + 2)
            for side in sides:
                _read_block(side, page, _edges(side), order, depth + 1)
        elif cells := _tabular(inside):
            _add_tabular(cells, inside, page, edges, order)
        else:
            order.doubtful = True
            for number in range(start, end):
                order.items.append(make_line(rows[number], page, edges))
        at = end
    for row in rows[at:]:
        order.items.append(make_line(row, page, edges))


def _find_band(
    pieces: Sequence[Sequence[_Piece]], at: int
) -> tuple[int, int, tuple[float, float]] | None:
    """The next rows from `at` that share a gutter: first, one past the last, and the gutter.

    Each side has text in at least _LEAST_ROWS of them.
    """
    for first in range(at, len(pieces)):
        size = pieces[first][0].runs[0].size
        gaps = [(one.right, two.left) for one, two in pairwise(pieces[first])]
        for gutter in sorted(gaps, key=lambda gap: gap[0] - gap[1]):
            end, count, narrowed = _follow(pieces, first, gutter, 0.8 * APART * size)
            if count < _LEAST_ROWS:
                continue
            start = first
            while start > at and _stays_above(pieces[start - 1], pieces[start], narrowed):
                start -= 1
            return start, end, narrowed
    return None


def _follow(
    pieces: Sequence[Sequence[_Piece]], first: int, gutter: tuple[float, float], least: float
) -> tuple[int, int, tuple[float, float]]:
    """Go down from a row as far as its gutter stays free: the end, how many rows, the gutter.

    The rows are counted that have text on the side that has fewer; lines of two
    columns need not stand level with each other.
    """
    end, lefts, rights = first, 0, 0
    for number in range(first, len(pieces)):
        row = pieces[number]
        low = max([gutter[0], *(p.right for p in row if p.left < gutter[0] + 0.5)])
        high = min([gutter[1], *(p.left for p in row if p.right > gutter[1] - 0.5)])
        inside = any(p.left > gutter[0] - 0.5 and p.right < gutter[1] + 0.5 for p in row)
        if inside or high - low < least:
            break
        has_left = any(p.right <= low + 0.5 for p in row)
        has_right = any(p.left >= high - 0.5 for p in row)
        if not (has_left and has_right) and not _is_close(pieces[number - 1], row):
            break
        gutter = (low, high)
        lefts, rights, end = lefts + has_left, rights + has_right, number + 1
    return end, min(lefts, rights), gutter


def _stays_above(
    above: Sequence[_Piece], below: Sequence[_Piece], gutter: tuple[float, float]
) -> bool:
    crosses = any(piece.left < gutter[1] and piece.right > gutter[0] for piece in above)
    return not crosses and _is_close(above, below)


def _is_close(above: Sequence[_Piece], below: Sequence[_Piece]) -> bool:
    """True where the two rows are a usual line apart."""
    one, two = above[0].runs[0], below[0].runs[0]
    return one.baseline - two.baseline < 1.9 * max(one.size, two.size)


def _sides(
    band: Sequence[Sequence[_Piece]], gutter: tuple[float, float]
) -> tuple[list[Run], list[Run]]:
    middle = (gutter[0] + gutter[1]) / 2
    runs = [run for row in band for piece in row for run in piece.runs]
    return [run for run in runs if run.right < middle], [run for run in runs if run.right >= middle]


def _are_columns(sides: Iterable[Sequence[Run]]) -> bool:
    """True where each side is running text: full lines that go on in the next."""
    counts: list[int] = []
    for side in sides:
        lines = [make_line(row, 0) for row in make_rows(side)]
        width = max(line.right for line in lines) - min(line.left for line in lines)
        if len(lines) < 2 or not width:
            return False
        going_on = sum(
            two.text[0].islower() or one.text[-1] not in ".:;!?)" for one, two in pairwise(lines)
        )
        starts_low = sum(line.text[0].islower() for line in lines[1:])
        words = mean(len(line.text.split()) for line in lines)
        full = mean(line.right - line.left for line in lines) / width
        if not starts_low or going_on * 3 < len(lines) or words < 2.5 or full < 0.5:
            return False
        # The blanks of justified text may meet in a river; what follows them does not align.
        margin = min(line.left for line in lines)
        if sum(line.left - margin < 0.4 * line.size for line in lines) * 2 < len(lines):
            return False
        counts.append(len(lines))
    return min(counts) * 3 >= max(counts)


def _tabular(band: Sequence[Sequence[_Piece]]) -> list[list[TableCell]] | None:
    """The cells of a table without lines, or None where the pieces do not align."""
    full = [row for row in band if len(row) == max(map(len, band))]
    if len(full) < _LEAST_ROWS:
        return None
    starts = [median(row[at].left for row in full) for at in range(len(full[0]))]
    ends = [median(row[at].right for row in full) for at in range(len(full[0]))]
    table: list[list[TableCell]] = []
    for row in band:
        cells = [TableCell([]) for _ in starts]
        for piece in row:
            size = piece.runs[0].size
            near = [
                cell
                for cell, start, end in zip(cells, starts, ends, strict=True)
                if abs(piece.left - start) < size or abs(piece.right - end) < size
            ]
            if not near or near[0].lines:
                return None
            near[0].lines.append(make_line(piece.runs, 0).text)
        if cells[0].lines or not table:
            table.append(cells)
        else:
            # A row without its first cell goes on with the cells above it.
            for above, cell in zip(table[-1], cells, strict=True):
                above.lines += cell.lines
    return table


def _add_tabular(
    cells: list[list[TableCell]],
    band: Sequence[Sequence[_Piece]],
    page: int,
    edges: tuple[float, float],
    order: Order,
) -> None:
    rows = [[run for piece in row for run in piece.runs] for row in band]
    if all(re.fullmatch(r"\d{1,4}|[ivxlc]+", " ".join(row[-1].lines)) for row in cells):
        # A table of contents: titles with their pages.
        order.items += [make_line(row, page, edges) for row in rows]
        return
    runs = [run for row in rows for run in row]
    below = [run for row in rows[1:] for run in row]
    left, right = _edges(runs)
    order.items.append(
        Table(
            rows=cells,
            header=all(run.bold for run in rows[0]) and not all(run.bold for run in below),
            left=left,
            right=right,
            top=max(run.top for run in runs),
            bottom=min(run.bottom for run in runs),
            page=page,
            ruled=False,
        )
    )
