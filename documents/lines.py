"""The lines of one stretch of text as paragraphs and items.

Plain text and the paragraphs of Markdown both hold clauses such as '(a)' that no
markup tells apart; here they are found by how lines begin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from documents.numbering import ListStack, Marker, find_markers
from documents.parts import Part
from documents.structure import BlockKind

_CLOSED = re.compile(r"(?:[.;:,?!)\]\"'”’]|\b(?:and|or))$")
_DASHES = "–—"


def read_lines(
    lines: Sequence[str],
    stack: ListStack,
    *,
    joins: Callable[[str, str], bool],
    base: int = 0,
    kind: BlockKind = BlockKind.PARAGRAPH,
) -> Iterator[Part]:
    """The parts of `lines`, which hold no blank one; `stack` is carried from call to call.

    `joins(before, after)` says whether a line without a marker goes on with the
    line before it. `base` is the number of lists around all of this.
    """
    pending: list[str] = []
    head = Part(kind, "")
    found = [find_markers(line.strip()) for line in lines]
    opening = _openings([markers for markers, _ in found])
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else ""
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        markers, offset = found[number]
        is_item = markers and (
            number in opening or _begins_item(markers[0], stripped[:offset], before, stack)
        )
        if is_item:
            if pending:
                yield _finish(head, pending)
            level, opens = stack.place(markers, indent)
            labels = tuple(marker.label for marker in markers)
            marker = stripped[:offset].rstrip()
            head = Part(BlockKind.ITEM, "", base + level, marker, labels, opens)
            pending = [stripped[offset:]]
        elif pending and joins(before, line):
            pending.append(stripped)
        else:
            if pending:
                yield _finish(head, pending)
            head = Part(kind, "", base + stack.paragraph(indent))
            pending = [stripped]
    if pending:
        yield _finish(head, pending)


def joins_open(before: str, after: str) -> bool:
    """For `read_lines`: a line break behind a whole sentence parts paragraphs."""
    return before.rstrip()[-1:] not in (".", ":", ";", "?", "!")


def _openings(found: Sequence[tuple[Marker, ...]]) -> set[int]:
    """The lines with a first marker, '(a)', whose next marked line has the second, '(b)'."""
    marked = [number for number, markers in enumerate(found) if markers]
    return {
        number
        for number, after in pairwise(marked)
        for style, ordinal in found[number][0].readings
        if ordinal == 1 and (style, 2) in found[after][0].readings
    }


def _begins_item(marker: Marker, shown: str, before: str, stack: ListStack) -> bool:
    """Tell a marker from a word or number that a line happens to begin with."""
    closed = not before or _CLOSED.search(before.rstrip()) is not None
    if marker.is_bullet:
        return closed or shown[0] not in _DASHES
    if stack.continues(marker):
        return True
    if shown[0].isalpha() and not marker.label.startswith("="):
        # 'A. Smith', 'I. e.': a bare letter begins a list only as its first item.
        return closed and any(ordinal == 1 for _, ordinal in marker.readings)
    return closed


def _finish(head: Part, lines: Sequence[str]) -> Part:
    text = "\n".join(lines).strip()
    return Part(head.kind, text, head.level, head.marker, head.labels, head.opens)
