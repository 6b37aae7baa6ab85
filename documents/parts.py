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
class Part:
    """One block to be.

    `level` is as in `Block`. `labels` are the numbers of an item for its last
    `len(labels)` list levels ('(a)(1)' has two). `opens` counts the lists that an
    item opens; it is 1 for the first row of a table.
    """

    kind: BlockKind
    text: str
    level: int = 0
    marker: str = ""
    labels: tuple[str, ...] = ()
    opens: int = 0


@dataclass(frozen=True, slots=True)
class Remark:
    """A note to be: it concerns what stands just before the part at index `part`."""

    kind: NoteKind
    message: str
    part: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a document."""

    media_type: str
    title: str
    parts: tuple[Part, ...]
    remarks: tuple[Remark, ...] = ()


def row_part(cells: Iterable[str], *, header: bool, opens: bool) -> Part:
    """A table row; blanks inside a cell are collapsed, so that tabs only part cells."""
    text = "\t".join(" ".join(cell.split()) for cell in cells)
    return Part(BlockKind.TABLE_ROW, text, level=0 if header else 1, opens=int(opens))
