"""What every reader hands over: parts of text in reading order, without offsets.

A reader of a new format only has to yield parts. Offsets, heading paths, lead-ins,
clause numbers and sentences are made in one place, `documents.assembly`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from documents.structure import BlockKind, NoteKind

# A list nested deeper than this is read as nested this deep.
MAX_LIST_LEVEL = 12


@dataclass(frozen=True, slots=True)
class CellPart:
    """One cell of a table row: how long its text is, and what it covers; as in `Cell`."""

    length: int
    header: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class LinkPart:
    """A link inside a part: `[start, end)` of its text leads to the part with anchor `target`.

    `label` and `start == end` for a mark that the format makes, as in `Link`. A
    link whose target no part has is dropped.
    """

    start: int
    end: int
    target: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One block to be.

    `level` is as in `Block`. `labels` are the numbers of an item for its last
    `len(labels)` list levels ('(a)(1)' has two). `opens` counts the lists that an
    item opens; it is 1 for the first row of a table.

    `page` is the page it begins on, from 1; 0 where the format has none. `breaks`
    are offsets in `text` where a next page begins. `cells` are those of a table
    row, in order: their texts with a tab between are `text`. `anchors` are the
    names by which links of the document lead here.
    """

    kind: BlockKind
    text: str
    level: int = 0
    marker: str = ""
    labels: tuple[str, ...] = ()
    opens: int = 0
    page: int = 0
    breaks: tuple[int, ...] = ()
    cells: tuple[CellPart, ...] = ()
    links: tuple[LinkPart, ...] = ()
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """A note to be: it concerns what stands just before the part at index `part`."""

    kind: NoteKind
    message: str
    part: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a document; `choices` are as in `ReadDocument`."""

    media_type: str
    title: str
    parts: tuple[Part, ...]
    remarks: tuple[Remark, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()


def row_part(cells: Iterable[str], *, header: bool, opens: bool, page: int = 0) -> Part:
    """A table row; blanks inside a cell are collapsed, so that tabs only part cells."""
    texts = [" ".join(cell.split()) for cell in cells]
    return Part(
        BlockKind.TABLE_ROW,
        "\t".join(texts),
        level=0 if header else 1,
        opens=int(opens),
        page=page,
        cells=tuple(CellPart(len(text), header) for text in texts),
    )
