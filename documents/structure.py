"""The shape of a read document: one text, and everything else as places in it.

INVARIANT: every `start` and `end` is a half-open range `[start, end)` of code
points of `ReadDocument.text`, the readable text without markup. Blocks stand in
order and do not overlap, nor do sentences; a sentence lies in one block.

What a reader finds (text, blocks, links, notes) is kept apart from what follows
from it (headings, sentences, definitions, references): the second half can be made
again from the first with other `Edit`s, without the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block is.

    Header rows are structure and hold no sentence; so do headings, but for one that
    says a rule by itself ('4.2 Staff must book early'), which is both.
    """

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE_ROW = "table_row"
    QUOTE = "quote"
    CODE = "code"
    FOOTNOTE = "footnote"


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
    LEFT_OUT = "left_out"
    TRACKED_CHANGE = "tracked_change"
    COMMENT = "comment"
    MACRO = "macro"
    NUMBERING = "numbering"
    COLUMNS = "columns"


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
class Cell:
    """A cell of a table row: its place, and how many columns and rows it covers.

    `header` is true for a cell that names its row or its columns (`th`). A cell
    that reaches down from a row above stands only in that row; the rows below it
    have no cell there, but carry its words in their sentence's context. An empty
    cell has `start == end`.
    """

    start: int
    end: int
    header: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, table row and so on.

    `level` is the heading's level; for a table row 0 in the header and 1 below
    it; for all others the number of lists that enclose the block (an item at
    the top counts its own list: 1). `marker` is what the block begins with
    ('(a)', '1.', '-') and is part of the text; '' where there is none. The
    cells of a table row are separated by tabs; `cells` are their places.

    `page` counts from 1 and is where the block begins; 0 where the format has no
    pages. `breaks` are the places inside the block where a next page begins.
    `labels` and `opens` are as in `documents.parts.Part`.
    """

    kind: BlockKind
    start: int
    end: int
    level: int
    marker: str
    page: int = 0
    cells: tuple[Cell, ...] = ()
    breaks: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    opens: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """The author's own link from a place in the text to a block of the same document.

    `label` is a mark that is not in the text because the format makes it (a
    footnote's number); then `start == end`. `block` is an index into
    `ReadDocument.blocks`.
    """

    start: int
    end: int
    block: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, with what a reader must know to understand it.

    `headings` are the titles above it, outermost first.

    `context` of a list item is pairs of lead-in and connective, the outermost
    list first: ('Leave is granted if:', 'and', 'the employee has one of', 'or').
    The connective is 'and', 'or' or 'and/or' as it ends the last item but one, else
    as the lead-in announces it ('any of the following'), else ''; a list with
    neither lead-in nor connective adds no pair. `context` of a table row is its
    header cells, one a column; where a cell reaches down from a row above, its
    words follow the header after a colon ('Region: Abroad'). Otherwise it is empty.

    A lead-in is a sentence too, and must be accounted for like any other.

    `number` is the clause ('4.2(b)'), put together from the numbers written
    before the sentence and above it; '' where none is. `block` is an index
    into `ReadDocument.blocks`. `page` is where the sentence begins; 0 where the
    format has no pages.

    `pointed` are indices of other sentences of the document that this one leans
    on, in order: those of a clause it refers to (but for one of more than 20
    sentences), the definition of a term it uses, its footnotes, and what its
    'Otherwise' follows. Never itself.
    """

    start: int
    end: int
    headings: tuple[str, ...]
    context: tuple[str, ...]
    number: str
    block: int
    page: int = 0
    pointed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """A sentence that says what `term` means; `sentence` is its index.

    `[start, end)` is the term where it is defined, without its quotes.
    """

    term: str
    start: int
    end: int
    sentence: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in a sentence that points to another part of the same document.

    `[start, end)` are the words that do it ('section 4.2'); `start == end` for a
    footnote's mark, which is `label`. `targets` are indices of the sentences of
    the clause, heading or footnote, at most the first 40; empty where the document
    holds no such part, so that the page can say so.
    """

    sentence: int
    start: int
    end: int
    targets: tuple[int, ...]
    label: str = ""


class EditKind(StrEnum):
    """What a person may do to the sentences of a revision."""

    JOIN = "join"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class Edit:
    """One decision of a person about where a sentence begins.

    SPLIT: a sentence begins at `start`. JOIN: the sentence that begins at `start`
    goes on with the one before it. `start` is an offset in the revision's text,
    which no edit changes; an edit that fits nowhere is an error, never ignored.
    """

    kind: EditKind
    start: int


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as read. `media_type` is that of the file, 'text/plain' and so on.

    `title` is what the document calls itself, '' where it does not. `choices` are
    the owner's choices that the text rests on, as pairs of a choice's name and
    value (('tracked_changes', 'accepted')); keep them with the revision.
    """

    text: str
    media_type: str
    title: str
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    sentences: tuple[Sentence, ...]
    notes: tuple[Note, ...]
    links: tuple[Link, ...] = ()
    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the text for one model call; `sentences` are indices, in order."""

    start: int
    end: int
    sentences: tuple[int, ...]
    headings: tuple[str, ...]
