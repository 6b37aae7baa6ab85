"""Finds the tables of a page that are drawn with lines, and puts its words into their cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from documents.pdf_grids import find_grids
from documents.pdf_layout import Table, TableCell, make_line, make_rows
from documents.pdf_page import Page
from documents.pdf_runs import Run
from documents.pdf_shapes import Box

# Lines nearer to each other than this, in points, are one.
_NEAR = 3.0
_MAX_HEADER_WORDS = 6


def find_tables(page: Page) -> list[Table]:
    """The tables of two or more rows and columns with words in them, from the top down."""
    if page.shapes.crowded:
        return []
    found = [_table(cells, page) for cells in find_grids(page.shapes.edges)]
    return sorted((one for one in found if one is not None), key=lambda one: -one.top)


def _table(cells: Sequence[Box], page: Page) -> Table | None:
    around = Box(
        min(cell.left for cell in cells),
        min(cell.bottom for cell in cells),
        max(cell.right for cell in cells),
        max(cell.top for cell in cells),
    )
    starts = _distinct(cell.left for cell in cells)
    tops = _distinct(-cell.top for cell in cells)
    seen = [run for run in page.runs if run.angle == 0 and not run.hidden]
    words = inside(seen, around)
    if len(starts) < 2 or len(tops) < 2 or not words:
        return None
    boxes: list[list[Box]] = [[] for _ in tops]
    for cell in sorted(cells, key=lambda one: one.left):
        boxes[sum(-cell.top > top + _NEAR for top in tops)].append(cell)
    rows = [
        [
            TableCell(
                lines=[make_line(row, page.number).text for row in make_rows(inside(words, box))],
                columns=sum(box.left - _NEAR < start < box.right - _NEAR for start in starts),
                rows=sum(-box.top - _NEAR < top < -box.bottom - _NEAR for top in tops),
            )
            for box in row
        ]
        for row in boxes
    ]
    return Table(
        rows=rows,
        header=_has_header(rows, boxes, words, page.shapes.boxes),
        left=around.left,
        right=around.right,
        top=around.top,
        bottom=around.bottom,
        page=page.number,
    )


def _distinct(places: Iterable[float]) -> list[float]:
    result: list[float] = []
    for place in sorted(places):
        if not result or place - result[-1] > _NEAR:
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
