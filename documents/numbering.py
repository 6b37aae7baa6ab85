"""List markers and clause numbers as they are written: '(a)', '1.', 'iv.', '4.2', '§ 7', '-'.

`find_markers` sees what a line begins with. `ListStack` turns the markers of a
flat text into nested levels: a style seen before goes on with its list, a new
style opens a list inside. `join_number` puts a clause number together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from documents.parts import MAX_LIST_LEVEL

# '(a)(1)(i)(A)' is four markers; a longer run is no clause.
_MAX_CHAIN = 6
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN_PARTS = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_GAP = r"(?:\s+|$)"
_BULLET = re.compile(r"([-*•·‣◦▪●○■□–—])" + _GAP)
_PAREN = re.compile(r"\((\d{1,3}|[a-z]{1,2}|[A-Z]|[ivxlc]{1,6}|[IVXLC]{1,6})\)\s*")
_PLAIN = re.compile(r"(\d{1,3}|[A-Za-z]|[ivxlc]{1,6}|[IVXLC]{1,6})([.)])" + _GAP)
_SENTENCE_START = r"(?=[A-Z\"“'‘(\[]|$)"
_DOTTED = re.compile(r"(\d{1,3}(?:\.\d{1,3})+(?:\(\w{1,5}\))*)[.)]?" + _GAP + _SENTENCE_START)
_SECTION = re.compile(
    r"(?:§+\s?(\d[\w.\-]*(?:\(\w{1,5}\))*)|"
    r"(?:Article|Section|Clause|Rule)\s(\d[\w\-]*(?:\.\d+|\(\w{1,5}\))+|\d{1,4}(?=[.:]))[.:]?)"
    + _GAP
    + _SENTENCE_START
)
_HEADING_NUMBER = re.compile(
    r"(?:§+\s*|(?:article|section|sec\.|clause|part|chapter|annex|appendix|schedule|rule)\s+)"
    r"(\d[\w.\-]*(?:\(\w{1,5}\))*|[IVXLC]+\b|[A-Z]\b)|(\d{1,3}(?:\.\d{1,3})+)\.?(?=\s)"
    r"|(\d{1,3})\.?(?=\s+[^\d]*$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker: how it can be read (style and ordinal) and what it adds to a clause number.

    `readings` has two entries where a letter may be a Roman numeral. `label` is
    '' for a bullet, and begins with '=' where it is the whole number ('=4.2').
    """

    readings: tuple[tuple[str, int], ...]
    label: str

    @property
    def is_bullet(self) -> bool:
        return self.label == ""


def find_markers(line: str) -> tuple[tuple[Marker, ...], int]:
    """The markers that `line` (without indentation) begins with, and where its text begins."""
    if whole := (_SECTION.match(line) or _DOTTED.match(line)):
        number = next(group for group in whole.groups() if group).rstrip(".")
        style = "§" if whole.re is _SECTION else f"1.{number.count('.')}"
        return (Marker(((style, 0),), f"={number}"),), whole.end()
    markers: list[Marker] = []
    at = 0
    if first := _PLAIN.match(line):
        label = first[1] if first[2] == "." else f"({first[1]})"
        markers.append(Marker(_readings(first[1], "", first[2]), label))
        at = first.end()
    while found := _PAREN.match(line, at):
        if len(markers) == _MAX_CHAIN:
            return (), 0
        markers.append(Marker(_readings(found[1], "(", ")"), f"({found[1]})"))
        at = found.end()
        if at < len(line) and not line[at - 1].isspace() and line[at] != "(":
            return (), 0  # '(s)he', '(a)-(c)': a word, not a marker
    if bullet := _BULLET.match(line, at):
        markers.append(Marker(((bullet[1], 0),), ""))
        at = bullet.end()
    return tuple(markers), at


def _readings(value: str, before: str, after: str) -> tuple[tuple[str, int], ...]:
    if value.isdigit():
        return ((f"{before}1{after}", int(value)),)
    readings: list[tuple[str, int]] = []
    lower = value.lower()
    cased = "A" if value.isupper() else "a"
    if len(set(lower)) == 1 and len(lower) <= 2 and not (len(lower) == 2 and lower in "iixxcc"):
        ordinal = ord(lower[0]) - 96 + 26 * (len(lower) - 1)
        readings.append((f"{before}{cased}{after}", ordinal))
    if set(lower) <= set(_ROMAN):
        roman = "I" if value.isupper() else "i"
        readings.append((f"{before}{roman}{after}", _roman_value(lower)))
    return tuple(readings) or ((f"{before}{cased}{after}", 0),)


