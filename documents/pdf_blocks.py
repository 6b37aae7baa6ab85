"""From the lines of a PDF to headings, paragraphs, items, table rows and footnotes.

A PDF holds none of these, only letters and places. A paragraph ends at a gap, an
indentation, or a line with room left for the next word. A heading is larger or
bolder than the text, or numbered like one; it holds no sentence, so where in doubt
a line is text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from documents.lines import read_lines
from documents.numbering import ListStack, find_markers
from documents.parts import CellPart, LinkPart, Part
from documents.pdf_hyphens import Vocabulary
from documents.pdf_layout import NOTE_CLOSE, NOTE_OPEN, Line, Table, show_raised
from documents.structure import BlockKind

# Stands in a text where a page ends, see `documents.pdf_runs.MARKS`.
_PAGE_END = "\ufdd0"
_MARKED = re.compile(f"{_PAGE_END}|{NOTE_OPEN}([^{NOTE_CLOSE}]*){NOTE_CLOSE}")

_SAYS_SOMETHING = re.compile(
    r"\b(?:must|shall|may|might|can|cannot|could|will|would|should|is|are|was|were|has|have|had|do"
    r"|does|needs?|requires?|applies|unless|if|not|never|only|n't)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"\?\W*$")
_NUMBERED = re.compile(
    r"(?:§+\s*|(?:article|section|chapter|part|annex|appendix|schedule|clause|rule)\s+)[\dIVXLC]"
    r"|(\d{1,3}(?:\.\d{1,3})*)\.?\s+[A-Z]",
    re.IGNORECASE,
)
_SENTENCE_ENDS = ".:;?!"
_FOOTNOTE = re.compile(
    rf"(?:{NOTE_OPEN})?(\d{{1,3}}|[*†‡§¶]{{1,3}})(?:{NOTE_CLOSE}|[.)])?\s+(?=\S)"
)
_MAX_HEADING = 300
_MAX_LEVEL = 6
_MAX_BOLD_HEADING = 160


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
    return Body(size, bold, gaps.most_common(1)[0][0] if gaps else 1.2)


def take_footnotes(page: PageItems, body: Body) -> None:
    """Move footnotes out of the text of a page.

    They are small, begin with a mark, and stand at the foot of a column or are
    called by a raised mark of the page.
    """
    called = {
        label
        for item in page.items
        if isinstance(item, Line)
        for label in _MARKED.findall(item.text)
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


class Builder:
    """Takes pages one by one and makes parts; what goes on over a page's end stays whole."""

    def __init__(self, body: Body, words: Vocabulary, heading_styles: Sequence[_HeadingStyle]):
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

    def add(self, page: PageItems, following: Line | None) -> None:
        """Take in one page; `following` is the first line of the next one."""
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
        return tuple(self._resolve(part) for part in _with_title_on_top(self.parts))

    def _flush(self) -> None:
        if self._stretch:
            lines = [" " * indent + text for text, indent in self._stretch]
            for part in read_lines(lines, self._stack, joins=_joins):
                text = part.text.replace("\n", " ")
                self.parts.append(replace(part, text=text, page=self._page))
                self._page += text.count(_PAGE_END)
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
                mark = _PAGE_END * (line.page - before.page)
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
        return line.text[0].islower() or (is_full and before.text[-1] not in ";)")

    def _heading_lines(self, items: Sequence[Line | Table], at: int, following: Line | None) -> int:
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
            if not isinstance(item, Line) or not _same_style(last, item):
                break
            gap = (last.baseline - item.baseline) / last.size
            new = self._is_numbered(item) or _QUESTION.search(last.text)
            if item.column != last.column or not 0 < gap < 1.6 or new:
                break
            group.append(item)
        after = items[at + len(group)] if at + len(group) < len(items) else following
        style = _heading_style(group, self._body)
        if style is None or not _may_be_heading(group, after, style, self._body):
            return 0
        return len(group)

    def _is_numbered(self, line: Line) -> bool:
        return bool(_NUMBERED.match(line.text))

    def _add_heading(self, lines: Sequence[Line]) -> None:
        self._flush()
        self._stack.clear()
        self._table = None
        style = _heading_style(lines, self._body)
        level = 1 + self._styles.index(style) if style in self._styles else len(self._styles) + 1
        text = self._join_all([line.text for line in lines])
        self.parts.append(
            Part(BlockKind.HEADING, text, level=min(level, _MAX_LEVEL), page=lines[0].page)
        )

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
                CellPart(len(_MARKED.sub("", text)), is_header, cell.columns, cell.rows)
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

    def _note_page(self, label: str, page: int) -> int:
        """The page of the footnote that a mark on `page` leads to; 0 where there is none."""
        homes = self._notes.get(label, [])
        return page if page in homes else homes[0] if len(homes) == 1 else 0

    def _resolve(self, part: Part) -> Part:
        """Take the marks out of a part's text, and say where they stood."""
        if not _MARKED.search(part.text):
            return part
        pieces: list[str] = []
        breaks: list[int] = []
        links: list[LinkPart] = []
        size = at = 0
        page = part.page
        for found in _MARKED.finditer(part.text):
            pieces.append(part.text[at : found.start()])
            size += found.start() - at
            at = found.end()
            label = found[1]
            if label is None:
                page += 1
                breaks.append(size)
            elif home := self._note_page(label, page):
                if pieces[-1].endswith(" ") and part.text[at : at + 1] in tuple(" .,;:?!)"):
                    pieces[-1] = pieces[-1][:-1]
                    size -= 1
                links.append(LinkPart(size, size, f"{home}:{label}", label))
            elif part.kind is not BlockKind.TABLE_ROW:
                pieces.append(show_raised(label))
                size += len(label)
        pieces.append(part.text[at:])
        return replace(part, text="".join(pieces), breaks=tuple(breaks), links=tuple(links))


