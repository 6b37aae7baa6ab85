"""What a table's header says of each row: the header cells, and cells that reach down to it."""

from __future__ import annotations

from collections.abc import Sequence

from documents.structure import Cell

# Columns beyond are not followed; no table for readers has so many.
MAX_COLUMNS = 100


class Headers:
    """The header of the table that is being read, column by column."""

    def __init__(self) -> None:
        self.begin_table()

    def begin_table(self) -> None:
        """Forget the table before."""
        self._labels: list[list[str]] = []
        self._group = ""
        self._below_header = False
        # For a column: how many rows the cell above still covers, and its words.
        self._reaching: dict[int, tuple[int, str]] = {}

    def add_header(self, text: str, cells: Sequence[Cell]) -> None:
        """Take in a header row. One cell alone, below other rows, names a group of rows."""
        words = [text[cell.start : cell.end] for cell in cells]
        if self._below_header and sum(map(bool, words)) == 1 and self._labels:
            self._group = next(filter(None, words))
            return
        if self._below_header:
            self.begin_table()
        for column, cell, label in self._places(cells, words):
            while len(self._labels) <= column:
                self._labels.append([])
            if label and label not in self._labels[column]:
                self._labels[column].append(label)
            if cell.rows > 1:
                self._reaching[column] = (cell.rows, "")
        self._next_row()

    def row(self, text: str, cells: Sequence[Cell]) -> tuple[str, ...]:
        """The context of the sentence of a row; see `Sentence.context`."""
        self._below_header = True
        context = [" / ".join(labels) for labels in self._labels]
        for column, (_, words) in self._reaching.items():
            context += [""] * (column + 1 - len(context))
            if words:
                context[column] = f"{context[column]}: {words}" if context[column] else words
        words_of = [text[cell.start : cell.end] for cell in cells]
        for column, cell, words in self._places(cells, words_of):
            if cell.rows > 1:
                self._reaching[column] = (cell.rows, words)
        self._next_row()
        if self._group:
            context.append(self._group)
        return tuple(context) if any(context) else ()

    def _places(self, cells: Sequence[Cell], words: Sequence[str]) -> list[tuple[int, Cell, str]]:
        """Each column that a cell of this row stands in; those reached from above are taken."""
        places: list[tuple[int, Cell, str]] = []
        taken = set(self._reaching)
        column = 0
        for cell, label in zip(cells, words, strict=True):
            while column in taken:
                column += 1
            for _ in range(cell.columns):
                if column >= MAX_COLUMNS:
                    return places
                places.append((column, cell, label))
                column += 1
        return places

    def _next_row(self) -> None:
        self._reaching = {
            column: (left - 1, words)
            for column, (left, words) in self._reaching.items()
            if left > 1
        }
