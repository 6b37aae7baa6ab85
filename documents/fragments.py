"""Reads a piece of HTML inside Markdown: its words, items and table rows, without the tags.

Whatever a tag hides is kept and shown, so that the reviewer and the machine see
the same; only comments and scripts are left out, and said to be.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from documents.parts import Part, Reading, Remark, row_part
from documents.structure import BlockKind, NoteKind

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)((?:\s[^<>]*)?/?)>")
_UNSEEN = ("script", "style", "template")
_BREAKS = re.compile(
    r"address|article|aside|blockquote|body|br|caption|center|dd|details|div|dl|dt|figure|footer"
    r"|form|h[1-6]|header|hr|html|li|main|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|tr|ul"
)


def read_fragment(source: str) -> Reading:
    """The parts of an HTML fragment; remarks count parts from the fragment's first."""
    reader = _FragmentReader()
    for kind, value in _tokens(source):
        reader.take(kind, value)
    reader.flush()
    return Reading("text/html", "", tuple(reader.parts), tuple(reader.remarks))


def inline_text(tag: str) -> str:
    """What one inline tag leaves in the text: a line break, or nothing."""
    return "\n" if re.match(r"<br\b", tag, re.IGNORECASE) else ""


def _tokens(source: str) -> Iterator[tuple[str, str]]:
    """('text' | 'open' | 'close' | 'unseen', words or tag name), in one pass."""
    at = 0
    while at < len(source):
        sign = source.find("<", at)
        if sign < 0:
            break
        if sign > at:
            yield "text", source[at:sign]
        tag = _TAG.match(source, sign)
        if source.startswith("<!--", sign):
            end = source.find("-->", sign + 4)
            yield "unseen", source[sign + 4 : end if end >= 0 else len(source)]
            at = end + 3 if end >= 0 else len(source)
        elif tag and not tag[1] and tag[2].lower() in _UNSEEN:
            end_tag = re.compile(f"</{tag[2]}\\s*>", re.IGNORECASE).search(source, tag.end())
            yield "unseen", source[tag.end() : end_tag.start() if end_tag else len(source)]
            at = end_tag.end() if end_tag else len(source)
        elif tag:
            yield "close" if tag[1] else "open", tag[2].lower()
            at = tag.end()
        else:
            yield "text", "<"
            at = sign + 1
    if at < len(source):
        yield "text", source[at:]


class _FragmentReader:
    """Collects words until a tag ends the paragraph, item or cell they are in."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.remarks: list[Remark] = []
        self._words: list[str] = []
        self._cells: list[str] = []
        self._header = False
        self._new_table = True
        self._lists = 0
        self._item = False
        self._heading = 0
        self._opens = 0

    def take(self, kind: str, value: str) -> None:
        if kind == "text":
            self._words.append(value)
        elif kind == "unseen":
            if value.strip():
                message = f"Hidden text was left out: `{_shorten(value)}`"
                self.remarks.append(Remark(NoteKind.HIDDEN_TEXT, message, len(self.parts)))
        elif value in ("td", "th"):
            self._take_cell(kind, value)
        elif _BREAKS.fullmatch(value):
            if value == "br" and self._cells:
                self._words.append(" ")
                return
            self.flush()
            self._take_break(kind, value)

    def flush(self) -> None:
        """End the paragraph, item, heading or table row that is being read."""
        text = " ".join(html.unescape("".join(self._words)).split())
        self._words.clear()
        if self._cells:
            self._cells[-1] = text
            if any(self._cells):
                row = row_part(self._cells, header=self._header, opens=self._new_table)
                self.parts.append(row)
            self._new_table, self._cells = False, []
        elif text and self._heading:
            self.parts.append(Part(BlockKind.HEADING, text, level=self._heading))
        elif text and self._item:
            item = Part(BlockKind.ITEM, text, max(self._lists, 1), "•", ("",), self._opens)
            self.parts.append(item)
            self._item, self._opens = False, 0
        elif text:
            self.parts.append(Part(BlockKind.PARAGRAPH, text, self._lists))

    def _take_cell(self, kind: str, value: str) -> None:
        if kind == "close":
            return
        if self._cells:
            self._cells[-1] = " ".join(html.unescape("".join(self._words)).split())
            self._words.clear()
        else:
            self.flush()
            self._header = value == "th"
        self._header = self._header and value == "th"
        self._cells.append("")

    def _take_break(self, kind: str, value: str) -> None:
        is_open = kind == "open"
        if value in ("ul", "ol"):
            self._lists = self._lists + 1 if is_open else max(self._lists - 1, 0)
            self._opens = self._opens + 1 if is_open else 0
            self._item = False
        elif value == "li":
            self._item = is_open
        elif value == "table":
            self._new_table = True
        elif value[0] == "h" and value[1:].isdigit():
            self._heading = int(value[1:]) if is_open else 0


def _shorten(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:80]}..."
