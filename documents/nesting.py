"""Turns the lists of a markup, and the clauses written by hand inside it, into parts.

A reader says which lists and items open and close, and hands over paragraphs. An
item's marker waits for its first words. A paragraph may hold clauses of its own,
'(a) ...', that no markup tells apart: those nest inside the lists around them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from documents.flow import Words, spread_links
from documents.lines import read_lines
from documents.numbering import ListStack
from documents.parts import MAX_LIST_LEVEL, Part
from documents.structure import BlockKind


@dataclass(slots=True)
class ItemStart:
    """A list item whose marker waits for its first words."""

    marker: str
    label: str
    level: int
    opens: int


class Nesting:
    """The parts so far, and the lists that are open behind them."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._clauses = ListStack()
        self._base = 0
        self._new_list: list[bool] = []
        self._item: ItemStart | None = None

    @property
    def level(self) -> int:
        """How many lists are open here."""
        return min(self._base + len(self._new_list), MAX_LIST_LEVEL) if self._new_list else 0

    def open_list(self) -> None:
        self.place_item()
        if not self._new_list:
            self._base = self._clauses.level
        self._new_list.append(True)

    def close_list(self) -> None:
        self._new_list.pop()

    def open_item(self, marker: str, label: str) -> None:
        """Begin an item of the innermost list; `label` is as in `Part.labels`."""
        self.place_item()
        self._item = ItemStart(marker, label, self.level, int(self._new_list[-1]))
        self._new_list[-1] = False

    def close_item(self) -> None:
        self.place_item()

    def place_item(self) -> None:
        """Put down the marker of an item that does not begin with words."""
        if self._item:
            item, self._item = self._item, None
            if item.marker:
                self.parts.append(mark_item(Part(BlockKind.PARAGRAPH, ""), item))

    def paragraph(
        self,
        words: Words,
        kind: BlockKind,
        *,
        joins: Callable[[str, str], bool],
        indent: int = 0,
    ) -> None:
        """Add a paragraph; `joins` and what becomes of its lines are as in `read_lines`."""
        lines = [" " * indent + line for line in words.text.split("\n") if line.strip()]
        inside = self._new_list or kind is BlockKind.QUOTE
        clauses = ListStack() if inside else self._clauses
        found = list(read_lines(lines, clauses, joins=joins, base=self.level, kind=kind))
        parts = spread_links(found, words)
        item, self._item = self._item, None
        if item and not parts:
            self._item = item
        elif item:
            parts[0] = mark_item(parts[0], item)
        self.parts += parts

    def add(self, part: Part) -> None:
        """Add a part as it is; a heading ends the clauses written by hand."""
        self.place_item()
        if part.kind is BlockKind.HEADING:
            self._clauses.clear()
        self.parts.append(part)

    def add_all(self, parts: Iterable[Part]) -> None:
        """Add the parts of a stretch that was read by itself, inside the lists open here."""
        level = self.level
        for part in parts:
            is_nested = part.kind not in (BlockKind.HEADING, BlockKind.TABLE_ROW)
            self.add(replace(part, level=part.level + level) if is_nested else part)

    def anchor(self, first: int, anchors: Sequence[str]) -> bool:
        """Let `anchors` lead to the part at `first`; false where there is none yet."""
        if first >= len(self.parts):
            return False
        part = self.parts[first]
        self.parts[first] = replace(part, anchors=(*part.anchors, *anchors))
        return True


def mark_item(part: Part, item: ItemStart) -> Part:
    """The first part of a list item, with the item's own marker before it."""
    if part.kind is not BlockKind.ITEM:
        return replace(
            part,
            kind=BlockKind.ITEM,
            level=item.level,
            marker=item.marker,
            labels=(item.label,),
            opens=item.opens,
        )
    return replace(
        part,
        marker=f"{item.marker} {part.marker}".strip(),
        labels=(item.label, *part.labels),
        opens=item.opens + part.opens,
    )
