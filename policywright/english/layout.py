"""Blocks of text: running words with indented lists in between.

    If all of the following hold:
      - a;
      - any of the following holds:
          - b;
          - c,
    then d.

An item ends with a semicolon; the last one before running words with a comma,
and the very last with what ends the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Items:
    """The items of one list, each a block."""

    blocks: tuple[Block, ...]


Part: TypeAlias = str | Items


@dataclass(frozen=True, slots=True)
class Block:
    """Running words and lists in turn; words before a list end with a colon."""

    parts: tuple[Part, ...]

    @property
    def is_inline(self) -> bool:
        return all(isinstance(part, str) for part in self.parts)

    @property
    def text(self) -> str:
        return " ".join(part for part in self.parts if isinstance(part, str))


def inline(text: str) -> Block:
    return Block((text,))


def listed(head: str, blocks: tuple[Block, ...]) -> Block:
    return Block((f"{head}:", Items(blocks)))


def joined(*pieces: str | Block) -> Block:
    """Pieces one behind the other; words that meet become one run of words."""
    parts: list[Part] = []
    for piece in pieces:
        for part in (piece,) if isinstance(piece, str) else piece.parts:
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                before = parts.pop()
                assert isinstance(before, str)
                parts.append(f"{before}{'' if part.startswith(',') else ' '}{part}")
            else:
                parts.append(part)
    return Block(tuple(parts))


def lay_out(block: Block, end: str) -> str:
    """The block as lines; `end` closes it (`.` for a sentence)."""
    return "\n".join(_lines(block, 0, end))


def _lines(block: Block, indent: int, end: str) -> list[str]:
    lines: list[str] = []
    for position, part in enumerate(block.parts):
        is_last = position == len(block.parts) - 1
        if isinstance(part, str):
            # The comma of ', then' stands at the end of the list before it.
            words = part.removeprefix(", ") if position else part
            lines.append(" " * indent + words + (end if is_last else ""))
            continue
        for number, item in enumerate(part.blocks):
            last_item = number == len(part.blocks) - 1
            item_end = ";" if not last_item else end if is_last else ","
            text = _lines(item, indent + 4, item_end)
            text[0] = " " * (indent + 2) + "- " + text[0].lstrip()
            lines.extend(text)
    return lines
