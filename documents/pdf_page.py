"""Takes the words of a PDF page with their places: the one home of pypdfium2.

Places are in points of the page as it is displayed, from its lower left corner.
A `Run` is a stretch of one line in one style; what stands apart on a line is in
runs of its own. PDFium expands ligatures to their letters. It is not safe to
use from two threads at once; `documents.read` gives every file its own process.
"""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from documents.errors import UnreadableError
from documents.limits import Limits, check_pages

# Noncharacters of Unicode carry the places of page ends and footnote marks through the text.
# INVARIANT: none comes out of a file, since `_letter` drops them.
MARKS = "".join(map(chr, range(0xFDD0, 0xFDF0)))

# A size, in points, below which nobody reads.
_TINY = 1.5

# Word writes its bullets as private characters of the fonts Symbol and Wingdings.
_SYMBOLS = {
    0xF0B7: "•",
    0xF0A7: "▪",
    0xF0A8: "◦",
    0xF0D8: "•",
    0xF0FC: "•",
    0xF076: "•",
    0xF06F: "◦",
    0xF02D: "-",
    # PDFium's own sign for a hyphen at the end of a line.
    0x02: "-",
    0xFFFE: "-",
}
_SPACES = {0x20, 0xA0, 0x09, 0x3000, *range(0x2000, 0x200B)}
_BREAKS = {0x0D, 0x0A}
_BOLD_NAMES = ("bold", "black", "heavy", "demi")


@dataclass(slots=True)
class Run:
    """Characters of one line and style. `baseline`, `left` and `right` are in points.

    `hidden` says why nobody sees it, '' for text that is seen. `angle` is the
    direction it is written in, in degrees; its places are those of the page
    turned so that it reads from left to right.
    """

    text: str
    left: float
    right: float
    baseline: float
    size: float
    bold: bool
    hidden: str = ""
    angle: int = 0
    mono: bool = False

    @property
    def top(self) -> float:
        return self.baseline + 0.75 * self.size

    @property
    def bottom(self) -> float:
        return self.baseline - 0.2 * self.size


@dataclass(slots=True)
class Box:
    """A filled or stroked shape, or a picture, in points of the displayed page.

    `segments` are the lines and curves that a shape is drawn of.
    """

    left: float
    bottom: float
    right: float
    top: float
    filled: bool = False
    segments: int = 0

    @property
    def area(self) -> float:
        return max(self.right - self.left, 0) * max(self.top - self.bottom, 0)


@dataclass(slots=True)
class Page:
    """One page. `shapes` are lines and boxes drawn on it; `lost` counts letters without text."""

    number: int
    width: float
    height: float
    runs: list[Run] = field(default_factory=list)
    shapes: list[Box] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)
    lost: int = 0
    recognized: bool = False
    unread: list[str] = field(default_factory=list)

    @property
    def is_picture(self) -> bool:
        """True where a picture covers most of the page, as in a scan."""
        return any(box.area > 0.5 * self.width * self.height for box in self.pictures)


