"""The words of a Word paragraph: runs, links, fields, footnotes' marks, what is hidden."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from documents.docx_changes import Changes
from documents.docx_package import number, value
from documents.docx_styles import Styles
from documents.flow import Flow
from documents.structure import NoteKind

_DESCEND = frozenset({"ins", "del", "moveTo", "moveFrom", "smartTag", "customXml", "dir", "bdo"})
# Signs of the fonts Symbol and Wingdings that policies use.
_SYMBOLS = {
    "\uf0b7": "•", "\uf0a7": "▪", "\uf06e": "■", "\uf076": "❖", "\uf0d8": "➢", "\uf0e0": "→",
    "\uf0fc": "✓", "\uf0a8": "☐", "\uf06f": "☐", "\uf0fd": "☒", "\uf0fe": "☑", "\uf0b3": "≥",
    "\uf0a3": "≤", "\uf0b4": "×", "\uf0b1": "±", "\uf0b9": "≠", "\uf0b0": "°",
}  # fmt: skip
# Shown white on a page is not shown: channels from here on count as white.
_WHITE_FROM = 0xEF
# Half points; letters of this size are not seen.
_TINY = 2
_FIELD_TARGET = re.compile(
    r'^\s*(?:HYPERLINK\s+\\l\s+"?([^"\s]+)|(?:REF|NOTEREF)\s+"?([^"\s\\]+))', re.I
)


@dataclass(slots=True)
class _Field:
    """A field while it is read: its instruction, then its result."""

    instruction: str = ""
    in_result: bool = False
    start: int = 0


@dataclass(slots=True)
class Found:
    """What a paragraph holds beside its words."""

    anchors: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    bold: bool = True
    contents: bool = False


class WordReader:
    """Writes the words of paragraphs into a flow. Fields may run over several paragraphs."""

    def __init__(
        self,
        styles: Styles,
        changes: Changes,
        mark: Callable[[str, str], str],
        remark: Callable[[NoteKind, str, str], None],
        roots: Iterable[Element],
    ) -> None:
        """`mark(kind, id)` gives a footnote's label; `remark(kind, what, words)` says something.

        A field that never ends in one of `roots` would take in all text behind it,
        so it is not one.
        """
        self._styles = styles
        self._changes = changes
        self._mark = mark
        self._remark = remark
        self._fields: list[_Field] = []
        self._unclosed = {begin for root in roots for begin in _unclosed(root)}

    @property
    def in_contents(self) -> bool:
        """True inside a field that Word makes a table of contents or an index of."""
        return any(re.match(r"\s*(?:TOC|INDEX|TOA)\b", one.instruction) for one in self._fields)

    def read(
        self, paragraph: Element, properties: Element | None, flow: Flow, *, shaded: bool
    ) -> Found:
        """Write the words of `paragraph` into `flow`; `shaded` where its cell has a colour."""
        found = Found()
        self._children(paragraph, _Place(properties, flow, found, shaded, is_shaded(properties)))
        return found

    def _children(self, parent: Element, place: _Place) -> None:
        for child in parent:
            self._take(child, place)

    def _take(self, element: Element, place: _Place) -> None:
        tag = element.tag
        if self._changes.is_gone(element):
            return
        if tag == "r":
            self._run(element, place)
        elif tag in _DESCEND:
            self._children(element, place)
        elif tag == "hyperlink":
            start = place.flow.position
            self._children(element, place)
            if element.get("anchor"):
                place.flow.link(start, f"bookmark:{element.get('anchor')}")
        elif tag == "fldSimple":
            self._fields.append(_Field(element.get("instr", ""), True, place.flow.position))
            self._children(element, place)
            self._end_field(place)
        elif tag == "sdt":
            content = element.find("sdtContent")
            if content is not None:
                self._children(content, place)
        elif tag == "bookmarkStart":
            place.found.anchors.append(f"bookmark:{element.get('name', '')}")
        elif tag == "AlternateContent":
            chosen = element.find("Choice")
            chosen = element.find("Fallback") if chosen is None else chosen
            if chosen is not None:
                self._children(chosen, place)
        elif tag in ("drawing", "pict", "object"):
            self._drawing(element, place)
        elif tag in ("oMath", "oMathPara"):
            words = "".join(one.text or "" for one in element.iter("t"))
            place.flow.write(words)
            self._remark(NoteKind.MARKUP, "A formula was read as its letters only", words)
        elif tag == "ruby":
            base = element.find("rubyBase")
            if base is not None:
                self._children(base, place)

    def _run(self, run: Element, place: _Place) -> None:
        properties = self._changes.present(run.find("rPr"), "rPrChange")
        text = Flow()
        held = replace(place, flow=text)
        hidden = self._is_hidden(properties, place)
        for child in run:
            if child.tag in ("t", "delText", "noBreakHyphen", "tab", "br", "cr", "sym"):
                self._character(child, held if hidden else place)
            elif child.tag == "fldChar":
                self._field(child, place)
            elif child.tag == "instrText" and self._fields and not self._fields[-1].in_result:
                self._fields[-1].instruction += child.text or ""
            elif child.tag in ("footnoteReference", "endnoteReference"):
                kind, key = child.tag.removesuffix("Reference"), child.get("id", "")
                label = self._mark(kind, key)
                if label:
                    place.flow.mark(f"{kind}:{key}", label)
                    place.found.notes.append((kind, key))
            elif child.tag == "commentReference":
                place.found.comments.append(child.get("id", ""))
            elif child.tag != "rPr":
                self._take(child, place)
        words = text.take().text
        if words:
            self._remark(NoteKind.HIDDEN_TEXT, "Hidden text was left out", words)
        elif run.find("t") is not None and not self._styles.is_on(
            place.properties, properties, "b"
        ):
            place.found.bold = False

    def _character(self, child: Element, place: _Place) -> None:
        if self._fields and not self._fields[-1].in_result:
            if (child.text or "").strip():
                what = "Text in the instruction of a field was left out"
                self._remark(NoteKind.HIDDEN_TEXT, what, child.text or "")
            return
        place.found.contents = place.found.contents or self.in_contents
        if child.tag in ("t", "delText"):
            place.flow.write(child.text or "")
        elif child.tag == "noBreakHyphen":
            place.flow.write("\u2011")
        elif child.tag == "sym":
            place.flow.write(self._symbol(child))
        elif child.tag == "tab" or child.get("type") in ("page", "column"):
            place.flow.write(" ")
        else:
            place.flow.break_line()

    def _symbol(self, element: Element) -> str:
        code = element.get("char", "")
        sign = chr(int(code, 16)) if re.fullmatch(r"[0-9A-Fa-f]{4}", code) else ""
        if "\ue000" <= sign <= "\uf8ff":
            known = _SYMBOLS.get(sign)
            if known is None:
                font = " ".join(element.get("font", "an unknown font").split())[:40]
                self._remark(NoteKind.MARKUP, f"A sign of the font {font} is shown as a box", "")
            return known or "□"
        return "" if "\ud800" <= sign <= "\udfff" or sign < " " else sign

    def _field(self, element: Element, place: _Place) -> None:
        kind = element.get("fldCharType")
        if element in self._unclosed:
            return
        if kind == "begin":
            self._fields.append(_Field(start=place.flow.position))
        elif kind == "separate" and self._fields:
            self._fields[-1].in_result = True
            self._fields[-1].start = place.flow.position
        elif kind == "end" and self._fields:
            self._end_field(place)

    def _end_field(self, place: _Place) -> None:
        ended = self._fields.pop()
        target = _FIELD_TARGET.match(ended.instruction)
        if target:
            place.flow.link(ended.start, f"bookmark:{target[1] or target[2]}")

    def _drawing(self, element: Element, place: _Place) -> None:
        boxes = list(element.iter("txbxContent"))
        place.found.boxes += boxes[:1] if element.tag == "drawing" else boxes
        if not boxes:
            words = next((e.get("descr", "") for e in element.iter("docPr") if e.get("descr")), "")
            what = "An embedded object" if element.tag == "object" else "A picture"
            self._remark(NoteKind.PICTURE, f"{what} was left out", words)

    def _is_hidden(self, run: Element | None, place: _Place) -> bool:
        paragraph = place.properties
        if self._styles.is_on(paragraph, run, "vanish"):
            return True
        size = self._styles.run_value(paragraph, run, "sz")
        if size is not None and number(size, 24) <= _TINY:
            return True
        colour = self._styles.run_value(paragraph, run, "color")
        if not colour or not re.fullmatch(r"[0-9A-Fa-f]{6}", colour):
            return False
        white = all(int(colour[at : at + 2], 16) >= _WHITE_FROM for at in (0, 2, 4))
        ground = place.shaded or place.paragraph_shaded or is_shaded(run)
        lit = run is not None and run.find("highlight") is not None
        return white and not (ground or lit)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where words are written, and what is around them."""

    properties: Element | None
    flow: Flow
    found: Found
    shaded: bool
    paragraph_shaded: bool


def _unclosed(root: Element) -> list[Element]:
    """The beginnings of fields that have no end."""
    begun: list[Element] = []
    for element in root.iter("fldChar"):
        kind = element.get("fldCharType")
        if kind == "begin":
            begun.append(element)
        elif kind == "end" and begun:
            begun.pop()
    return begun


def is_shaded(properties: Element | None) -> bool:
    """True where a cell, paragraph or run has a ground of another colour than white."""
    fill = value(properties, "shd", "fill")
    return fill is not None and fill.lower() not in ("auto", "ffffff")
