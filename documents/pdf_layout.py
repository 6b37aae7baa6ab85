"""Puts the runs of a page in reading order: rows, columns, and tables that have no lines.

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
from documents.pdf_runs import Run, is_right_to_left

# The mark of a footnote in a text: its label between these two, see `documents.pdf_runs.MARKS`.
NOTE_OPEN, NOTE_CLOSE = "\ufdd1", "\ufdd2"

_NOTE_LABEL = re.compile(r"\d{1,3}|[*†‡§¶]{1,3}|[a-z]")
_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(slots=True)
class Line:
    """A line of text, in points. `bold` is true where all of it is.

    `column` are the left and right edge of the column it stands in.
    """

    text: str
    left: float
    right: float
    baseline: float
    size: float
    bold: bool
    page: int
    column: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class TableCell:
    """A cell: its lines of text, and how many columns and rows it covers."""

    lines: list[str]
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Table:
    """A table. `header` is true where its first row names the columns; `ruled` where it has lines.

    A cell that reaches down stands only in its first row.
    """

    rows: list[list[TableCell]]
    header: bool
    left: float
    right: float
    top: float
    bottom: float
    page: int
    ruled: bool = True


@dataclass(slots=True)
class Order:
    """What stands on a page in reading order, and whether its columns are in doubt."""

    items: list[Line | Table] = field(default_factory=list)
    columns: int = 1
    doubtful: bool = False


def make_rows(runs: Iterable[Run]) -> list[list[Run]]:
    """Runs that stand on one line, from the top down, each from left to right."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda one: (-one.baseline, one.left)):
        for row in reversed(rows[-3:]):
            main = max(row, key=lambda one: one.size)
            overlap = min(main.top, run.top) - max(main.bottom, run.bottom)
            if overlap > 0.5 * min(main.top - main.bottom, run.top - run.bottom):
                row.append(run)
                break
        else:
            rows.append([run])
    for row in rows:
        row.sort(key=lambda one: one.left)
    rows.sort(key=lambda row: -max(row, key=lambda one: one.size).baseline)
    return rows


def make_line(row: Sequence[Run], page: int, column: tuple[float, float] = (0.0, 0.0)) -> Line:
    """One line of the runs of one row."""
    main = max(row, key=lambda one: (one.size, len(one.text)))
    letters = [letter for run in row for letter in run.text if letter.isalpha()]
    turned = sum(map(is_right_to_left, letters)) * 2 > len(letters)
    ordered = sorted(row, key=lambda one: -one.right) if turned else row
    pieces: list[str] = []
    for number, run in enumerate(ordered):
        text = _raised(run, main, number) or run.text
        if number:
            before = ordered[number - 1]
            gap = before.left - run.right if turned else run.left - before.right
            if gap > 0.15 * main.size:
                pieces.append(" ")
        pieces.append(text)
    text = " ".join("".join(pieces).split())
    if _is_hollow_bullet(row):
        text = f"◦{text[1:]}"
    worded = [run for run in row if any(map(str.isalpha, run.text))] or row
    return Line(
        text=text,
        left=min(run.left for run in row),
        right=max(run.right for run in row),
        baseline=main.baseline,
        size=main.size,
        bold=all(run.bold for run in worded),
        page=page,
        column=column,
    )


def _is_hollow_bullet(row: Sequence[Run]) -> bool:
    """True where a row begins with an 'o' of Courier that stands apart: so Word writes bullets."""
    if len(row) < 2 or row[0].text.strip() != "o" or not row[0].mono:
        return False
    return row[1].left - row[0].right > 0.6 * row[0].size


def _raised(run: Run, main: Run, number: int) -> str:
    """A small raised label as a footnote's mark; '' for any other run."""
    label = run.text.strip()
    is_raised = run.size < 0.85 * main.size and run.baseline > main.baseline + 0.15 * main.size
    if not (number and is_raised and _NOTE_LABEL.fullmatch(label)):
        return ""
    space = " " if run.text.endswith(" ") else ""
    return f"{NOTE_OPEN}{label}{NOTE_CLOSE}{space}"


def show_raised(label: str) -> str:
    """A raised label that leads to no footnote, as text: 'm²' must not become 'm2'."""
    return label.translate(_DIGITS)


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
        if pieces and run.left - pieces[-1].right < 0.9 * run.size:
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

    At least three of them have text on both sides.
    """
    for first in range(at, len(pieces)):
        size = pieces[first][0].runs[0].size
        gaps = [(one.right, two.left) for one, two in pairwise(pieces[first])]
        for gutter in sorted(gaps, key=lambda gap: gap[0] - gap[1]):
            end, both, narrowed = _follow(pieces, first, gutter, 0.7 * size)
            if both < 3:
                continue
            start = first
            while start > at and _stays_above(pieces[start - 1], pieces[start], narrowed):
                start -= 1
            return start, end, narrowed
    return None


def _follow(
    pieces: Sequence[Sequence[_Piece]], first: int, gutter: tuple[float, float], least: float
) -> tuple[int, int, tuple[float, float]]:
    both, end = 0, first
    for number in range(first, len(pieces)):
        row = pieces[number]
        low = max([gutter[0], *(p.right for p in row if p.left < gutter[0] + 0.5)])
        high = min([gutter[1], *(p.left for p in row if p.right > gutter[1] - 0.5)])
        inside = any(p.left > gutter[0] - 0.5 and p.right < gutter[1] + 0.5 for p in row)
        if inside or high - low < least:
            break
        two = any(p.right <= low + 0.5 for p in row) and any(p.left >= high - 0.5 for p in row)
        if not two and not _is_close(pieces[number - 1], row):
            break
        gutter = (low, high)
        both += two
        end = number + 1
    return end, both, gutter


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
        counts.append(len(lines))
    return min(counts) * 3 >= max(counts)


def _tabular(band: Sequence[Sequence[_Piece]]) -> list[list[TableCell]] | None:
    """The cells of a table without lines, or None where the pieces do not align."""
    full = [row for row in band if len(row) == max(map(len, band))]
    if len(full) < 3:
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
