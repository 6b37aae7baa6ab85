"""The room that reads: bytes to one text with its structure, sentences and spans.

`read` a file, `view` it on a page, cut it into `spans` for model calls, `align` a
revision with the one before, `divide` it anew where a person joined or split
sentences. Everything else points into the text by `[start, end)` in code points.
Pure: no Django, no solver, no model. A reader for one more format is one more
module that yields `documents.parts.Part`, chosen in `documents.reading`.
"""

from documents.alignment import Changed, Changes, WordChange, align, changes, word_diff
from documents.bounded import read_bounded
from documents.dividing import divide
from documents.editing import carry_edits
from documents.errors import (
    Choice,
    ChoiceNeededError,
    DocumentError,
    EditError,
    LimitError,
    UnreadableError,
)
from documents.limits import DEFAULT_LIMITS, Limits
from documents.packing import pack, unpack
from documents.reading import read
from documents.spanning import spans
from documents.structure import (
    Block,
    BlockKind,
    Cell,
    Definition,
    Edit,
    EditKind,
    Heading,
    Link,
    Note,
    NoteKind,
    ReadDocument,
    Reference,
    Sentence,
    Span,
)
from documents.view import Piece, ViewBlock, ViewCell, view

__all__ = [
    "DEFAULT_LIMITS",
    "Block",
    "BlockKind",
    "Cell",
    "Changed",
    "Changes",
    "Choice",
    "ChoiceNeededError",
    "Definition",
    "DocumentError",
    "Edit",
    "EditError",
    "EditKind",
    "Heading",
    "LimitError",
    "Limits",
    "Link",
    "Note",
    "NoteKind",
    "Piece",
    "ReadDocument",
    "Reference",
    "Sentence",
    "Span",
    "UnreadableError",
    "ViewBlock",
    "ViewCell",
    "WordChange",
    "align",
    "carry_edits",
    "changes",
    "divide",
    "pack",
    "read",
    "read_bounded",
    "spans",
    "unpack",
    "view",
    "word_diff",
]
