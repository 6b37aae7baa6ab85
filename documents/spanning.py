"""Cuts a document into spans for model calls, at its structure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from documents.pointing import GOES_ON
from documents.structure import BlockKind, ReadDocument, Span


def spans(document: ReadDocument, *, max_characters: int = 2000) -> tuple[Span, ...]:
    """Cut into spans of at most `max_characters` code points where that is possible.

    A span stays under one heading path. A list stays with its lead-in, an 'Otherwise'
    with what is before it, a table with its rows, a paragraph in one piece; only
    what is longer than a span by itself is cut, between items, rows or
    sentences, never inside one. Every sentence is in exactly one span, in order.

    Raises ValueError where `max_characters` is below 1.
    """
    if max_characters < 1:
        raise ValueError("max_characters must be at least 1")
    return tuple(
        _span(document, indices)
        for section in _by_heading(document)
        for indices in _pack(document, list(_groups(document, section)), max_characters)
    )


def _by_heading(document: ReadDocument) -> Iterator[list[int]]:
    """Indices of neighbouring sentences that no heading parts."""
    section: list[int] = []
    starts = iter([*(heading.start for heading in document.headings), len(document.text) + 1])
    border = next(starts)
    for index, sentence in enumerate(document.sentences):
        if sentence.start >= border:
            if section:
                yield section
            section = []
            while sentence.start >= border:
                border = next(starts)
        section.append(index)
    if section:
        yield section


def _groups(document: ReadDocument, section: Sequence[int]) -> Iterator[list[int]]:
    """What belongs together: a list with its lead-in, a table, else a block."""
    group: list[int] = []
    for index in section:
        if group and not _belongs(document, group[-1], index):
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def _belongs(document: ReadDocument, before: int, after: int) -> bool:
    left, right = document.sentences[before], document.sentences[after]
    if left.block == right.block:
        return True
    above, below = document.blocks[left.block], document.blocks[right.block]
    if below.kind is BlockKind.ITEM:
        lead_in = " ".join(document.text[left.start : left.end].split())
        in_list = above.level > 0 and above.kind is not BlockKind.TABLE_ROW
        return in_list or (bool(right.context) and right.context[0] == lead_in)
    if below.kind is BlockKind.TABLE_ROW:
        between = document.blocks[left.block + 1 : right.block + 1]
        return above.kind is BlockKind.TABLE_ROW and not any(block.opens for block in between)
    opening = document.text[right.start : right.start + 40]
    in_list = below.level > 0 and above.level > 0 and above.kind is not BlockKind.TABLE_ROW
    return in_list or GOES_ON.match(opening) is not None


def _pack(document: ReadDocument, groups: Sequence[list[int]], limit: int) -> Iterator[list[int]]:
    """Put neighbouring groups together while they fit; cut those that do not fit alone."""
    held: list[int] = []
    for group in groups:
        if held and _length(document, held[0], group[-1]) <= limit:
            held += group
            continue
        if held:
            yield held
            held = []
        if _length(document, group[0], group[-1]) <= limit or len(group) == 1:
            held = group
        else:
            yield from _pack(document, _cut(document, group), limit)
    if held:
        yield held


def _cut(document: ReadDocument, group: Sequence[int]) -> list[list[int]]:
    """Cut a group at its outermost items, else at its blocks, else at its sentences."""
    owners = [document.sentences[index].block for index in group]
    if owners[0] == owners[-1]:
        return [[index] for index in group]
    levels = {document.blocks[owner].level for owner in owners[1:] if owner != owners[0]}
    outermost = min(levels)
    pieces: list[list[int]] = [[group[0]]]
    for (before, after), index in zip(pairwise(owners), group[1:], strict=True):
        if before != after and document.blocks[after].level == outermost:
            pieces.append([])
        pieces[-1].append(index)
    return pieces


def _length(document: ReadDocument, first: int, last: int) -> int:
    return document.sentences[last].end - _start(document, first)


def _start(document: ReadDocument, index: int) -> int:
    """Where a span that begins with this sentence begins: at the marker before it, if any."""
    sentence = document.sentences[index]
    before = document.sentences[index - 1].block if index else None
    is_first = before != sentence.block
    return document.blocks[sentence.block].start if is_first else sentence.start


def _span(document: ReadDocument, indices: list[int]) -> Span:
    first, last = document.sentences[indices[0]], document.sentences[indices[-1]]
    start = _start(document, indices[0])
    return Span(start, last.end, tuple(indices), first.headings)
