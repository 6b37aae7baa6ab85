"""The words for what a check says; apart, so that naming one loads no solver."""

from __future__ import annotations

from enum import StrEnum


class FindingKind(StrEnum):
    """The first four need two decided questions; the last three are said of answers."""

    VALID = "VALID"
    INVALID = "INVALID"
    SATISFIABLE = "SATISFIABLE"
    IMPOSSIBLE = "IMPOSSIBLE"
    UNDECIDED = "UNDECIDED"
    TRANSLATION_AMBIGUOUS = "TRANSLATION_AMBIGUOUS"
    NO_TRANSLATIONS = "NO_TRANSLATIONS"
    TOO_COMPLEX = "TOO_COMPLEX"


BY_SIDES = {
    (True, True): FindingKind.SATISFIABLE,
    (True, False): FindingKind.VALID,
    (False, True): FindingKind.INVALID,
    (False, False): FindingKind.IMPOSSIBLE,
}
"""By whether a claim can hold and whether it can fail."""
