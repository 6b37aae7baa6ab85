"""What can go wrong while a document is read.

DocumentError
    UnreadableError       a file that cannot become a document; its message is one
                          sentence for the page: what is wrong, and what to do
        LimitError        a file that takes more than it may; `limit` is the name of
                          the field of `documents.limits.Limits` that it passes
        ChoiceNeededError the file can be read in more than one way, and its owner
                          has not chosen yet
    EditError             a join or split by hand that fits nowhere in the text
"""

from __future__ import annotations

from dataclasses import dataclass


class DocumentError(Exception):
    """The root of the tree: catch it to catch all of this room's errors and nothing else."""


class UnreadableError(DocumentError):
    """The file cannot be read as a document; `str(error)` is fit for the page as it stands."""


class LimitError(UnreadableError):
    """The file takes more of something than a document may."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Choice:
    """A question to the owner of a file before it can be read.

    `name` is the key in `read(..., choices={name: value})`. `options` are pairs of
    a value and the words for it on the page.
    """

    name: str
    question: str
    options: tuple[tuple[str, str], ...]


class ChoiceNeededError(UnreadableError):
    """Read again with `choices={error.choice.name: value}`; the message is the question."""

    def __init__(self, choice: Choice) -> None:
        super().__init__(choice.question)
        self.choice = choice


class EditError(DocumentError):
    """An `Edit` does not fit the text it is meant for; `str(error)` is fit for the page."""
