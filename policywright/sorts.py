"""The sorts of the fragment: Bool, Int, Real and enumerations.

An enumeration is known by its datatype's stable id, never by its name, so that
renaming a datatype changes no term and no content hash.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Sort:
    """A sort; `key` is the word itself, or a datatype's id for an enumeration."""

    key: str
    is_enumeration: bool = False

    @property
    def is_number(self) -> bool:
        return self is REAL or self is INT or self in (INT, REAL)

    # Written out, since every check of a term compares sorts: nearly always one with itself.
    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Sort):
            return NotImplemented
        return self.key == other.key and self.is_enumeration == other.is_enumeration

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.key


BOOL = Sort("Bool")
INT = Sort("Int")
REAL = Sort("Real")

BUILT_IN: dict[str, Sort] = {sort.key: sort for sort in (BOOL, INT, REAL)}


def enumeration(datatype_id: str) -> Sort:
    """The sort of the values of the datatype with that id."""
    return Sort(datatype_id, is_enumeration=True)
