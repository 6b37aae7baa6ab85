"""Collects what a reader says about a file: one remark for each thing, up to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from documents.parts import Part, Remark
from documents.structure import NoteKind

# Past this many remarks one more says that there are others.
MAX_REMARKS = 500
_SHOWN = 80


class Saying:
    """The remarks on a document whose `parts` so far say where each of them belongs."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.remarks: list[Remark] = []
        self._parts = parts

    def say(self, kind: NoteKind, what: str, words: str = "") -> None:
        """Remark `what`, without its full stop, and the beginning of the `words` it is about."""
        flat = " ".join(words.split())
        message = f"{what}: {quote(flat)}" if flat else f"{what}."
        self.add(Remark(kind, message, len(self._parts)))

    def add(self, remark: Remark) -> None:
        """Take in a remark that is worded already."""
        if len(self.remarks) == MAX_REMARKS:
            message = "There is more to say about this file than can be listed."
            remark = replace(remark, message=message)
        if len(self.remarks) <= MAX_REMARKS:
            self.remarks.append(remark)

    def leave_out(self, kind: NoteKind, what: str, words: str) -> None:
        """Remark that `what` was left out; nothing where it has no words."""
        if words.strip():
            self.say(kind, f"{what} was left out", words)


def quote(text: str) -> str:
    """Some words of the document for a sentence, cut where they are many."""
    return f"`{text if len(text) <= _SHOWN else f'{text[:_SHOWN]}...'}`"
