"""Reads plain text: blank lines part it, headings are guessed, lines are joined.

A heading holds no sentence, so a wrong guess would hide a rule. Where in doubt a
line is a sentence: a heading stands alone, is short, does not end like a sentence,
has no word such as 'must' or 'not' in it, and has text below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.lines import read_lines
from documents.numbering import ListStack, find_markers
from documents.parts import Part, Reading
from documents.structure import BlockKind

_MAX_HEADING = 120
_MAX_TITLE = 300
_MAX_WORDS = 14

_UNDERLINE = re.compile(r"\s*([=\-~^\"'#*+`:._])\1{2,}\s*$")
_SAYS_SOMETHING = re.compile(
    r"\b(?:must|shall|may|might|can|cannot|could|will|would|should|is|are|was|were|be|been|has|have"
    r"|had|do|does|need|needs|require|requires|applies|unless|if|not|never|only|n't"
    r"|no(?!\.?\s*\d))\b",
    re.IGNORECASE,
)
_IN_A_LIST = re.compile(r";|\b(?:and|or)$", re.IGNORECASE)
_QUESTION = re.compile(r"(?:who|what|when|where|which|why|how)\b.*\?$", re.IGNORECASE)
_SIGN = re.compile(r"§+\s?\d")
_WORDED = re.compile(
    r"(?i:article|section|chapter|part|title|annex|appendix|schedule|clause|rule)\s+"
    # 'Rule 7 of the house: ...' is a sentence: a title goes on with a capital, if at all.
    r"(?:\d[\w.\-]*|[IVXLCivxlc]+|[A-Z])(?=\s*(?:[.:–—(-]|$)|\s+[A-Z“\"])"
)
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\s+[A-Z]")
_TITLE_CASE = re.compile(r"(?:[A-Z][\w'’-]*|and|or|of|the|for|to|in)(?:\s|:$)")


@dataclass(slots=True)
class _Stretch:
    """Lines without a blank one between; `style` is '' where they are no heading."""

    lines: list[str]
    style: str = ""


def read_plain(text: str) -> Reading:
    """Read normalised plain text into parts; the title is a heading at its very top."""
    stretches = _cut(text)
    _drop_doubtful(stretches)
    parts = tuple(_parts(stretches, _wrap_width(text)))
    first = parts[0] if parts else None
    title = " ".join(first.text.split()) if first and first.kind is BlockKind.HEADING else ""
    return Reading("text/plain", title, parts)


def plain_parts(text: str) -> Iterator[Part]:
    """Paragraphs and items only, for a stretch inside another format."""
    stretches = [_Stretch(lines) for lines in _blank_separated(text)]
    return _parts(stretches, _wrap_width(text))


def may_be_heading(line: str) -> bool:
    """True for a line that could be a heading by its words alone; see the top of this module."""
    return "\n" not in line and bool(_style(line, _MAX_HEADING))


def _cut(text: str) -> list[_Stretch]:
    stretches: list[_Stretch] = []
    for lines in _blank_separated(text):
        rest = lines
        if len(rest) > 2 and _UNDERLINE.match(rest[0]) and _UNDERLINE.match(rest[2]):
            rest = rest[1:]
        if len(rest) > 1 and _underlines(rest[0], rest[1]):
            stretches.append(_Stretch(rest[:1], f"underline {rest[1].strip()[0]}"))
            rest = rest[2:]
        else:
            count, style = _heading_lines(rest, first=not stretches)
            if count:
                stretches.append(_Stretch(rest[:count], style))
                rest = rest[count:]
        if rest:
            stretches.append(_Stretch(rest))
    return stretches


def _blank_separated(text: str) -> Iterator[list[str]]:
    lines: list[str] = []
    for line in text.expandtabs(4).split("\n"):
        if line.strip():
            lines.append(line.rstrip())
        elif lines:
            yield lines
            lines = []
    if lines:
        yield lines


def _underlines(title: str, line: str) -> bool:
    if not _UNDERLINE.match(line) or _UNDERLINE.match(title):
        return False
    return len(line.strip()) * 2 >= len(title.strip()) and len(title) <= _MAX_TITLE


def _heading_lines(lines: Sequence[str], *, first: bool) -> tuple[int, str]:
    """How many lines at the top of a stretch are a heading, and of what style."""
    top = lines[0].strip()
    style = _style(top, _MAX_TITLE if first and len(lines) == 1 else _MAX_HEADING)
    if not style:
        return 0, ""
    if len(lines) == 1:
        return 1, style
    if style == "worded" and len(lines) == 2 and _is_short_title(lines[1].strip()):
        return 2, style
    # '§ 7' right above '(a) ...': the sign or word says what it is without a blank line.
    if style in ("sign", "worded") and find_markers(lines[1].strip())[0]:
        return 1, style
    return 0, ""


def _is_short_title(line: str) -> bool:
    return len(line) <= _MAX_HEADING and line[0].isupper() and line[-1] not in ".:;,?!"


def _style(line: str, limit: int) -> str:
    """The style of a line that may be a heading, '' for one that cannot."""
    words = len(line.split())
    if len(line) > limit or (limit == _MAX_HEADING and words > _MAX_WORDS):
        return ""
    if _QUESTION.match(line):
        return "plain"
    if _SAYS_SOMETHING.search(line) or _IN_A_LIST.search(line):
        return ""
    if not any(map(str.isalnum, line)):
        return ""
    by_number = "sign" if _SIGN.match(line) else "worded" if _WORDED.match(line) else ""
    if by_number:
        return "" if line[-1] in ":;,?!" else by_number
    is_capital = line[0].isupper() or line[0].isdigit()
    if line.endswith(":"):
        few = words <= 5 and all(_TITLE_CASE.match(f"{word} ") for word in line[:-1].split())
        return "colon" if few and is_capital else ""
    if line[-1] in ".;,?!" or not is_capital:
        return ""
    if numbered := _NUMBERED.match(line):
        return f"numbered {numbered[1].count('.')}"
    if find_markers(line)[0]:
        return ""
    return "capitals" if line.isupper() else "plain"


def _drop_doubtful(stretches: list[_Stretch]) -> None:
    """Take back headings that look like list items, or like one short sentence after another."""
    styles = [stretch.style for stretch in stretches]
    for at, style in enumerate(styles):
        before = styles[at - 1] if at else ""
        after = styles[at + 1] if at + 1 < len(styles) else None
        if after is None or (style.startswith("numbered") and style in (before, after)):
            if not style.startswith("underline"):
                stretches[at].style = ""
        elif style == "plain" and at:
            earlier = styles[at - 2] if at > 2 else ""
            later = styles[at + 2] if at + 2 < len(styles) else ""
            # The document's title does not count: a title, a heading and a heading are fine.
            run = (before if at > 1 else "", after), (earlier, before), (after, later)
            if ("plain", "plain") in run:
                stretches[at].style = ""


def _parts(stretches: Sequence[_Stretch], width: int) -> Iterator[Part]:
    stack = ListStack()
    styles: list[str] = []

    def joins(before: str, after: str) -> bool:
        """True where the break between two lines was made to fill lines, not to part text."""
        end = before.rstrip()[-1]
        first_word = after.split(maxsplit=1)[0]
        filled = len(before) + 1 + len(first_word) > width
        return filled or end not in ".;:,?!" or (end == "." and first_word[0].islower())

    for at, stretch in enumerate(stretches):
        if not stretch.style:
            yield from read_lines(stretch.lines, stack, joins=joins)
            continue
        stack.clear()
        style = stretch.style
        if at == 0 and style == "plain" and len(stretches) > 1 and stretches[1].style:
            style = "title"
        if style in styles:
            del styles[styles.index(style) + 1 :]
        else:
            styles.append(style)
        text = "\n".join(line.strip() for line in stretch.lines)
        yield Part(BlockKind.HEADING, text, level=len(styles))


def _wrap_width(text: str) -> int:
    """The width at which lines were wrapped, or a huge number where they were not."""
    lines = text.split("\n")
    followed = sorted(
        len(line.rstrip()) for line, after in pairwise(lines) if line.strip() and after.strip()
    )
    usual = followed[len(followed) * 9 // 10] if followed else 0
    return max(usual, 60) if usual <= 160 else len(text) + 1
