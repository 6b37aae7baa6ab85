"""Joins and splits that a person decided, applied to blocks and to the sentences of a block."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from documents.errors import EditError
from documents.structure import Block, BlockKind, Edit, EditKind, Link, ReadDocument

_WHOLE = (BlockKind.TABLE_ROW, BlockKind.HEADING)


@dataclass(frozen=True, slots=True)
class Edits:
    """The edits of one document by place. INVARIANT: no place is both joined and split."""

    joins: frozenset[int]
    splits: frozenset[int]


def sort_edits(edits: Iterable[Edit]) -> Edits:
    """Raises EditError where one place is both joined and split."""
    found = list(edits)
    joins = frozenset(edit.start for edit in found if edit.kind is EditKind.JOIN)
    splits = frozenset(edit.start for edit in found if edit.kind is EditKind.SPLIT)
    if joins & splits:
        raise EditError("One place cannot be both joined and split; undo one of the two.")
    return Edits(joins, splits)


def join_blocks(document: ReadDocument, edits: Edits) -> ReadDocument:
    """Make one block of two where a join crosses the border between them.

    Only a paragraph without a marker can go on with what is before it, and only
    text can: a table, a heading and code stay as they are.
    """
    blocks: list[Block] = []
    places: list[int] = []
    for block in document.blocks:
        if content_start(block) in edits.joins:
            if not blocks or not _can_join(blocks[-1], block):
                raise EditError(
                    "This sentence cannot go on with the one before it; only a paragraph can be "
                    "joined with text just before it."
                )
            blocks[-1] = _joined(blocks[-1], block)
        else:
            blocks.append(block)
        places.append(len(blocks) - 1)
    if len(blocks) == len(document.blocks):
        return document
    links = tuple(
        Link(link.start, link.end, places[link.block], link.label) for link in document.links
    )
    return replace(document, blocks=tuple(blocks), links=links)


def edit_spans(
    block: Block, content: int, text: str, spans: Sequence[tuple[int, int]], edits: Edits
) -> list[tuple[int, int]]:
    """The sentences of a block, `[start, end)` in its `text`, as the edits want them.

    `content` is where `text` begins in the document.
    """
    inside = range(content, content + len(text))
    joins = {at - content for at in edits.joins if at in inside}
    splits = {at - content for at in edits.splits if at in inside}
    if splits and block.kind in _WHOLE:
        raise EditError("A row of a table is one sentence and cannot be split.")
    starts = {start for start, _ in spans} - joins | splits
    for at in splits:
        if at <= 0 or text[at].isspace() or not text[:at].strip():
            raise EditError("A sentence cannot begin there; choose the first letter of a word.")
    cuts = [*sorted(starts), len(text)]
    return [
        (start, start + len(text[start:end].rstrip())) for start, end in itertools.pairwise(cuts)
    ]


def check_all_fit(edits: Edits, starts: Iterable[int], places: Iterable[int]) -> None:
    """Raises EditError where a split made no sentence, or a join names no sentence's beginning.

    `starts` are where the sentences begin now; `places` where they began before.
    """
    if edits.splits - set(starts) or edits.joins - set(places):
        raise EditError(
            "A join or split no longer fits the text of this document; make it again on this page."
        )


def content_start(block: Block) -> int:
    """Where the words of a block begin: after its marker and the blank behind it."""
    after = block.start + len(block.marker)
    return after + 1 if block.marker and after < block.end else after


def _can_join(before: Block, block: Block) -> bool:
    loose = block.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE) and not block.marker
    text = before.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.ITEM)
    return loose and text


def _joined(before: Block, block: Block) -> Block:
    page = before.page + len(before.breaks)
    breaks = (*before.breaks, *([block.start] * (block.page - page)), *block.breaks)
    return replace(before, end=block.end, breaks=breaks)


def carry_edits(old: ReadDocument, new: ReadDocument, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits of an old revision that fit a new one: those of blocks that are the same there.

    Both documents are as they were read, with no edit applied. Of equal blocks the
    first goes with the first. An edit of a block that changed is dropped: its place
    is for a person to choose again.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for index in range(len(new.blocks) - 1, -1, -1):
        places[_words_of(new, index)].append(index)
    found: dict[int, int] = {}
    for index in range(len(old.blocks)):
        same = places.get(_words_of(old, index))
        if same:
            found[index] = same.pop()
    starts = [block.start for block in old.blocks]
    carried: list[Edit] = []
    for edit in edits:
        index = bisect_right(starts, edit.start) - 1
        if index not in found:
            continue
        before, after = old.blocks[index], new.blocks[found[index]]
        crosses = edit.kind is EditKind.JOIN and edit.start == content_start(before)
        if not crosses or found.get(index - 1) == found[index] - 1:
            carried.append(Edit(edit.kind, after.start + edit.start - before.start))
    return tuple(carried)


def _words_of(document: ReadDocument, index: int) -> str:
    block = document.blocks[index]
    return document.text[block.start : block.end]
