"""From the text and its blocks to headings and sentences, each with its context and number."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from documents.editing import (
    Edits,
    check_all_fit,
    content_start,
    edit_spans,
    join_blocks,
    sort_edits,
)
from documents.headers import Headers
from documents.limits import DEFAULT_LIMITS, check_sentences
from documents.numbering import heading_number, join_number
from documents.pointing import point
from documents.sentences import split_sentences
from documents.structure import Block, BlockKind, Edit, Heading, ReadDocument, Sentence
from documents.wording import said_connective, says_rule

_CONNECTIVE = re.compile(r"(?:^|[\s;,])(and/or|and|or)[,;:]?$", re.IGNORECASE)
_FINISHED = ".;?!,"


def divide(
    document: ReadDocument, edits: Sequence[Edit] = (), abbreviations: Collection[str] = ()
) -> ReadDocument:
    """The document with its headings and sentences made anew from its text and blocks.

    Only `text`, `blocks` and `links` of `document` are looked at, so that a stored
    revision can be divided again without its file. Keep the blocks as they were read
    for that: a join across two blocks makes one of them in what is returned.

    Raises LimitError where it holds more sentences than DEFAULT_LIMITS allow, and
    EditError for an edit that fits nowhere.
    """
    sorted_edits = sort_edits(edits)
    joined = join_blocks(document, sorted_edits)
    divider = _Divider(document.text, abbreviations, sorted_edits)
    for block in joined.blocks:
        divider.add(block)
    before = {content_start(block) for block in document.blocks} | divider.found
    check_all_fit(sorted_edits, (draft.start for draft in divider.drafts), before)
    return point(
        replace(joined, headings=tuple(divider.headings), sentences=tuple(divider.sentences()))
    )


@dataclass(slots=True)
class _List:
    """A list while it is read: its lead-in, and how each of its items ended so far."""

    lead_in: str
    endings: list[str] = field(default_factory=list)

    def pair(self) -> tuple[str, ...]:
        found = _CONNECTIVE.search(self.endings[-2]) if len(self.endings) > 1 else None
        connective = found[1].lower() if found else said_connective(self.lead_in)
        return (self.lead_in, connective) if self.lead_in or connective else ()


@dataclass(slots=True)
class _Draft:
    """A sentence whose context is known only when its lists are closed."""

    start: int
    end: int
    headings: tuple[str, ...]
    lists: tuple[_List, ...]
    cells: tuple[str, ...]
    number: str
    block: int
    page: int


class _Divider:
    """Takes blocks one by one and keeps what is open: headings, lists, the table's header."""

    def __init__(self, text: str, abbreviations: Collection[str], edits: Edits) -> None:
        self.text = text
        self.edits = edits
        self.found: set[int] = set()  # where sentences begin without edits
        self.abbreviations = abbreviations
        self.headings: list[Heading] = []
        self.drafts: list[_Draft] = []
        self._count = 0
        self._before: Block | None = None
        self._path: list[Heading] = []
        self._titles: tuple[str, ...] = ()
        self._number = ""
        self._lists: tuple[_List, ...] = ()
        self._labels: list[str] = []
        self._headers = Headers()
        self._last_sentence = ""

    def add(self, block: Block) -> None:
        self._enter(block)
        if block.kind is BlockKind.HEADING:
            self._add_heading(block)
        elif block.kind is BlockKind.TABLE_ROW and block.level == 0:
            self._headers.add_header(self.text, block.cells)
            self._last_sentence = ""
        else:
            self._add_sentences(block)
        self._count += 1
        if block.kind is not BlockKind.FOOTNOTE:
            self._before = block

    def sentences(self) -> list[Sentence]:
        contexts: dict[tuple[int, ...], tuple[str, ...]] = {}
        return [
            Sentence(d.start, d.end, d.headings, _context(d, contexts), d.number, d.block, d.page)
            for d in self.drafts
        ]

    def _enter(self, block: Block) -> None:
        """Close and open lists, and the table, for the block that comes now."""
        if block.kind is BlockKind.FOOTNOTE:
            return
        if block.kind is BlockKind.TABLE_ROW:
            if block.opens:
                self._headers.begin_table()
            return
        if block.kind is BlockKind.HEADING:
            self._lists, self._labels = (), []
            return
        is_item = block.kind is BlockKind.ITEM
        kept = min(block.level, len(self._lists))
        self._lists = self._lists[: min(kept, block.level - block.opens)]
        if not is_item:
            self._labels = self._labels[: block.level]
            return
        lead_in = self._last_sentence if self._leads(len(self._lists)) else ""
        while len(self._lists) < block.level:
            self._lists += (_List(lead_in),)
            lead_in = ""
        outer = block.level - len(block.labels)
        labels = [*self._labels[:outer], *[""] * (outer - len(self._labels)), *block.labels]
        for at, one in enumerate(self._lists):
            # '(a)(2)' after '(a)(1)' begins an item of the inner list only.
            if at == block.level - 1 or not one.endings or labels[at] != self._labels[at]:
                one.endings.append("")
        self._labels = labels

    def _leads(self, level: int) -> bool:
        """True where the block just before leads into a list that opens at `level`."""
        before = self._before
        if before is None or not self._last_sentence:
            return False
        if before.kind is BlockKind.HEADING:
            return self._last_sentence[-1] not in _FINISHED
        leads = before.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.QUOTE)
        return leads and before.level <= level and self._last_sentence[-1] not in _FINISHED

    def _add_heading(self, block: Block) -> None:
        title = " ".join(self.text[block.start : block.end].split())
        heading = Heading(block.level, block.start, block.end, title)
        self.headings.append(heading)
        while self._path and self._path[-1].level >= block.level:
            self._path.pop()
        self._path.append(heading)
        self._titles = tuple(one.title for one in self._path)
        own = "".join(block.labels).lstrip("=").strip("()")
        self._number = own or heading_number(title)
        self._last_sentence = ""
        if says_rule(self.text[content_start(block) : block.end]):
            self._add_sentences(block)

    def _add_sentences(self, block: Block) -> None:
        content = content_start(block)
        text = self.text[content : block.end]
        is_row = block.kind is BlockKind.TABLE_ROW
        whole = is_row or block.kind is BlockKind.CODE
        spans = _whole(text) if whole else split_sentences(text, self.abbreviations)
        self.found.update(content + start for start, _ in spans)
        if self.edits.joins or self.edits.splits:
            spans = edit_spans(block, content, text, spans, self.edits)
        is_note = block.kind is BlockKind.FOOTNOTE
        cells = self._headers.row(self.text, block.cells) if is_row else ()
        for start, end in spans:
            self.drafts.append(
                _Draft(
                    start=content + start,
                    end=content + end,
                    headings=self._titles,
                    lists=() if is_row or is_note else self._lists,
                    cells=cells,
                    number="" if is_note else join_number(self._number, self._labels),
                    block=self._count,
                    page=block.page and block.page + bisect_right(block.breaks, content + start),
                )
            )
        check_sentences(len(self.drafts), DEFAULT_LIMITS)
        if is_note:
            return
        last = text[slice(*spans[-1])] if spans else ""
        self._last_sentence = " ".join(last.split())
        for one in self._lists:
            one.endings[-1] = self._last_sentence[-12:]


def _whole(text: str) -> list[tuple[int, int]]:
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return [(start, end)] if start < end else []


def _context(draft: _Draft, known: dict[tuple[int, ...], tuple[str, ...]]) -> tuple[str, ...]:
    if draft.cells or not draft.lists:
        return draft.cells
    key = tuple(map(id, draft.lists))
    if key not in known:
        known[key] = tuple(word for one in draft.lists for word in one.pair())
    return known[key]
