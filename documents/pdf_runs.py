"""The characters of a PDF page as runs: stretches of one line in one style, with their places.

What stands apart on a line is in runs of its own. PDFium expands ligatures to their
letters.
"""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from documents.pdf_shapes import Box, Frame, Shapes, is_light, read_color

# Noncharacters of Unicode carry the places of page ends and footnote marks through the text.
# INVARIANT: none comes out of a file, since `_letter` drops them.
MARKS = "".join(map(chr, range(0xFDD0, 0xFDF0)))

# What is further apart on a line than this, in sizes of the text, are two runs.
APART = 0.75

# Light text is looked for on no more than so many of the largest boxes and pictures.
_MAX_GROUNDS = 1_000

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


def read_runs(
    words: pdfium.PdfTextPage, frame: Frame, seen: Box, shapes: Shapes
) -> tuple[list[Run], int]:
    """The runs of a page in the order of the file, and how many letters have no text.

    `seen` is the part of the page that is displayed.
    """
    runs: list[Run] = []
    lost = 0
    painted = [box for box in shapes.boxes if box.filled] + shapes.pictures
    grounds = sorted(painted, key=lambda box: -box.area)[:_MAX_GROUNDS]
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
            lost += 1
            continue
        raw.FPDFText_GetLooseCharBox(words, index, rect)
        raw.FPDFText_GetCharOrigin(words, index, x, y)
        box = frame.box(rect.left, rect.bottom, rect.right, rect.top)
        hidden = style.hidden or _hidden(box, style, seen, grounds)
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
            runs.append(current)
        last = left
    return runs, lost


@dataclass(slots=True)
class _Style:
    size: float
    bold: bool
    angle: int
    mono: bool
    hidden: str
    light: bool


_NO_STYLE = _Style(0, False, 0, False, "", False)


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


def _style(words: pdfium.PdfTextPage, index: int, owner: object, frame: Frame) -> _Style:
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
    light = filled and is_light(
        read_color(lambda thing, *into: raw.FPDFText_GetFillColor(words, thing, *into), index)
    )
    mono = "courier" in font or "mono" in font or "wingding" in font
    return _Style(size, bold, round(turned) % 360, mono, hidden, light)


def _hidden(box: Box, style: _Style, seen: Box, grounds: Sequence[Box]) -> str:
    x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
    if not (seen.left <= x <= seen.right and seen.bottom <= y <= seen.top):
        return "outside"
    if style.light:
        # Light text on a dark ground is seen.
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
        return is_right_to_left(run.text[0]) and apart < APART * run.size
    return -0.6 * run.size < one.left - run.right < APART * run.size


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


def plain_text(runs: Sequence[Run]) -> str:
    """The words of some runs in their order, for a remark."""
    return " ".join(" ".join(run.text for run in runs).split())
