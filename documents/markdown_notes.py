"""Footnotes of Markdown, which CommonMark does not know: '[^1]' in the text, '[^1]: ...' below.

They are written by hand in many policies. Left alone, the parser would take a short
one for the definition of a link, and its words would be lost.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from documents.flow import Words
from documents.parts import LinkPart, Part
from documents.structure import BlockKind

_DEFINITION = re.compile(r"^( {0,3})\[\^([^\]\s]{1,40})\]:[ \t]", re.MULTILINE)
_LINE = re.compile(r"\[\^([^\]\s]{1,40})\]:[ \t]*")
_MARK = re.compile(r"\[\^([^\]\s]{1,40})\]")


def protect_notes(body: str) -> tuple[str, frozenset[str]]:
    """The Markdown with its footnotes kept from the parser, and their names."""
    names = frozenset(found[2] for found in _DEFINITION.finditer(body))
    return (_DEFINITION.sub(r"\1\\[^\2]: ", body), names) if names else (body, names)


def restore_code(code: str, names: Collection[str]) -> str:
    """Code as it was written, where a line of it only looks like a footnote."""
    return code.replace("\\[^", "[^") if names else code


def take_marks(words: Words, names: Collection[str]) -> Words:
    """The words without the marks of footnotes, which become links to them."""
    marks = [mark for mark in _MARK.finditer(words.text) if mark[1] in names]
    if not marks:
        return words
    pieces: list[str] = []
    links: list[LinkPart] = []
    at = gone = 0
    for mark in marks:
        pieces.append(words.text[at : mark.start()])
        place = mark.start() - gone
        links.append(LinkPart(place, place, f"note:{mark[1]}", mark[1]))
        gone += len(mark[0])
        at = mark.end()
    pieces.append(words.text[at:])

    def moved(place: int) -> int:
        return place - sum(len(mark[0]) for mark in marks if mark.end() <= place)

    links += [
        LinkPart(moved(link.start), moved(link.end), link.target, link.label)
        for link in words.links
    ]
    return Words("".join(pieces), tuple(links))


def note_parts(words: Words, names: Collection[str]) -> Iterator[Part]:
    """The footnotes of a paragraph that begins with one; nothing for any other paragraph."""
    if not names or not _LINE.match(words.text):
        return
    held: list[str] = []
    name = ""
    for line in [*words.text.split("\n"), ""]:
        found = _LINE.match(line)
        if (found or not line) and held:
            text = take_marks(Words("\n".join(held).strip(), ()), names)
            yield Part(
                BlockKind.FOOTNOTE,
                text.text,
                marker=name,
                links=text.links,
                anchors=(f"note:{name}",),
            )
            held = []
        if found:
            name = found[1]
        held.append(line[found.end() :] if found else line)