@dataclass(frozen=True, slots=True, order=True)
class _HeadingStyle:
    """What ranks a heading: larger first, then bold, then by the depth of its number."""

    smaller: float
    light: bool
    depth: int


def heading_styles(pages: Sequence[PageItems], body: Body) -> list[_HeadingStyle]:
    """The styles of all lines that may be headings, the highest first."""
    styles = {
        style
        for page in pages
        for item, after in zip(page.items, [*page.items[1:], None], strict=True)
        if isinstance(item, Line)
        for style in [_heading_style([item], body)]
        if style is not None and _may_be_heading([item], after, style, body)
    }
    return sorted(styles)


def _with_title_on_top(parts: list[Part]) -> list[Part]:
    """Set all headings below the title: one without a number right above the first of them."""
    if len(parts) < 2 or not parts[0].kind is parts[1].kind is BlockKind.HEADING:
        return parts
    if parts[0].level < parts[1].level or _NUMBERED.match(parts[0].text):
        return parts
    return [
        replace(part, level=min(part.level + 1, _MAX_LEVEL))
        if number and part.kind is BlockKind.HEADING
        else part
        for number, part in enumerate(parts)
    ]


def _same_style(one: Line, two: Line) -> bool:
    return one.bold == two.bold and abs(one.size - two.size) < 0.05 * one.size


def _heading_style(lines: Sequence[Line], body: Body) -> _HeadingStyle | None:
    """The style of a heading, None for lines that look like all others."""
    first = lines[0]
    numbered = _NUMBERED.match(first.text)
    larger = first.size > 1.12 * body.size
    bolder = first.bold and not body.bold and first.size > 0.9 * body.size
    worded = numbered is not None and not numbered[1]
    capitals = first.text.isupper() and len(first.text) > 3
    dotted = numbered is not None and bool(numbered[1]) and "." in numbered[1]
    if not (larger or bolder or worded or capitals or dotted):
        return None
    depth = numbered[1].count(".") if numbered and numbered[1] else 0
    return _HeadingStyle(-round(first.size * 2) / 2 if larger else 0.0, not bolder, depth)


def _may_be_heading(
    lines: Sequence[Line], after: Line | Table | None, style: _HeadingStyle, body: Body
) -> bool:
    text = " ".join(line.text for line in lines)
    last = text[-1]
    if not any(map(str.isalpha, text)) or len(text) > _MAX_HEADING or after is None:
        return False
    markers, _ = find_markers(text)
    if markers and (markers[0].is_bullet or markers[0].label.startswith("(")):
        return False
    if style.smaller < 0:
        return last not in ",;" and not (last == "." and _SAYS_SOMETHING.search(text))
    if last in ",;" or text[0].islower():
        return False
    if isinstance(after, Line) and (after.text[0].islower() or text.endswith(" and")):
        return False
    if not style.light and _QUESTION.search(text):
        return True
    if len(text) > _MAX_BOLD_HEADING or last in ".:!?" or _SAYS_SOMETHING.search(text):
        return False
    if style.light and isinstance(after, Line):
        # Neither larger nor bolder: only what stands apart is a heading.
        end = lines[-1]
        gap = (end.baseline - after.baseline) / end.size
        return after.page == end.page and gap > 1.25 * body.pitch + 0.1 and len(lines) == 1
    return True


def _first_word_width(line: Line) -> float:
    word = line.text.split(maxsplit=1)[0]
    return (line.right - line.left) * len(word) / max(len(line.text), 1)


def _joins(before: str, after: str) -> bool:
    """Lines were joined already, but for those that only look like an item."""
    return bool(find_markers(after.strip())[0])


def all_lines(pages: Sequence[PageItems]) -> Iterator[Line]:
    """The lines of some pages, without their tables."""
    for page in pages:
        yield from (item for item in page.items if isinstance(item, Line))
