"""What can go wrong while a document is read.

DocumentError
    UnreadableError   a file that cannot become a document; its message is one
                      sentence for the page: what is wrong, and what to do
        LimitError    a file that takes more than it may; `limit` is the name of
                      the field of `documents.limits.Limits` that it passes
"""

from __future__ import annotations


class DocumentError(Exception):
    """The root of the tree: catch it to catch all of this room's errors and nothing else."""


class UnreadableError(DocumentError):
    """The file cannot be read as a document; `str(error)` is fit for the page as it stands."""


class LimitError(UnreadableError):
    """The file takes more of something than a document may."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit
