"""Which lists of a Word file are open: it stores levels and indents, not beginnings and ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.docx_numbering import Numbered


@dataclass(frozen=True, slots=True)
class _Open:
    """An open list: its shape and level in the file, and how far its text is set in."""

    shape: str
    level: int
    left: int


class OpenLists:
    """The lists that are open, outermost first, and the last label of each level of theirs."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._labels: dict[tuple[str, int], str] = {}

    def __len__(self) -> int:
        return len(self._open)

    def end(self) -> None:
        """Close all; a list that goes on later takes up its labels."""
        self._open = []

    def begin_section(self) -> None:
        """Close all, and forget their labels: a heading stands between."""
        self._open = []
        self._labels = {}

    def paragraph(self, left: int) -> None:
        """Close the lists that a paragraph without a number, set in by `left`, is not inside of."""
        while self._open and (left == 0 or self._open[-1].left > left):
            self._open.pop()

    def item(self, numbered: Numbered, left: int) -> tuple[int, Sequence[str]]:
        """Take in an item: how many lists it opens, and its labels, its own one last.

        There is one label, or one for each list that is opened. A list that goes on
        after a paragraph between is opened again with its outer levels.
        """
        shape, level = numbered.shape, numbered.level
        if any(one.shape == shape for one in self._open):
            while self._open[-1].shape != shape or self._open[-1].level > level:
                self._open.pop()
                if not self._open:
                    break
        else:
            while self._open and self._open[-1].left >= left:
                self._open.pop()
        self._labels[(shape, level)] = numbered.label
        if self._open and (self._open[-1].shape, self._open[-1].level) == (shape, level):
            self._open[-1] = _Open(shape, level, left)
            return 0, [numbered.label]
        deepest = max((one.level for one in self._open if one.shape == shape), default=-1)
        again = [at for at in range(deepest + 1, level) if (shape, at) in self._labels]
        self._open += [_Open(shape, at, left) for at in [*again, level]]
        return len(again) + 1, [self._labels[(shape, at)] for at in [*again, level]]
