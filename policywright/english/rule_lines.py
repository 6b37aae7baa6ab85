"""The lines of a rule's text as one run of words, with the places where lists begin and end.

Which list an item belongs to is read off the column of its marker. White space
is one blank, however much there is; every character keeps its place in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

OPEN, NEXT, CLOSE = "OPEN", "NEXT", "CLOSE"
# A dash, a bullet, or a number or letter with a stop or bracket: `-`, `•`, `2.`, `(a)`, `iv)`.
MARKER = re.compile(r"(?:[-–—*•‣◦▪·]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)])(?=[ \t])")
_BLANKS = re.compile(r"[ \t\r\f\v\x1c-\x1f\x85\u2000-\u200a\u2028\u2029\u3000]+")
_TAB = 4


@dataclass
class Running:
    """`text` without line ends; `origin[i]` is where its character `i` stands in what was given.

    `marks[i]` are OPEN, NEXT and CLOSE in front of character `i`; those at the
    very end have the length of `text`.
    """

    text: str = ""
    origin: list[int] = field(default_factory=list)
    marks: dict[int, list[str]] = field(default_factory=dict)


def run_together(given: str) -> Running:
    """The lines of a text joined, their lists marked."""
    parts: list[str] = []
    running = Running()
    lists: list[int] = []
    at = line_start = 0
    for line in given.split("\n"):
        body = line.rstrip()
        inner = len(body) - len(body.lstrip())
        if body.strip():
            if parts:
                parts.append(" ")
                running.origin.append(line_start)
                at += 1
            item = MARKER.match(body, inner)
            marks = _structure(lists, len(body[:inner].expandtabs(_TAB)), bool(item))
            if marks:
                running.marks.setdefault(at, []).extend(marks)
            start = item.end() if item else inner
            start += len(body[start:]) - len(body[start:].lstrip())
            text, origin = _collapsed(body, start, line_start)
            parts.append(text)
            running.origin.extend(origin)
            at += len(text)
        line_start += len(line) + 1
    if lists:
        running.marks.setdefault(at, []).extend([CLOSE] * len(lists))
    running.text = "".join(parts)
    return running


def _structure(lists: list[int], column: int, is_item: bool) -> list[str]:
    """The marks in front of a line; `lists` holds the columns of the open markers."""
    marks = []
    while lists and (lists[-1] > column or (lists[-1] == column and not is_item)):
        lists.pop()
        marks.append(CLOSE)
    if is_item and lists and lists[-1] == column:
        marks.append(NEXT)
    elif is_item:
        lists.append(column)
        marks.append(OPEN)
    return marks


def _collapsed(body: str, start: int, line_start: int) -> tuple[str, list[int]]:
    pieces: list[str] = []
    origin: list[int] = []
    position = start
    for blanks in _BLANKS.finditer(body, start):
        pieces.append(body[position : blanks.start()] + " ")
        origin.extend(range(line_start + position, line_start + blanks.start() + 1))
        position = blanks.end()
    pieces.append(body[position:])
    origin.extend(range(line_start + position, line_start + len(body)))
    return "".join(pieces), origin
