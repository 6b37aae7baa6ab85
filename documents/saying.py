"""Collects what a reader says about a file: one remark for each thing, up to a limit."""

from __future__ import annotations

from collections.abc import Sequence

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
        if len(self.remarks) > MAX_REMARKS:
            return
        flat = " ".join(words.split())
        shown = flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}..."
        if len(self.remarks) == MAX_REMARKS:
            message = "There is more to say about this file than can be listed."
        else:
            message = f"{what}: `{shown}`" if shown else f"{what}."
        self.remarks.append(Remark(kind, message, len(self._parts)))

    def leave_out(self, kind: NoteKind, what: str, words: str) -> None:
        """Remark that `what` was left out; nothing where it has no words."""
        if words.strip():
            self.say(kind, f"{what} was left out", words)
