"""Finds the tables of a page that are drawn with lines: the one home of pdfplumber.

pdfplumber takes a twentieth of a second for a page, so it is asked only about pages
whose shapes may make a grid. The words come from `documents.pdf_page` like all others.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence

import pdfplumber
import pdfplumber.pdf
import pdfplumber.table

from documents.pdf_layout import Table, TableCell, make_line, make_rows
from documents.pdf_page import Box, Page, Run

_THIN = 3.0
_MAX_HEADER_WORDS = 6


def may_hold_table(page: Page) -> bool:
    """True where the shapes of a page cross like the lines of a table."""
    boxes = [shape for shape in page.shapes if shape.area < 0.9 * page.width * page.height]
    if any(shape.segments > 7 and shape.area > 1_000 for shape in boxes):
        return True
    across: dict[int, float] = {}
    down: dict[int, float] = {}
    for box in boxes:
        width, height = box.right - box.left, box.top - box.bottom
        if height > _THIN:
            for x in {round(box.left / _THIN), round(box.right / _THIN)}:
                down[x] = down.get(x, 0.0) + height
        if width > _THIN:
            for y in {round(box.bottom / _THIN), round(box.top / _THIN)}:
                across[y] = across.get(y, 0.0) + width
    return sum(v > 12 for v in down.values()) > 2 and sum(v > 30 for v in across.values()) > 2


class TableFinder:
    """Finds ruled tables in one PDF, which is parsed a second time on first use."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._file: pdfplumber.pdf.PDF | None = None

    def find(self, page: Page) -> list[Table] | None:
        """The tables of two or more rows and columns on `page`; None where it cannot tell."""
        try:
            if self._file is None:
                self._file = pdfplumber.open(io.BytesIO(self._data))
            plumbed = self._file.pages[page.number - 1]
            found = plumbed.find_tables()
            tables = [_table(one, float(plumbed.height), page) for one in found]
            plumbed.close()
        except Exception:
            # pdfminer raises errors of every kind at a damaged file that PDFium reads. The words
            # are not lost, and the caller says that the page may hold a table.
            return None
        return [table for table in tables if table is not None]


def _table(found: pdfplumber.table.Table, height: float, page: Page) -> Table | None:
    left, top, right, bottom = found.bbox
    boxes = [
        [Box(c[0], height - c[3], c[2], height - c[1]) for c in row.cells if c is not None]
        for row in found.rows
    ]
    starts = _distinct(box.left for row in boxes for box in row)
    tops = _distinct(-box.top for row in boxes for box in row)
    if len(boxes) < 2 or len(starts) < 2:
        return None
    words = [
        run
        for run in page.runs
        if run.angle == 0
        and not run.hidden
        and _middle_in(run, Box(left, height - bottom, right, height - top))
    ]
    rows: list[list[TableCell]] = []
    for row in boxes:
        cells = []
        for box in row:
            lines = [make_line(line, page.number).text for line in make_rows(inside(words, box))]
            columns = sum(box.left - _THIN < start < box.right - _THIN for start in starts)
            down = sum(-box.top - _THIN < start < -box.bottom - _THIN for start in tops)
            cells.append(TableCell(lines, max(columns, 1), max(down, 1)))
        rows.append(cells)
    if not any(cell.lines for row in rows for cell in row):
        return None
    return Table(
        rows=rows,
        header=_has_header(rows, boxes, words, page.shapes),
        left=left,
        right=right,
        top=height - top,
        bottom=height - bottom,
        page=page.number,
    )


def _distinct(places: Iterable[float]) -> list[float]:
    result: list[float] = []
    for place in sorted(places):
        if not result or place - result[-1] > _THIN:
            result.append(place)
    return result


def _middle_in(run: Run, box: Box) -> bool:
    x, y = (run.left + run.right) / 2, run.baseline + 0.25 * run.size
    return box.left <= x <= box.right and box.bottom <= y <= box.top


def inside(runs: Sequence[Run], box: Box) -> list[Run]:
    """The runs whose middle lies in `box`."""
    return [run for run in runs if _middle_in(run, box)]


def _has_header(
    rows: Sequence[Sequence[TableCell]],
    boxes: Sequence[Sequence[Box]],
    words: Sequence[Run],
    shapes: Sequence[Box],
) -> bool:
    """True where the first row looks different from all below, or can only be names of columns.

    A header holds no sentence, so where in doubt it is none.
    """
    first = [run for box in boxes[0] for run in inside(words, box)]
    below = [run for row in boxes[1:] for box in row for run in inside(words, box)]
    if not first or not below:
        return False
    if all(run.bold for run in first) and not all(run.bold for run in below):
        return True
    if all(_is_shaded(box, shapes) for box in boxes[0]) and not any(
        _is_shaded(box, shapes) for box in boxes[1]
    ):
        return True
    names = [" ".join(cell.lines) for cell in rows[0]]
    if any(
        re.search(r"\d|[.;:,!]$", name) or len(name.split()) > _MAX_HEADER_WORDS for name in names
    ):
        return False
    if len(names) < 2 or not all(names):
        return False
    return any(
        all(len(row) > at and re.search(r"\d", " ".join(row[at].lines)) for row in rows[1:])
        for at in range(len(names))
    )


def _is_shaded(box: Box, shapes: Sequence[Box]) -> bool:
    """True where a filled shape of about the cell's height or more lies under its middle."""
    x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
    tall = 0.6 * (box.top - box.bottom)
    return any(
        shape.filled
        and shape.left <= x <= shape.right
        and shape.bottom <= y <= shape.top
        and shape.top - shape.bottom >= tall
        for shape in shapes
    )
