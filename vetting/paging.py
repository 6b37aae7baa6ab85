"""Cuts a document's sections into pages, and sets one page as its author laid it out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from documents import Piece, ViewBlock, ViewCell, view
from policies.models import DocumentRevision, Policy, Section
from policies.sections import read_section
from vetting.coverage import Coverage, SectionCover, Words, words_not_carried
from vetting.outline import Covered

# Sentences on a page; a section is not cut for it, see policies.sections.
A_PAGE = 60


@dataclass(frozen=True)
class Part:
    """Text within a sentence: words that no rule carries are `marked`, a footnote's mark raised."""

    text: str
    marked: bool = False
    raised: bool = False


@dataclass(frozen=True)
class Run:
    """A sentence, or one cell's share of it, or text between two sentences (`said` is None).

    `first` and `last` say whether it begins and ends its sentence.
    """

    parts: tuple[Part, ...]
    said: Covered | None
    first: bool = False
    last: bool = False


@dataclass(frozen=True)
class Cell:
    runs: tuple[Run, ...]
    header: bool
    columns: int
    rows: int


@dataclass(frozen=True)
class Row:
    cells: tuple[Cell, ...]
    header: bool
    said: Covered | None


@dataclass(frozen=True)
class Block:
    """A heading, paragraph, quote, code, footnote, table or list, for the template.

    `page` is given where a page of the original begins with the block. A list has
    `items`, and its lists within lists are blocks of those; an `item` stands in one.
    """

    kind: str
    level: int
    marker: str = ""
    page: int = 0
    runs: tuple[Run, ...] = ()
    rows: tuple[Row, ...] = ()
    items: list[Item] = field(default_factory=list)


@dataclass
class Item:
    """An item of a list: its marker, and its own text with all that stands in it."""

    marker: str
    blocks: list[Block] = field(default_factory=list)


def pages_of(sections: Sequence[SectionCover]) -> list[list[SectionCover]]:
    """A section or a few together a page; a heading without text stays with what follows it."""
    pages: list[list[SectionCover]] = [[]]
    held = 0
    for section in sections:
        if held and held + len(section.sentences) > A_PAGE:
            tail: list[SectionCover] = []
            while pages[-1] and not pages[-1][-1].sentences:
                tail.insert(0, pages[-1].pop())
            pages.append(tail)
            held = 0
        pages[-1].append(section)
        held += len(section.sentences)
    return pages


def page_of(pages: Sequence[Sequence[SectionCover]], ordinal: int) -> int:
    """The index of the page that holds a section; the first for one that there is not."""
    for index, page in enumerate(pages):
        if any(section.ordinal == ordinal for section in page):
            return index
    return 0


def section_with(coverage: Coverage, lineage: str) -> SectionCover | None:
    for section in coverage.sections:
        if any(one.lineage == lineage for one in section.sentences):
            return section
    return None


@dataclass(frozen=True)
class SetSection:
    """A section as it is set; `waiting` counts what waits in it and in all below it.

    `depth` is how many headings deep it stands, of those that the page shows.
    """

    cover: SectionCover
    blocks: tuple[Block, ...]
    waiting: int
    depth: int

    @property
    def is_own(self) -> bool:
        """Whether it begins a section of the author's, and is no part of a long one."""
        return self.cover.part == 1


def set_sections(
    policy: Policy,
    revision: DocumentRevision,
    coverage: Coverage,
    shown: Sequence[SectionCover],
    *,
    hidden: int,
) -> tuple[SetSection, ...]:
    """The sections of one page; two queries. `hidden` counts the headings that it leaves out."""
    lineages = [one.lineage for section in shown for one in section.sentences]
    words = words_not_carried(policy, lineages)
    wanted = [section.ordinal for section in shown]
    rows = Section.objects.filter(revision=revision, ordinal__in=wanted).defer("sentences")
    by_ordinal = {row.ordinal: row for row in rows}
    return tuple(
        SetSection(
            cover,
            tuple(nested(_blocks(by_ordinal[cover.ordinal], cover, words))),
            sum(one.waiting for one in coverage.whole_section(cover)),
            max(len(cover.headings) - hidden, 1),
        )
        for cover in shown
    )


def nested(blocks: Iterable[Block]) -> list[Block]:
    """The blocks with items in lists, and what stands within an item in that item."""
    found: list[Block] = []
    lists: list[Block] = []
    for block in blocks:
        within = 0 if block.kind in ("heading", "table") else block.level
        del lists[within:]
        is_item = block.kind == "item"
        while is_item and len(lists) < within:
            lists.append(Block("list", len(lists) + 1))
            holder = lists[-2].items[-1].blocks if len(lists) > 1 else found
            holder.append(lists[-1])
            if len(lists) < within:
                lists[-1].items.append(Item(""))
        if is_item:
            lists[-1].items.append(Item(block.marker, [block]))
        else:
            (lists[-1].items[-1].blocks if lists else found).append(block)
    return found


def _blocks(row: Section, cover: SectionCover, words: Mapping[str, Words]) -> Iterator[Block]:
    document = read_section(row)
    setter = _Setter(document.sentences, cover, words)
    page = 0
    for block in view(document):
        begins = block.page if block.page != page else 0
        page = block.page
        yield setter.block(block, begins)


class _Setter:
    """Sets the blocks of one section; its indices are those of the section's sentences."""

    def __init__(
        self, sentences: Sequence[Any], cover: SectionCover, words: Mapping[str, Words]
    ) -> None:
        self.sentences, self.covered, self.words = sentences, cover.sentences, words

    def block(self, block: ViewBlock, page: int) -> Block:
        rows = tuple(
            Row(
                tuple(self.cell(cell) for cell in row.cells),
                row.header,
                None if row.sentence is None else self.covered[row.sentence],
            )
            for row in block.rows
        )
        runs = tuple(self.runs(block.pieces))
        return Block(block.kind, block.level, block.marker, page, runs, rows)

    def cell(self, cell: ViewCell) -> Cell:
        return Cell(tuple(self.runs(cell.pieces)), cell.header, cell.columns, cell.rows)

    def runs(self, pieces: Iterable[Piece]) -> Iterator[Run]:
        """The pieces with those of one sentence together."""
        held: list[Piece] = []
        for piece in pieces:
            if held and held[-1].sentence != piece.sentence:
                yield self.run(held)
                held = []
            held.append(piece)
        if held:
            yield self.run(held)

    def run(self, pieces: Sequence[Piece]) -> Run:
        index = pieces[0].sentence
        if index is None:
            return Run(tuple(Part(piece.text, raised=piece.mark) for piece in pieces), None)
        sentence, said = self.sentences[index], self.covered[index]
        words = [
            (sentence.start + start, sentence.start + end)
            for start, end in sorted(self.words.get(said.lineage, ()))
        ]
        parts = (part for piece in pieces for part in _parts(piece, words))
        return Run(
            tuple(parts),
            said,
            first=pieces[0].start == sentence.start,
            last=pieces[-1].end == sentence.end,
        )


def _parts(piece: Piece, words: Sequence[tuple[int, int]]) -> Iterator[Part]:
    """A piece cut at words, by the same offsets, in order."""
    if piece.mark:
        yield Part(piece.text, raised=True)
        return
    at = piece.start
    for left, right in words:
        left, right = max(left, at), min(right, piece.end)
        if left >= right:
            continue
        if at < left:
            yield Part(piece.text[at - piece.start : left - piece.start])
        yield Part(piece.text[left - piece.start : right - piece.start], marked=True)
        at = right
    if at < piece.end:
        yield Part(piece.text[at - piece.start :])
