"""From the lines of a PDF to headings, paragraphs, items, table rows and footnotes.

A PDF holds none of these, only letters and places. A paragraph ends at a gap, an
indentation, or a line with room left for the next word; it may go on over the end
of a column or a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from documents.lines import read_lines
from documents.numbering import ListStack, find_markers
from documents.parts import CellPart, Part
from documents.pdf_body import Body, PageItems
from documents.pdf_headings import (
    HeadingStyle,
    begins_heading,
    ends_question,
    find_style,
    may_be_heading,
    same_style,
    set_levels,
)
from documents.pdf_hyphens import Vocabulary
from documents.pdf_layout import Line, Table
from documents.pdf_marks import PAGE_END, drop_marks, place_marks
from documents.structure import BlockKind

_SENTENCE_ENDS = ".:;?!"


class Builder:
    """Takes pages one by one and makes parts; what goes on over a page's end stays whole."""

    def __init__(self, body: Body, words: Vocabulary, heading_styles: Sequence[HeadingStyle]):
        self.parts: list[Part] = []
        self._body = body
        self._words = words
        self._styles = list(heading_styles)
        self._stack = ListStack()
        self._stretch: list[tuple[str, int]] = []
        self._page = 0
        self._before: Line | None = None
        self._first: Line | None = None
        self._table: Table | None = None
        self._waiting: list[Part] = []
        self._notes: dict[str, list[int]] = {}

    def add(self, page: PageItems, following: Line | Table | None) -> None:
        """Take in one page; `following` is the first line or table after it."""
        for label, _ in page.notes:
            self._notes.setdefault(label, []).append(page.number)
        items = page.items
        at = 0
        while at < len(items):
            item = items[at]
            if isinstance(item, Table):
                self._add_table(item)
                at += 1
            elif count := self._heading_lines(items, at, following):
                self._add_heading([one for one in items[at : at + count] if isinstance(one, Line)])
                at += count
            else:
                self._add_line(item)
                at += 1
        for label, lines in page.notes:
            text = self._join_all([line.text for line in lines])
            self._waiting.append(
                Part(
                    BlockKind.FOOTNOTE,
                    text,
                    marker=label,
                    page=page.number,
                    anchors=(f"{page.number}:{label}",),
                )
            )

    def finish(self) -> tuple[Part, ...]:
        """All parts, with the ends of pages and the marks of footnotes in their places."""
        self._flush()
        return tuple(place_marks(part, self._notes) for part in set_levels(self.parts))

    def _flush(self) -> None:
        if self._stretch:
            lines = [" " * indent + text for text, indent in self._stretch]
            for part in read_lines(lines, self._stack, joins=_joins):
                text = part.text.replace("\n", " ")
                self.parts.append(replace(part, text=text, page=self._page))
                self._page += text.count(PAGE_END)
        self._stretch = []
        self._before = None
        self.parts += self._waiting
        self._waiting = []

    def _add_line(self, line: Line) -> None:
        self._table = None
        before = self._before
        if before is None or not self._stretch:
            self._begin(line)
        elif line.page != before.page or line.column != before.column:
            if self._goes_over(before, line):
                mark = PAGE_END * (line.page - before.page)
                self._extend(line, mark)
            else:
                self._begin(line)
        elif self._is_apart(before, line):
            self._begin(line)
        elif self._is_new(before, line):
            self._stretch.append((line.text, self._indent(line)))
            self._first = line
        else:
            self._extend(line, "")
        self._before = line

    def _begin(self, line: Line) -> None:
        self._flush()
        self._page = line.page
        self._stretch = [(line.text, self._indent(line))]
        self._first = line

    def _extend(self, line: Line, mark: str) -> None:
        text, indent = self._stretch[-1]
        joined = self._words.join(text, line.text)
        if mark:
            kept = len(joined) - len(line.text)
            joined = joined[:kept] + mark + joined[kept:]
        self._stretch[-1] = (joined, indent)

    def _indent(self, line: Line) -> int:
        return max(0, round((line.left - line.column[0]) / (0.5 * self._body.size)))

    def _is_apart(self, before: Line, line: Line) -> bool:
        gap = (before.baseline - line.baseline) / max(before.size, line.size)
        if gap < 0 or gap > 1.25 * self._body.pitch + 0.1:
            return True
        return abs(before.size - line.size) > 0.1 * before.size

    def _is_new(self, before: Line, line: Line) -> bool:
        """True where `line` begins a paragraph or an item right below `before`."""
        if find_markers(line.text)[0]:
            return True
        ended = before.text[-1] in _SENTENCE_ENDS or before.text[-2:-1] in tuple(_SENTENCE_ENDS)
        room = line.column[1] - before.right
        if _first_word_width(line) + 0.3 * line.size < room and ended:
            return True
        if room > 0.4 * (line.column[1] - line.column[0]) and line.text[0].isupper():
            return True
        first = self._first
        indented = line.left - before.left > 0.9 * line.size
        # The second line of an item stands under its text, further in than its marker.
        hangs = first is before and bool(find_markers(before.text)[0])
        return indented and ended and not hangs

    def _goes_over(self, before: Line, line: Line) -> bool:
        """True where a sentence goes on in the next column or on the next page."""
        if find_markers(line.text)[0] or abs(before.size - line.size) > 0.1 * before.size:
            return False
        if before.text[-1] in ".:?!":
            return False
        room = before.column[1] - before.right
        is_full = room < _first_word_width(line) + 0.3 * line.size
        if line.text[0].isupper():
            return is_full and before.text[-1] not in ";)"
        return before.text[-1] != ";" or line.text[0].islower()

    def _heading_lines(
        self, items: Sequence[Line | Table], at: int, following: Line | Table | None
    ) -> int:
        """How many lines from `at` are one heading; 0 where they are none."""
        first = items[at]
        if not isinstance(first, Line):
            return 0
        before = self._before
        if before is not None and before.page == first.page and before.column == first.column:
            same = before.bold == first.bold and abs(before.size - first.size) < 0.5
            if same and not self._is_apart(before, first):
                return 0
        group = [first]
        for item in items[at + 1 : at + 5]:
            last = group[-1]
            if not isinstance(item, Line) or not same_style(last, item):
                break
            gap = (last.baseline - item.baseline) / last.size
            new = begins_heading(item) or ends_question(last)
            if item.column != last.column or not 0 < gap < 1.6 or new:
                break
            group.append(item)
        after = items[at + len(group)] if at + len(group) < len(items) else following
        style = find_style(group, self._body)
        if style is None or not may_be_heading(group, after, style, self._body):
            return 0
        return len(group)

    def _add_heading(self, lines: Sequence[Line]) -> None:
        self._flush()
        self._stack.clear()
        self._table = None
        style = find_style(lines, self._body)
        level = 1 + self._styles.index(style) if style in self._styles else len(self._styles) + 1
        text = self._join_all([line.text for line in lines])
        self.parts.append(Part(BlockKind.HEADING, text, level=level, page=lines[0].page))

    def _add_table(self, table: Table) -> None:
        self._flush()
        rows = table.rows
        goes_on = (
            self._table is not None
            and table.page == self._table.page + 1
            and abs(table.left - self._table.left) < 3
            and abs(table.right - self._table.right) < 3
            and len(rows[0]) == len(self._table.rows[0])
        )
        header = table.header
        if goes_on and self._table is not None:
            if rows[0] == self._table.rows[0]:
                rows, header = rows[1:], False  # its header is printed again
            elif not self._table.header:
                header = False
            table = replace(table, rows=[self._table.rows[0], *rows], header=self._table.header)
        for number, row in enumerate(rows):
            texts = [self._join_all(cell.lines) for cell in row]
            is_header = header and number == 0
            cells = [
                CellPart(len(drop_marks(text)), is_header, cell.columns, cell.rows)
                for text, cell in zip(texts, row, strict=True)
            ]
            self.parts.append(
                Part(
                    BlockKind.TABLE_ROW,
                    "\t".join(texts),
                    level=0 if is_header else 1,
                    opens=int(number == 0 and not goes_on),
                    page=table.page,
                    cells=tuple(cells),
                )
            )
        self._table = table

    def _join_all(self, lines: Sequence[str]) -> str:
        text = ""
        for line in lines:
            text = self._words.join(text, line)
        return text


def _first_word_width(line: Line) -> float:
    word = line.text.split(maxsplit=1)[0]
    return (line.right - line.left) * len(word) / max(len(line.text), 1)


def _joins(before: str, after: str) -> bool:
    """Lines were joined already, but for those that only look like an item."""
    return bool(find_markers(after.strip())[0])
