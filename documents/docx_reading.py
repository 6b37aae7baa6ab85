"""Reads a Word file (.docx) into parts: headings, numbered lists, tables, footnotes.

What the page shows is text, with the numbers that Word makes. Comments, hidden text,
headers and footers, pictures and the table of contents are left out, and said to be;
tracked changes need the owner's choice. Macros are never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from xml.etree.ElementTree import Element

from documents.docx_changes import Changes, clean_name
from documents.docx_lists import OpenLists
from documents.docx_numbering import Numbered, Numbers
from documents.docx_package import Package, value
from documents.docx_styles import Styles
from documents.docx_tables import find_grid, has_header, has_row_headers
from documents.docx_words import Found, WordReader, is_shaded
from documents.flow import CellWords, Flow, Words, linked_row, spread_links
from documents.limits import Limits
from documents.lines import joins_open, read_lines
from documents.nesting import ItemStart, mark_item
from documents.numbering import ListStack
from documents.parts import MAX_LIST_LEVEL, Part, Reading
from documents.plain import may_be_heading
from documents.saying import Saying
from documents.structure import BlockKind, NoteKind

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

# Twentieths of a point to a step of indentation, as the readers of lines count it.
_STEP = 100

# How an entry of a table of contents ends.
_PAGE_NUMBER = re.compile(r"(?:\d|\b[ivxlc]+)$")


def read_docx(data: bytes, limits: Limits, choices: Mapping[str, str]) -> Reading:
    """Read a Word file into parts; its title is that of its title paragraph or first heading.

    Raises ChoiceNeededError where it holds tracked changes and `choices` no answer;
    UnreadableError for a damaged file, LimitError for one that grows too large.
    """
    package = Package(data, limits)
    reader = _DocumentReader(package, choices)
    reader.read()
    heading = next((part for part in reader.parts if part.kind is BlockKind.HEADING), None)
    title = " ".join(heading.text.split()) if heading else ""
    return Reading(
        MEDIA_TYPE, title, tuple(reader.parts), tuple(reader.saying.remarks), reader.changes.choices
    )


class _DocumentReader:
    """Goes over the paragraphs and tables in order and keeps what is open around them."""

    def __init__(self, package: Package, choices: Mapping[str, str]) -> None:
        self.parts: list[Part] = []
        self.saying = Saying(self.parts)
        self._package = package
        self._notes: dict[str, dict[str, Element]] = {
            "footnote": _by_id(package.related("footnotes"), "footnote"),
            "endnote": _by_id(package.related("endnotes"), "endnote"),
        }
        notes = [note for found in self._notes.values() for note in found.values()]
        self.changes = Changes([package.document, *notes], choices)
        self._styles = Styles(next(package.related("styles"), None))
        self._numbers = Numbers(next(package.related("numbering"), None))
        self._comments = _by_id(package.related("comments"), "comment")
        self._words = WordReader(
            self._styles, self.changes, self._mark, self.saying.say, [package.document, *notes]
        )
        self._flow = Flow()
        self._found = Found()
        self._labels: dict[str, dict[str, str]] = {kind: {} for kind in self._notes}
        self._waiting: list[tuple[str, str]] = []
        self._anchors: list[str] = []
        self._lists = OpenLists()
        self._base = 0
        self._clauses = ListStack()
        self._has_styled_headings = False
        self._contents = 0
        self._skipped_contents = False

    def read(self) -> None:
        self._say_what_is_inside()
        body = self._package.document.find("body")
        if body is None:
            return
        self._has_styled_headings = any(self._styles.heading_level(one) for one in body.iter("pPr"))
        self._blocks(body)
        self._end_paragraph(None, None)
        self._put_notes()

    def _blocks(self, parent: Element) -> None:
        for child in parent:
            if child.tag == "p":
                self._paragraph(child)
            elif child.tag == "tbl":
                self._end_paragraph(None, None)
                self._table(child)
            elif child.tag == "sdt":
                gallery = value(child, "sdtPr/docPartObj/docPartGallery")
                self._contents += gallery == "Table of Contents"
                for content in child.findall("sdtContent"):
                    self._blocks(content)
                self._contents -= gallery == "Table of Contents"
            elif child.tag in ("customXml", "ins", "moveTo", "del", "moveFrom"):
                if not self.changes.is_gone(child):
                    self._blocks(child)
            elif child.tag == "altChunk":
                self.saying.say(NoteKind.LEFT_OUT, "A file put into this one was left out", "")

    # Paragraphs

    def _paragraph(self, paragraph: Element) -> None:
        """Read a paragraph; one whose end was taken away goes on with the next."""
        properties = self.changes.present(paragraph.find("pPr"), "pPrChange")
        inside = self._contents > 0 or self._words.in_contents
        found = self._words.read(paragraph, properties, self._flow, shaded=False)
        self._skip_contents(self._styles.name(_style(properties)), inside or found.contents)
        before, self._found = self._found, found
        found.anchors[:0] = before.anchors
        found.boxes[:0] = before.boxes
        found.notes[:0] = before.notes
        found.bold = found.bold and before.bold
        if not self.changes.mark_is_gone(paragraph.find("pPr")):
            self._end_paragraph(paragraph, properties)

    def _end_paragraph(self, paragraph: Element | None, properties: Element | None) -> None:
        words, found = self._flow.take(), self._found
        self._found = Found()
        self._anchors += found.anchors
        if words.text:
            first = len(self.parts)
            self._place(words, properties, found)
            if self._anchors and first < len(self.parts):
                self.parts[first] = replace(self.parts[first], anchors=tuple(self._anchors))
                self._anchors = []
            self._waiting += found.notes
        for key in found.comments:
            self._say_comment(key)
        for box in found.boxes:
            self._blocks(box)

    def _place(self, words: Words, properties: Element | None, found: Found) -> None:
        """Make a heading, an item or a paragraph of words."""
        level = self._styles.heading_level(properties)
        guessed = not self._has_styled_headings and found.bold and may_be_heading(words.text)
        if level or guessed:
            self._heading(words, properties, level or 1)
            return
        numbered = self._number(properties)
        left = self._styles.indent(properties)
        if numbered is None:
            self._loose(words, properties, left or 0)
        else:
            self._item(words, numbered, left)

    def _heading(self, words: Words, properties: Element | None, level: int) -> None:
        self._put_notes()
        numbered = self._number(properties)
        labels = (numbered.label,) if numbered and numbered.label else ()
        shown = numbered.shown if numbered and numbered.label else ""
        self._lists.begin_section()
        self._clauses.clear()
        self.parts.append(
            Part(BlockKind.HEADING, words.text, level, shown, labels, links=words.links)
        )

    def _number(self, properties: Element | None) -> Numbered | None:
        list_id, level, style = self._styles.numbering(properties)
        found = self._numbers.next(list_id, level, style) if list_id else None
        if found and not found.known:
            what = f"Word may show another number than {found.shown} here; compare it"
            self.saying.say(NoteKind.NUMBERING, what)
        return found

    def _item(self, words: Words, numbered: Numbered, left: int | None) -> None:
        own = left if left is not None else numbered.left or 0
        if not self._lists:
            self._base = self._clauses.level
        opens, labels = self._lists.item(numbered, own)
        level = min(self._base + len(self._lists), MAX_LIST_LEVEL)
        item = ItemStart(numbered.shown, numbered.label, level, opens)
        parts = self._lines(words, BlockKind.PARAGRAPH, level, own)
        parts[0] = mark_item(parts[0], item)
        if len(labels) > 1:
            parts[0] = replace(parts[0], labels=(*labels[:-1], *parts[0].labels))
        self.parts += parts

    def _loose(self, words: Words, properties: Element | None, left: int) -> None:
        """A paragraph without a number of Word's: inside the lists it is set in as far as."""
        style = self._styles.name(_style(properties))
        kind = BlockKind.QUOTE if "quote" in style else BlockKind.PARAGRAPH
        # A quotation is set in by its style, not since it is part of an item.
        self._lists.paragraph(0 if kind is BlockKind.QUOTE else left)
        level = min(self._base + len(self._lists), MAX_LIST_LEVEL) if self._lists else 0
        self.parts += self._lines(words, kind, level, left)

    def _lines(self, words: Words, kind: BlockKind, level: int, left: int) -> list[Part]:
        """Words as parts: the author may have written clauses, '(a) ...', by hand."""
        lines = [" " * min(left // _STEP, 80) + line for line in words.text.split("\n")]
        clauses = self._clauses if level == 0 else ListStack()
        found = list(read_lines(lines, clauses, joins=joins_open, base=level, kind=kind))
        return spread_links(found, words)

    # Tables

    def _table(self, table: Element) -> None:
        grid = find_grid(table, self.changes)
        if all(len(row.cells) < 2 for row in grid):
            # A box around text is no table.
            for row in grid:
                for cell in row.cells:
                    self._blocks(cell.element)
                    self._end_paragraph(None, None)
            return
        header = has_header(table, grid, self._styles)
        row_headers = has_row_headers(table, self._styles)
        style = value(table.find("tblPr"), "tblStyle")
        coloured = self._styles.colours(style) or is_shaded(table.find("tblPr"))
        self._lists.end()
        opens = True
        for row_number, row in enumerate(grid):
            if row.is_hidden:
                gone = " ".join(_text(cell.element) for cell in row.cells)
                self.saying.say(NoteKind.HIDDEN_TEXT, "A hidden row was left out", gone)
                continue
            cells: list[CellWords] = []
            is_header = row.is_header or (header and row_number == 0)
            for cell in row.cells:
                words = self._cell(cell.element, coloured)
                names = is_header or (row_headers and not cells)
                cells.append(CellWords(words, names, cell.columns, cell.rows))
            if not cells:
                continue
            anchors, self._anchors = tuple(self._anchors), []
            part = linked_row(cells, header=is_header, opens=opens)
            self.parts.append(replace(part, anchors=anchors))
            opens = False

    def _cell(self, cell: Element, coloured: bool) -> Words:
        """The words of a cell; its paragraphs, lists and inner tables are one text.

        `coloured` where the table gives its cells a ground on which white is seen.
        """
        outer, self._flow = self._flow, Flow()
        shaded = coloured or is_shaded(cell.find("tcPr"))
        for paragraph in cell.iter("p"):
            properties = self.changes.present(paragraph.find("pPr"), "pPrChange")
            numbered = self._number(properties)
            if numbered:
                self._flow.write(f" {numbered.shown} ")
            found = self._words.read(paragraph, properties, self._flow, shaded=shaded)
            self._anchors += found.anchors
            self._waiting += found.notes
            for key in found.comments:
                self._say_comment(key)
            self._flow.write(" ")
        inner, self._flow = self._flow, outer
        return inner.take()

    # What stands beside the text

    def _mark(self, kind: str, key: str) -> str:
        """The number of a footnote as the page shows it, '' for one that is not there."""
        if key not in self._notes[kind]:
            return ""
        labels = self._labels[kind]
        if key not in labels:
            count = len(labels) + 1
            labels[key] = str(count) if kind == "footnote" else f"e{count}"
        return labels[key]

    def _put_notes(self) -> None:
        """Put the footnotes of a section at its end."""
        waiting, self._waiting = self._waiting, []
        for kind, key in waiting:
            marker = self._labels[kind][key]
            anchors: tuple[str, ...] = (f"{kind}:{key}",)
            for paragraph in self._notes[kind][key].iter("p"):
                properties = paragraph.find("pPr")
                self._words.read(paragraph, properties, self._flow, shaded=False)
                words = self._flow.take()
                if words.text:
                    note = Part(BlockKind.FOOTNOTE, words.text, 0, marker, links=words.links)
                    self.parts.append(replace(note, anchors=anchors))
                    marker, anchors = "", ()

    def _say_comment(self, key: str) -> None:
        comment = self._comments.get(key)
        if comment is not None:
            author = clean_name(comment.get("author", "")) or "someone unnamed"
            self.saying.say(NoteKind.COMMENT, f"A comment by {author} was left out", _text(comment))

    def _skip_contents(self, style: str, inside: bool) -> None:
        """Drop an entry of a table of contents; anything else that stands in one is text."""
        listed = inside and _PAGE_NUMBER.search(self._flow.text)
        if not (listed or style.startswith("toc ")):
            return
        self._flow.take()
        if not self._skipped_contents:
            self.saying.say(NoteKind.LEFT_OUT, "The table of contents was left out")
            self._skipped_contents = True

    def _say_what_is_inside(self) -> None:
        if self.changes.said:
            self.saying.say(NoteKind.TRACKED_CHANGE, self.changes.said)
        names = self._package.names
        if any(name.endswith("vbaProject.bin") for name in names):
            what = "This file holds macros; they were not run and are no part of the text"
            self.saying.say(NoteKind.MACRO, what)
        if any("/embeddings/" in name for name in names):
            self.saying.say(NoteKind.LEFT_OUT, "A file inside this one was left out", "")
        for kind, what in (("header", "The page header"), ("footer", "The page footer")):
            texts = dict.fromkeys(_text(root) for root in self._package.related(kind))
            for text in texts:
                if any(map(str.isalnum, text)):
                    self.saying.say(NoteKind.LEFT_OUT, f"{what} was left out", text)


def _style(properties: Element | None) -> str | None:
    found = properties.find("pStyle") if properties is not None else None
    return found.get("val") if found is not None else None


def _by_id(roots: Iterator[Element], tag: str) -> dict[str, Element]:
    """Footnotes or comments by their id; the lines that part footnotes are none."""
    return {
        element.get("id", ""): element
        for root in roots
        for element in root.iter(tag)
        if element.get("type", "normal") == "normal"
    }


def _text(root: Element) -> str:
    words = (one.text or "" for one in root.iter("t"))
    return " ".join("".join(words).split())
