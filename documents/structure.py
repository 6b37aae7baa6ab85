"""The shape of a read document: one text, and everything else as places in it.

INVARIANT: every `start` and `end` is a half-open range `[start, end)` of code
points of `ReadDocument.text`, the readable text without markup. Blocks stand in
order and do not overlap, nor do sentences; a sentence lies in one block.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block is; headings and header rows are structure and hold no sentence."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE_ROW = "table_row"
    QUOTE = "quote"
    CODE = "code"


class NoteKind(StrEnum):
    """What a reader wants a person to know about a document."""

    HIDDEN_CHARACTER = "hidden_character"
    DIRECTION_OVERRIDE = "direction_override"
    LOOK_ALIKE = "look_alike"
    HIDDEN_TEXT = "hidden_text"
    PICTURE = "picture"
    METADATA = "metadata"
    NAME = "name"
    MARKUP = "markup"


@dataclass(frozen=True, slots=True)
class Note:
    """One remark of the reader, with its place; `message` is a sentence for the page.

    Where the thing remarked on is not in the text (a picture), `start == end`.
    """

    kind: NoteKind
    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: `level` counts from 1; `title` has its blanks collapsed."""

    level: int
    start: int
    end: int
    title: str


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, table row and so on.

    `level` is the heading's level; for a table row 0 in the header and 1 below
    it; for all others the number of lists that enclose the block (an item at
    the top counts its own list: 1). `marker` is what the block begins with
    ('(a)', '1.', '-') and is part of the text; '' where there is none. The
    cells of a table row are separated by tabs.
    """

    kind: BlockKind
    start: int
    end: int
    level: int
    marker: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, with what a reader must know to understand it.

    `headings` are the titles above it, outermost first.

    `context` of a list item is pairs of lead-in and connective, the outermost
    list first: ('Leave is granted if:', 'and', 'the employee has one of', 'or').
    The connective is 'and', 'or' or 'and/or' as it ends the last item but one,
    else ''; a list with neither adds no pair. `context` of a table row is its
    header cells. Otherwise it is empty.

    A lead-in is a sentence too, and must be accounted for like any other.

    `number` is the clause ('4.2(b)'), put together from the numbers written
    before the sentence and above it; '' where none is. `block` is an index
    into `ReadDocument.blocks`.
    """

    start: int
    end: int
    headings: tuple[str, ...]
    context: tuple[str, ...]
    number: str
    block: int


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as read. `media_type` is 'text/plain' or 'text/markdown'.

    `title` is what the document calls itself, '' where it does not.
    """

    text: str
    media_type: str
    title: str
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    sentences: tuple[Sentence, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the text for one model call; `sentences` are indices, in order."""

    start: int
    end: int
    sentences: tuple[int, ...]
    headings: tuple[str, ...]