class PdfFile:
    """An open PDF. `pages` reads one page after the other, so that memory stays small."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        """Raises UnreadableError for a locked or damaged file, LimitError for too many pages."""
        try:
            self._document = pdfium.PdfDocument(data)
            count = len(self._document)
        except pdfium.PdfiumError as error:
            raise _refusal(error) from error
        if not count:
            raise _damaged()
        check_pages(count, limits)
        self.count = count

    @property
    def title(self) -> str:
        """The title that its maker wrote into it, with blanks collapsed; '' where there is none."""
        title = " ".join(self._document.get_metadata_value("Title").split())
        return "".join(one for one in title if one.isprintable() and one not in MARKS)

    @property
    def has_scripts(self) -> bool:
        return bool(raw.FPDFDoc_GetJavaScriptActionCount(self._document) > 0)

    @property
    def attachments(self) -> int:
        return int(raw.FPDFDoc_GetAttachmentCount(self._document))

    def pages(self) -> Iterator[Page]:
        """Each page in turn. Raises UnreadableError naming a page that cannot be read."""
        for index in range(self.count):
            try:
                page = self._document[index]
                words = page.get_textpage()
                read = _read_page(index + 1, page, words)
                words.close()
                page.close()
            except pdfium.PdfiumError as error:
                raise UnreadableError(
                    f"Page {index + 1:,} of this PDF is damaged; print the document to a new PDF "
                    "and upload that."
                ) from error
            yield read

    def close(self) -> None:
        self._document.close()


def _refusal(error: pdfium.PdfiumError) -> UnreadableError:
    code = raw.FPDF_GetLastError()
    if code == raw.FPDF_ERR_PASSWORD or "password" in str(error).lower():
        return UnreadableError(
            "This file needs a password; remove the password (print it to a new PDF) and upload "
            "it again."
        )
    if code == raw.FPDF_ERR_SECURITY or "security" in str(error).lower():
        return UnreadableError(
            "This PDF is locked in a way that is not understood; print it to a new PDF and upload "
            "that."
        )
    return _damaged()


def _damaged() -> UnreadableError:
    return UnreadableError(
        "This PDF is damaged and cannot be opened; print the document to a new PDF and upload that."
    )


@dataclass(slots=True)
class _Frame:
    """How the page is turned for display: maps points of the file to points on display."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    def point(self, x: float, y: float) -> tuple[float, float]:
        if self.rotation == 90:
            return y - self.bottom, self.right - x
        if self.rotation == 180:
            return self.right - x, self.top - y
        if self.rotation == 270:
            return self.top - y, x - self.left
        return x - self.left, y - self.bottom

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        one, two = self.point(left, bottom), self.point(right, top)
        return Box(
            min(one[0], two[0]), min(one[1], two[1]), max(one[0], two[0]), max(one[1], two[1])
        )


def _read_page(number: int, page: pdfium.PdfPage, words: pdfium.PdfTextPage) -> Page:
    left, bottom, right, top = page.get_mediabox()
    frame = _Frame(left, bottom, right, top, page.get_rotation())
    seen = frame.box(*page.get_cropbox())
    result = Page(number, *page.get_size())
    _read_shapes(page, frame, result)
    _read_characters(words, frame, seen, result)
    _add_drawn_bullets(result)
    _find_unread(page, result)
    return result


def _read_shapes(page: pdfium.PdfPage, frame: _Frame, result: Page) -> None:
    for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE]):
        try:
            box = frame.box(*one.get_bounds())
        except pdfium.PdfiumError:
            continue  # a shape without bounds covers nothing
        if one.type == raw.FPDF_PAGEOBJ_IMAGE:
            result.pictures.append(box)
            continue
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(one, fill, stroke)
        light = _is_light(_color(raw.FPDFPageObj_GetFillColor, one))
        box.filled = bool(fill.value) and not light
        box.segments = raw.FPDFPath_CountSegments(one)
        if box.filled or stroke.value:
            result.shapes.append(box)


