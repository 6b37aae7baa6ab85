"""A piece of a reply: a datatype, a variable, a rule, or what a rule leaves open."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

PieceKind = Literal["datatype", "variable", "rule", "question"]

# How much of a rule a reason repeats, and of a name a label.
_SHOWN, _SHOWN_NAME = 400, 80


class RefusedError(Exception):
    """A piece is refused; the message is the cause."""


@dataclass(frozen=True, eq=False)
class Piece:
    """What the model wrote, with the indexes of the sentences that it is drawn from.

    Two pieces with the same words are still two. A question goes by its rule's name.
    """

    kind: PieceKind
    data: Mapping[str, Any]
    sentences: tuple[int, ...]

    @property
    def name(self) -> str:
        name: str = self.data["rule" if self.kind == "question" else "name"]
        return name

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name

    @property
    def smtlib(self) -> str:
        """What a rule, or another reading of one, says; nothing for a declaration."""
        smtlib: str = self.data.get("smtlib", "")
        return smtlib

    @property
    def label(self) -> str:
        what = "question about rule" if self.kind == "question" else self.kind
        name = self.name if len(self.name) <= _SHOWN_NAME else f"{self.name[:_SHOWN_NAME]}..."
        return f"{what} `{name}`"

    @property
    def text(self) -> str:
        """The label, and what a rule says: for a person who has not the reply at hand."""
        return f"{self.label} {shortened(self.smtlib)}" if self.smtlib else self.label

    def shares_a_sentence(self, other: Piece) -> bool:
        return not set(self.sentences).isdisjoint(other.sentences)


def shortened(text: str) -> str:
    """A text that may be of any length, for a sentence that a person reads."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def checked_text(what: str, text: str, longest: int) -> str:
    """Words of a model's that people will read: on one line, and all of them visible.

    Raises RefusedError.
    """
    words = " ".join(text.split())
    if len(words) > longest:
        raise RefusedError(f"its {what} has more than {longest} characters; say it shorter")
    for character in words:
        if unicodedata.category(character) in ("Cc", "Cf", "Cs"):
            raise RefusedError(
                f"its {what} holds a character that nobody sees (U+{ord(character):04X}); "
                "leave it out"
            )
    return words
