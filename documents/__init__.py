"""The room that reads: bytes to one text with its structure, sentences and spans.

`read` a file, cut it into `spans` for model calls, `align` a revision with the
one before. Everything else points into the text by `[start, end)` in code points.
Pure: no Django, no solver, no model. A reader for one more format is one more
module that yields `documents.parts.Part`, chosen in `documents.reading`.
"""

from documents.alignment import align
from documents.errors import DocumentError, UnreadableError
from documents.reading import read
from documents.spanning import spans
from documents.structure import (
    Block,
    BlockKind,
    Heading,
    Note,
    NoteKind,
    ReadDocument,
    Sentence,
    Span,
)

__all__ = [
    "Block",
    "BlockKind",
    "DocumentError",
    "Heading",
    "Note",
    "NoteKind",
    "ReadDocument",
    "Sentence",
    "Span",
    "UnreadableError",
    "align",
    "read",
    "spans",
]
