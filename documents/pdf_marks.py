"""Marks that carry page ends and calls of footnotes through the text until its offsets are known.

INVARIANT: no file can write them, since `documents.pdf_runs` drops noncharacters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from documents.parts import LinkPart, Part
from documents.pdf_layout import NOTE_CLOSE, NOTE_OPEN, show_raised
from documents.structure import BlockKind

# Stands in a text where a page ends.
PAGE_END = "\ufdd0"
_MARKED = re.compile(f"{PAGE_END}|{NOTE_OPEN}([^{NOTE_CLOSE}]*){NOTE_CLOSE}")


def drop_marks(text: str) -> str:
    """The text without its marks."""
    return _MARKED.sub("", text)


def place_marks(part: Part, notes: Mapping[str, Sequence[int]]) -> Part:
    """Take the marks out of a part's text, and say where they stood.

    `notes` are the pages of the footnotes of each label.
    """
    if not _MARKED.search(part.text):
        return part
    pieces: list[str] = []
    breaks: list[int] = []
    links: list[LinkPart] = []
    size = at = 0
    page = part.page
    for found in _MARKED.finditer(part.text):
        pieces.append(part.text[at : found.start()])
        size += found.start() - at
        at = found.end()
        label = found[1]
        if label is None:
            page += 1
            breaks.append(size)
        elif home := _note_page(notes.get(label, ()), page):
            if pieces[-1].endswith(" ") and part.text[at : at + 1] in tuple(" .,;:?!)"):
                pieces[-1] = pieces[-1][:-1]
                size -= 1
            links.append(LinkPart(size, size, f"{home}:{label}", label))
        elif part.kind is not BlockKind.TABLE_ROW:
            pieces.append(show_raised(label))
            size += len(label)
    pieces.append(part.text[at:])
    return replace(part, text="".join(pieces), breaks=tuple(breaks), links=tuple(links))


def _note_page(homes: Sequence[int], page: int) -> int:
    """The page of the footnote that a mark on `page` leads to; 0 where there is none."""
    return page if page in homes else homes[0] if len(homes) == 1 else 0
