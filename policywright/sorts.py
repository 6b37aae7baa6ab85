"""The sorts of the fragment: Bool, Int, Real and enumerations.

An enumeration is known by its datatype's stable id, never by its name, so that
renaming a datatype changes no term and no content hash.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort; `key` is the word itself, or a datatype's id for an enumeration."""

    key: str
    is_enumeration: bool = False

    @property
    def is_number(self) -> bool:
        return self in (INT, REAL)

    def __str__(self) -> str:
        return self.key


BOOL = Sort("Bool")
INT = Sort("Int")
REAL = Sort("Real")

BUILT_IN: dict[str, Sort] = {sort.key: sort for sort in (BOOL, INT, REAL)}


def enumeration(datatype_id: str) -> Sort:
    """The sort of the values of the datatype with that id."""
    return Sort(datatype_id, is_enumeration=True)
