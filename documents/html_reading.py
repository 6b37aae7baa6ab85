"""Reads a web page, or a piece of HTML inside Markdown, by selectolax.

Only what a browser shows is text. Hidden and struck-out text, comments, scripts,
navigation and pictures are left out, and said to be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from documents.flow import CellWords, Flow, linked_row
from documents.html_elements import (
    BLOCKS,
    CONTAINERS,
    NOTE_MARK,
    PICTURES,
    UNSHOWN,
    WHOLE,
    check_depth,
    children,
    extent,
    footnotes,
    heading_level,
    is_data,
    numbering,
    rows_of,
)
from documents.html_looks import Look, Looks
from documents.html_unseen import say_what_is_unknown, shown_text
from documents.lines import joins_open
from documents.nesting import Nesting
from documents.numbering import spell_number
from documents.parts import Part, Reading
from documents.plain import plain_parts
from documents.saying import Saying
from documents.structure import BlockKind, NoteKind

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(slots=True)
class _Open:
    """An element that is being read."""

    node: LexborNode
    tag: str
    look: Look
    link: tuple[int, str] | None = None
    lists: int = 0
    is_item: bool = False
    hides: bool = False
    unspoken: bool = False
    note: str = ""
    count: int = 0
    step: int = 1


def read_html(source: str) -> Reading:
    """Read a whole page into parts. The title is its only main heading, else its <title>.

    Raises UnreadableError where elements are nested too deep.
    """
    check_depth(source)
    # Inside a body, comments and styles that stand before it are seen like any other.
    page = LexborHTMLParser(f"<!doctype html><body>{source}")
    reader = _PageReader(page)
    reader.read()
    named = page.css_first("title")
    heads = page.css("h1")
    title = heads[0] if len(heads) == 1 else named or (heads[0] if heads else None)
    words = " ".join(title.text().split()) if title else ""
    return Reading("text/html", words, tuple(reader.nesting.parts), tuple(reader.saying.remarks))


class _PageReader:
    """Walks over the elements in order; ends a paragraph wherever a browser would."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self.nesting = Nesting()
        self.saying = Saying(self.nesting.parts)
        self._page = page
        self._looks = Looks(page)
        self._flow = Flow()
        self._open: list[_Open] = []
        self._heading = 0
        self._quotes = 0
        self._in_cell = 0
        self._note = ""
        self._anchors: list[str] = []
        self._hidden: list[str] = []
        self._notes = footnotes(page)

    def read(self) -> None:
        body = self._page.body
        if body is None:
            return
        say_what_is_unknown(self._page, self._looks, self.saying)
        self._walk(body)
        self._flush()

    # The walk: by hand, so that no depth of elements can exhaust the stack.

    def _walk(self, root: LexborNode) -> None:
        depth = len(self._open)
        node: LexborNode | None = root
        while node is not None:
            child = node.child if self._enter(node) else None
            while child is None and len(self._open) > depth:
                if self._open[-1].node.mem_id == node.mem_id:
                    self._leave(self._open.pop())
                if len(self._open) == depth:
                    return
                child = node.next
                if child is None:
                    node = self._open[-1].node
            if child is None:
                return
            node = child

    def _enter(self, node: LexborNode) -> bool:
        """Take in a node; true where its children are to be read."""
        if node.is_text_node:
            self._text(node.text_content or "")
            return False
        if node.is_comment_node:
            self.saying.leave_out(NoteKind.HIDDEN_TEXT, "Hidden text", node.comment_content or "")
            return False
        tag = (node.tag or "").lower()
        if tag in ("template", "noscript", "datalist"):
            # Their content is no part of the tree, so it is taken from their source.
            words = unescape(re.sub(r"<[^>]*>", " ", node.html or ""))
            self.saying.leave_out(NoteKind.HIDDEN_TEXT, "Hidden text", words)
            return False
        if not node.is_element_node or tag in UNSHOWN:
            return False
        around = self._open[-1].look if self._open else Look()
        look = self._looks.below(node, around)
        if look.gone or look.struck:
            what = "Hidden text" if look.gone else "Struck-out text"
            self.saying.leave_out(NoteKind.HIDDEN_TEXT, what, node.text(separator=" "))
            return False
        attributes = node.attributes
        if tag in PICTURES:
            words = attributes.get("alt") or node.text(separator=" ")
            self.saying.say(NoteKind.PICTURE, "A picture was left out", words or "")
            return False
        role = (attributes.get("role") or "").lower()
        if tag == "nav" or role in ("navigation", "search"):
            self._flush()
            self.saying.leave_out(NoteKind.LEFT_OUT, "Navigation", node.text(separator=" "))
            return False
        unspoken = bool(self._open) and self._open[-1].unspoken
        if not unspoken and attributes.get("aria-hidden") == "true":
            unspoken = True
            words = node.text(separator=" ")
            if any(map(str.isalnum, words)):
                self.saying.say(
                    NoteKind.MARKUP, "Text that screen readers leave out was kept", words
                )
        hides = around.shown and not look.shown
        return self._open_element(_Open(node, tag, look, hides=hides, unspoken=unspoken))

    def _open_element(self, one: _Open) -> bool:
        node, tag, attributes = one.node, one.tag, one.node.attributes
        if tag in BLOCKS:
            self._flush()
        names = [name for name in (attributes.get("id"), attributes.get("name")) if name]
        self._anchors += names
        if not self._note and tag in ("li", "p", "div", "aside", "section", "dd", "span", "td"):
            self._note = one.note = next((self._notes[n] for n in names if n in self._notes), "")
        if tag == "a" and self._skip_or_link(one, attributes.get("href") or ""):
            return False
        if tag == "table" and not self._in_cell and is_data(node):
            self._table(node, one.look)
            return False
        if tag == "pre" and not self._in_cell:
            self._preformatted(node, one.look)
            return False
        if tag == "ol":
            one.count, one.step = numbering(node)
        self._open.append(one)
        if tag == "br":
            if self._in_cell:
                self._flow.write(" ")
            else:
                self._flow.break_line()
        elif tag == "q":
            self._flow.write("“")
        elif tag == "blockquote":
            self._quotes += 1
        elif not self._in_cell:
            self._open_structure(one)
        elif tag == "li":
            self._flow.write(f" {self._marker(one)[0]} ")
        return True

    def _open_structure(self, one: _Open) -> None:
        if self._note:
            return
        if one.tag in ("ul", "ol", "menu"):
            self.nesting.open_list()
            one.lists = 1
        elif one.tag in ("li", "dd"):
            parent = one.node.parent
            if one.tag == "dd" or parent is None or parent.tag not in ("ul", "ol", "menu"):
                self.nesting.open_list()
                one.lists = 1
            self.nesting.open_item(*(self._marker(one) if one.tag == "li" else ("", "")))
            one.is_item = True
        elif level := heading_level(one.node, one.tag):
            self._heading = level

    def _marker(self, item: _Open) -> tuple[str, str]:
        """What a browser shows before an item, and its label in a clause number."""
        around = next((one for one in reversed(self._open[:-1]) if one.tag in ("ol", "ul")), None)
        if around is None or around.tag == "ul":
            return ("•" if item.look.bullets else ""), ""
        own = item.node.attributes.get("value") or ""
        if WHOLE.match(own):
            around.count = int(own)
        number = spell_number(around.count, around.node.attributes.get("type") or "1")
        around.count += around.step
        return (f"{number}.", number) if item.look.bullets else ("", "")

    def _leave(self, one: _Open) -> None:
        if one.tag in BLOCKS or one.note:
            self._flush()
        if one.tag == "q":
            self._flow.write("”")
        elif one.tag == "blockquote":
            self._quotes -= 1
        if one.link:
            self._flow.link(*one.link)
        if one.is_item:
            self.nesting.close_item()
        if one.lists:
            self.nesting.close_list()
        if one.note:
            self._note = ""
        if heading_level(one.node, one.tag):
            self._heading = 0
        if one.hides:
            self.saying.leave_out(NoteKind.HIDDEN_TEXT, "Hidden text", "".join(self._hidden))
            self._hidden.clear()

    def _text(self, text: str) -> None:
        if self._open and not self._open[-1].look.shown:
            self._hidden.append(text)
        elif any(one.tag == "sup" for one in self._open[-3:]) and text.strip().isdigit():
            self._flow.write(text.translate(_RAISED))
        else:
            self._flow.write(text)

    def _flush(self) -> None:
        """End the paragraph, item or heading that is being read."""
        if self._in_cell:
            self._flow.write(" ")
            return
        words = self._flow.take()
        if not words.text:
            return
        first = len(self.nesting.parts)
        if self._note:
            marker = "" if self._note == "-" else self._note
            note = Part(BlockKind.FOOTNOTE, words.text, marker=marker, links=words.links)
            self.nesting.add(note)
            # Only the first paragraph of a footnote has its mark.
            self._note = "-"
        elif self._heading:
            self.nesting.add(
                Part(BlockKind.HEADING, words.text, level=self._heading, links=words.links)
            )
        else:
            kind = BlockKind.QUOTE if self._quotes else BlockKind.PARAGRAPH
            indent = 2 * sum(one.tag in CONTAINERS for one in self._open)
            self.nesting.paragraph(words, kind, joins=joins_open, indent=indent)
        if self._anchors and self.nesting.anchor(first, self._anchors):
            self._anchors = []

    def _skip_or_link(self, one: _Open, href: str) -> bool:
        """Begin a link inside the page; true for a footnote's mark or the way back from one."""
        if not href.startswith("#") or len(href) < 2:
            return False
        target = href[1:]
        words = one.node.text().strip()
        if target in self._notes and NOTE_MARK.match(words):
            self._flow.mark(target, self._notes[target])
            return True
        back = "backlink" in (one.node.attributes.get("role") or "")
        if self._note and (back or not any(map(str.isalnum, words)) or NOTE_MARK.match(words)):
            return True
        one.link = (self._flow.position, target)
        return False

    def _table(self, table: LexborNode, look: Look) -> None:
        first = len(self.nesting.parts)
        opens = True
        for row in rows_of(table):
            if row.tag == "caption":
                self._walk(row)
                self._flush()
                continue
            part = self._row(row, look, opens=opens)
            if part:
                self.nesting.add(part)
                opens = False
        if self._anchors and self.nesting.anchor(first, self._anchors):
            self._anchors = []

    def _row(self, row: LexborNode, look: Look, *, opens: bool) -> Part | None:
        inside = self._looks.below(row, look)
        if inside.gone:
            self.saying.leave_out(NoteKind.HIDDEN_TEXT, "Hidden text", row.text(separator=" "))
            return None
        cells: list[CellWords] = []
        for cell in children(row):
            if cell.tag not in ("td", "th"):
                continue
            if self._looks.below(cell, inside).gone:
                self.saying.leave_out(NoteKind.HIDDEN_TEXT, "Hidden text", cell.text(separator=" "))
                continue
            self._in_cell += 1
            self._open.append(_Open(row, "tr", inside))
            self._walk(cell)
            self._open.pop()
            self._in_cell -= 1
            columns, rows = extent(cell, "colspan"), extent(cell, "rowspan")
            cells.append(CellWords(self._flow.take(), cell.tag == "th", columns, rows))
        if not cells:
            return None
        parent = row.parent
        head = parent is not None and parent.tag == "thead"
        header = head or all(cell.header for cell in cells)
        return linked_row(cells, header=header, opens=opens)

    def _preformatted(self, node: LexborNode, look: Look) -> None:
        """Code stays as it is; other text in a fixed width is read as plain text."""
        text = shown_text(node, look, self._looks, self.saying).rstrip()
        if node.css_first("code, kbd, samp") is not None:
            self.nesting.add(Part(BlockKind.CODE, text.strip("\n"), self.nesting.level))
        else:
            self.nesting.add_all(plain_parts(text))