def _color(get: object, thing: object) -> tuple[int, int, int, int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    found = get(thing, red, green, blue, alpha)  # type: ignore[operator]
    return (red.value, green.value, blue.value, alpha.value) if found else (0, 0, 0, 255)


def _is_light(color: tuple[int, int, int, int]) -> bool:
    """True for a colour that cannot be told from white paper."""
    return min(color[:3]) >= 250 or color[3] < 8


@dataclass(slots=True)
class _Style:
    size: float
    bold: bool
    angle: int
    mono: bool
    hidden: str
    light: bool


_NO_STYLE = _Style(0, False, 0, False, "", False)


def _read_characters(words: pdfium.PdfTextPage, frame: _Frame, seen: Box, result: Page) -> None:
    """Cut the characters of a page into runs, in the order of the file."""
    rect = raw.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    current: Run | None = None
    style = _NO_STYLE
    known = 0
    last = math.nan
    word: list[tuple[float, str]] = []
    for index in range(raw.FPDFText_CountChars(words)):
        code = raw.FPDFText_GetUnicode(words, index)
        if code in _BREAKS:
            current = None
            continue
        if code in _SPACES:
            if current is not None and not current.text.endswith(" "):
                current.text += " "
            word = []
            continue
        owner = raw.FPDFText_GetTextObject(words, index)
        address = ctypes.addressof(owner.contents) if owner else 0
        if address != known:
            style, known = _style(words, index, owner, frame), address
        letter = _letter(code)
        if not letter:
            result.lost += 1
            continue
        raw.FPDFText_GetLooseCharBox(words, index, rect)
        raw.FPDFText_GetCharOrigin(words, index, x, y)
        box = frame.box(rect.left, rect.bottom, rect.right, rect.top)
        hidden = style.hidden or _hidden(box, style, seen, result)
        left, right, baseline = _turn(box, frame.point(x.value, y.value), style.angle)
        one = Run(
            letter, left, right, baseline, style.size, style.bold, hidden, style.angle, style.mono
        )
        # The letters of one ligature have the same place.
        if current is not None and (left == last or _goes_on(current, one)):
            if is_right_to_left(letter):
                word = _add_right_to_left(current, word, left, letter)
            else:
                current.text += letter
            current.left = min(current.left, left)
            current.right = max(current.right, right)
        else:
            current = one
            word = [(left, letter)]
            result.runs.append(current)
        last = left


def _letter(code: int) -> str:
    """The character as text; '' where the file does not say which it is."""
    if code in _SYMBOLS:
        return _SYMBOLS[code]
    # A lone surrogate, NUL and noncharacters are no text; a private character has no meaning here.
    if code == 0 or code == 0xFFFD or 0xD800 <= code <= 0xDFFF or 0xFDD0 <= code <= 0xFDEF:
        return ""
    if code > 0x10FFFF or code & 0xFFFE == 0xFFFE or 0xE000 <= code <= 0xF8FF:
        return ""
    if 0xFB00 <= code <= 0xFB06:
        return unicodedata.normalize("NFKC", chr(code))
    return chr(code)


def _style(words: pdfium.PdfTextPage, index: int, owner: object, frame: _Frame) -> _Style:
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(words, index, matrix)
    scale = math.hypot(matrix.c, matrix.d) or 1.0
    size = raw.FPDFText_GetFontSize(words, index) * scale
    turned = math.degrees(math.atan2(matrix.b, matrix.a)) - frame.rotation
    name = ctypes.create_string_buffer(256)
    flags = ctypes.c_int()
    raw.FPDFText_GetFontInfo(words, index, name, 256, flags)
    font = name.value.decode("utf-8", "replace").lower()
    weight = raw.FPDFText_GetFontWeight(words, index)
    bold = weight >= 600 or any(part in font for part in _BOLD_NAMES)
    mode = raw.FPDFTextObj_GetTextRenderMode(owner) if owner else raw.FPDF_TEXTRENDERMODE_FILL
    invisible = mode in (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
    hidden = "invisible" if invisible else "tiny" if size < _TINY else ""
    filled = mode != raw.FPDF_TEXTRENDERMODE_STROKE
    light = filled and _is_light(
        _color(lambda thing, *into: raw.FPDFText_GetFillColor(words, thing, *into), index)
    )
    mono = "courier" in font or "mono" in font or "wingding" in font
    return _Style(size, bold, round(turned) % 360, mono, hidden, light)


def _hidden(box: Box, style: _Style, seen: Box, page: Page) -> str:
    x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
    if not (seen.left <= x <= seen.right and seen.bottom <= y <= seen.top):
        return "outside"
    if style.light:
        # Light text on a dark ground is seen.
        grounds = [shape for shape in page.shapes if shape.filled] + page.pictures
        on_ground = any(g.left <= x <= g.right and g.bottom <= y <= g.top for g in grounds)
        return "" if on_ground else "white"
    return ""


def _turn(box: Box, origin: tuple[float, float], angle: int) -> tuple[float, float, float]:
    """Left, right and baseline of a character in the frame that its line is written in."""
    if angle == 0:
        return box.left, box.right, origin[1]
    if angle == 90:
        return box.bottom, box.top, -origin[0]
    if angle == 180:
        return -box.right, -box.left, -origin[1]
    if angle == 270:
        return -box.top, -box.bottom, origin[0]
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    along = origin[0] * cos + origin[1] * sin
    width = (box.right - box.left) * abs(cos) + (box.top - box.bottom) * abs(sin)
    return along, along + width / 2, origin[1] * cos - origin[0] * sin


def _goes_on(run: Run, one: Run) -> bool:
    """True where the character `one` stands in the same line and style, right after `run`."""
    if (run.bold, run.angle, run.hidden) != (one.bold, one.angle, one.hidden):
        return False
    if abs(run.size - one.size) > 0.1 * run.size:
        return False
    if abs(run.baseline - one.baseline) > 0.1 * run.size:
        return False
    if is_right_to_left(one.text):
        apart = max(one.left - run.right, run.left - one.right)
        return is_right_to_left(run.text[0]) and apart < run.size
    return -0.6 * run.size < one.left - run.right < run.size


def _add_right_to_left(
    run: Run, word: list[tuple[float, str]], left: float, letter: str
) -> list[tuple[float, str]]:
    """Add a letter to the run's last word, whose letters PDFium may give in either order."""
    before = run.text[: len(run.text) - len(word)]
    word = sorted([*word, (left, letter)], key=lambda place: -place[0])
    run.text = before + "".join(one for _, one in word)
    return word


def is_right_to_left(letter: str) -> bool:
    return letter > "\u0590" and unicodedata.bidirectional(letter) in ("R", "AL", "AN")


def _add_drawn_bullets(page: Page) -> None:
    """Take small drawn dots right before a line for what they are: browsers draw bullets so."""
    dots = [
        shape
        for shape in page.shapes
        if 2 <= shape.right - shape.left <= 7 and 2 <= shape.top - shape.bottom <= 7
    ]
    lines = [run for run in page.runs if run.angle == 0 and not run.hidden] if dots else []
    for dot in dots:
        middle = (dot.bottom + dot.top) / 2
        level = [run for run in lines if run.baseline < middle < run.baseline + 0.8 * run.size]
        right = [run for run in level if 0 < run.left - dot.right < 2 * run.size]
        if right and all(run.left > dot.right for run in level):
            first = min(right, key=lambda run: run.left)
            text = "•" if dot.filled else "◦"
            page.runs.append(Run(text, dot.left, dot.right, first.baseline, first.size, False))


def _find_unread(page: pdfium.PdfPage, result: Page) -> None:
    """Name what lies on the page as notes or form fields, which are not part of its text."""
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        one = raw.FPDFPage_GetAnnot(page, index)
        kind = raw.FPDFAnnot_GetSubtype(one)
        raw.FPDFPage_CloseAnnot(one)
        if kind in _UNREAD:
            result.unread.append(_UNREAD[kind])


_UNREAD = {
    raw.FPDF_ANNOT_TEXT: "a comment",
    raw.FPDF_ANNOT_FREETEXT: "a typed note",
    raw.FPDF_ANNOT_STRIKEOUT: "struck out words",
    raw.FPDF_ANNOT_WIDGET: "a form field",
    raw.FPDF_ANNOT_CARET: "a suggested insertion",
    raw.FPDF_ANNOT_REDACT: "a mark for redaction",
}


def plain_text(runs: Sequence[Run]) -> str:
    """The words of some runs in their order, for a remark."""
    return " ".join(" ".join(run.text for run in runs).split())