def _roman_value(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


def spell_number(number: int, style: str) -> str:
    """A number as lists write it; `style` is one of '1', 'a', 'A', 'i' and 'I'."""
    if number < 1 or style not in "aAiI":
        return str(number)
    if style in "aA":
        # After z come aa, bb and so on in Word and ab, ac in browsers; few lists are so long.
        letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)
        return letter if style == "a" else letter.upper()
    if number > 3999:
        return str(number)
    spelled = ""
    for value, letters in _ROMAN_PARTS:
        while number >= value:
            spelled += letters
            number -= value
    return spelled if style == "i" else spelled.upper()


@dataclass(slots=True)
class _Open:
    style: str
    ordinal: int
    indent: int
    label: str


class ListStack:
    """The lists that are open at a place of a flat text, outermost first."""

    def __init__(self) -> None:
        self._open: list[_Open] = []

    @property
    def level(self) -> int:
        return len(self._open)

    def clear(self) -> None:
        self._open.clear()

    def continues(self, marker: Marker) -> bool:
        """True where `marker` is the next of a list that is open."""
        return any((one.style, one.ordinal + 1) in marker.readings for one in self._open)

    def place(self, markers: Sequence[Marker], indent: int) -> tuple[int, int]:
        """Take in an item; its level, and how many lists it opens."""
        opens = 0
        floor = 0
        for position, marker in enumerate(markers):
            style, ordinal = self._read(marker)
            at = self._find(style, ordinal, indent if position == 0 else None, floor)
            one = _Open(style, ordinal, indent, marker.label)
            if at is None:
                if position == 0:
                    self._leave(style, indent)
                del self._open[floor if position else MAX_LIST_LEVEL - 1 :]
                self._open.append(one)
                at = len(self._open) - 1
                opens += 1
            else:
                # '(a)(2)' after '(a)(1)' stays inside the same '(a)'.
                goes_on = position + 1 < len(markers) and self._open[at].ordinal == ordinal
                if not goes_on or marker.is_bullet:
                    del self._open[at + 1 :]
                self._open[at] = one
            floor = at + 1
        del self._open[floor:]
        return len(self._open), opens

    def paragraph(self, indent: int) -> int:
        """Take in a paragraph without a marker; how many lists it is inside of.

        One that is indented under an item belongs to it; else it ends the
        innermost list, and goes on with what is around it.
        """
        if self._open and indent >= self._open[-1].indent + 2:
            return len(self._open)
        count = len(self._open)
        while self._open and self._open[-1].indent > indent:
            self._open.pop()
        if self._open and len(self._open) == count:
            self._open.pop()
        return len(self._open)

    def _read(self, marker: Marker) -> tuple[str, int]:
        """Choose between letter and Roman numeral by what is open; '(i)' begins Roman."""
        for one in reversed(self._open):
            if (one.style, one.ordinal + 1) in marker.readings:
                return one.style, one.ordinal + 1
        for one in reversed(self._open):
            for style, ordinal in marker.readings:
                if one.style == style and len(marker.readings) == 1:
                    return style, ordinal
        return next((r for r in marker.readings if r[1] == 1), marker.readings[0])

    def _find(self, style: str, ordinal: int, indent: int | None, floor: int) -> int | None:
        for at in range(len(self._open) - 1, floor - 1, -1):
            one = self._open[at]
            if one.style != style:
                continue
            in_turn = ordinal > 0 and ordinal == one.ordinal + 1
            if indent is None or in_turn or indent <= one.indent + 1:
                deeper = [o for o in self._open[floor:at] if o.style == style]
                if indent is not None and indent < one.indent - 1 and deeper and not in_turn:
                    continue
                return at
        return None

    def _leave(self, style: str, indent: int) -> None:
        """Before a list opens: close those that are indented deeper, and bullets as deep."""
        while self._open:
            one = self._open[-1]
            is_bullet = one.label == ""
            if one.indent > indent + 1 or (is_bullet and one.indent >= indent):
                self._open.pop()
            else:
                return


def heading_number(title: str) -> str:
    """The clause number that a heading begins with ('4.2', '250.6'), or ''."""
    found = _HEADING_NUMBER.match(title)
    return next((group for group in found.groups() if group), "").rstrip(".") if found else ""


def join_number(heading: str, labels: Sequence[str]) -> str:
    """A clause number from the heading's number and the labels of the lists around.

    '250.6' and '(a)' give '250.6(a)'; '5' and '1' give '5(1)', as articles are
    cited; without a heading '1', '1', 'a' give '1.1.a'. A label that is whole
    replaces what is before it.
    """
    number = heading
    from_heading = True
    for label in labels:
        if label.startswith("="):
            number = label[1:]
        elif label.startswith("("):
            number += label
        elif label:
            number += f"({label})" if number and from_heading else f".{label}" if number else label
        from_heading = from_heading and label == ""
    return number
