"""What is usual on the pages of a PDF, and the footnotes that are not part of its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from documents.pdf_layout import NOTE_CLOSE, NOTE_OPEN, Line, Table

_FOOTNOTE = re.compile(
    rf"(?:{NOTE_OPEN})?(\d{{1,3}}|[*†‡§¶]{{1,3}})(?:{NOTE_CLOSE}|[.)])?\s+(?=\S)"
)
_CALLED = re.compile(f"{NOTE_OPEN}([^{NOTE_CLOSE}]*){NOTE_CLOSE}")

# Lines further apart than this, in sizes, are usually two paragraphs; but not in a draft.
_WIDE = 1.7
_FEW_LINES = 8


@dataclass(slots=True)
class PageItems:
    """The lines and tables of one page in reading order, then its footnotes."""

    number: int
    items: list[Line | Table]
    notes: list[tuple[str, list[Line]]] = field(default_factory=list)


@dataclass(slots=True)
class Body:
    """What is usual in a document: the size of its text, and the distance of its lines."""

    size: float
    bold: bool
    pitch: float


def find_body(lines: Sequence[Line]) -> Body:
    """The size, weight and line distance (in sizes) of most of the text."""
    styles: Counter[tuple[float, bool]] = Counter()
    for line in lines:
        styles[(round(line.size * 2) / 2, line.bold)] += len(line.text)
    size, bold = styles.most_common(1)[0][0] if styles else (10.0, False)
    gaps: Counter[float] = Counter()
    for one, two in pairwise(lines):
        if one.page == two.page and one.column == two.column and abs(one.size - size) < 0.5:
            gap = (one.baseline - two.baseline) / one.size
            if 0.9 < gap < 2.5:
                gaps[round(gap, 1)] += 1
    # In a short text the distance of paragraphs may be more frequent than that of lines.
    close = Counter({gap: count for gap, count in gaps.items() if gap < _WIDE})
    usual = close if close.total() * 5 >= gaps.total() else gaps
    enough = usual is close or usual.total() > _FEW_LINES
    return Body(size, bold, usual.most_common(1)[0][0] if usual and enough else 1.2)


def take_footnotes(page: PageItems, body: Body) -> None:
    """Move footnotes out of the text of a page.

    They are small, begin with a mark, and stand at the foot of a column or are
    called by a raised mark of the page.
    """
    called = {
        label
        for item in page.items
        if isinstance(item, Line)
        for label in _CALLED.findall(item.text)
    }
    kept: list[Line | Table] = []
    for column in _columns(page.items):
        at = 0
        while at < len(column):
            item = column[at]
            end = at
            while end < len(column) and _is_small(column[end], body):
                end += 1
            found = _FOOTNOTE.match(item.text) if isinstance(item, Line) and end > at else None
            if found and (end == len(column) or found[1] in called):
                _add_notes(page, [one for one in column[at:end] if isinstance(one, Line)])
                at = end
            else:
                kept.append(item)
                at += 1
    page.items = kept


def _columns(items: Sequence[Line | Table]) -> list[list[Line | Table]]:
    """Items cut where the column changes or a table stands."""
    columns: list[list[Line | Table]] = []
    for item in items:
        before = columns[-1][-1] if columns else None
        same = isinstance(item, Line) and isinstance(before, Line) and item.column == before.column
        if same:
            columns[-1].append(item)
        else:
            columns.append([item])
    return columns


def _is_small(item: Line | Table, body: Body) -> bool:
    return isinstance(item, Line) and item.size < 0.93 * body.size


def _add_notes(page: PageItems, lines: Sequence[Line]) -> None:
    for line in lines:
        if found := _FOOTNOTE.match(line.text):
            page.notes.append((found[1], [replace(line, text=line.text[found.end() :])]))
        else:
            page.notes[-1][1].append(line)


def all_lines(pages: Sequence[PageItems]) -> Iterator[Line]:
    """The lines of some pages, without their tables."""
    for page in pages:
        yield from (item for item in page.items if isinstance(item, Line))
