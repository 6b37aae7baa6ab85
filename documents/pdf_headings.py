"""Which lines of a PDF are headings, and of what level.

A heading is larger or bolder than the text, or numbered like one. It holds no
sentence, so where in doubt a line is text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.numbering import find_markers
from documents.parts import Part
from documents.pdf_body import Body, PageItems
from documents.pdf_layout import Line, Table
from documents.structure import BlockKind

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

MAX_LEVEL = 6
_MAX_LENGTH = 300
_MAX_BOLD_LENGTH = 160


@dataclass(frozen=True, slots=True, order=True)
class HeadingStyle:
    """What ranks a heading: larger first, then bold, then by the depth of its number."""

    smaller: float
    light: bool
    depth: int


def heading_styles(pages: Sequence[PageItems], body: Body) -> list[HeadingStyle]:
    """The styles of all lines that may be headings, the highest first."""
    styles = {
        style
        for page in pages
        for item, after in zip(page.items, [*page.items[1:], None], strict=True)
        if isinstance(item, Line)
        for style in [find_style([item], body)]
        if style is not None and may_be_heading([item], after, style, body)
    }
    return sorted(styles)


def set_levels(parts: Sequence[Part]) -> list[Part]:
    """Set the levels of all headings without gaps, and below the title.

    A title is a heading without a number right above the first of all others.
    """
    used = sorted({part.level for part in parts if part.kind is BlockKind.HEADING})
    levels = {level: at for at, level in enumerate(used, 1)}
    if len(parts) > 1 and parts[0].kind is parts[1].kind is BlockKind.HEADING:
        lower = parts[0].level >= parts[1].level and not _NUMBERED.match(parts[0].text)
    else:
        lower = False
    return [
        replace(part, level=min(levels[part.level] + (lower and at > 0), MAX_LEVEL))
        if part.kind is BlockKind.HEADING
        else part
        for at, part in enumerate(parts)
    ]


def begins_heading(line: Line) -> bool:
    """True where a line begins with a number or word that begins headings."""
    return bool(_NUMBERED.match(line.text))


def ends_question(line: Line) -> bool:
    return bool(_QUESTION.search(line.text))


def same_style(one: Line, two: Line) -> bool:
    return one.bold == two.bold and abs(one.size - two.size) < 0.05 * one.size


def find_style(lines: Sequence[Line], body: Body) -> HeadingStyle | None:
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
    return HeadingStyle(-round(first.size * 2) / 2 if larger else 0.0, not bolder, depth)


def may_be_heading(
    lines: Sequence[Line], after: Line | Table | None, style: HeadingStyle, body: Body
) -> bool:
    text = " ".join(line.text for line in lines)
    last = text[-1]
    if not any(map(str.isalpha, text)) or len(text) > _MAX_LENGTH or after is None:
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
    if len(text) > _MAX_BOLD_LENGTH or last in ".:!?" or _SAYS_SOMETHING.search(text):
        return False
    if style.light and isinstance(after, Line):
        # Neither larger nor bolder: only what stands apart is a heading.
        end = lines[-1]
        gap = (end.baseline - after.baseline) / end.size
        return after.page == end.page and gap > 1.25 * body.pitch + 0.1 and len(lines) == 1
    return True
