"""How translators and their places are said to people."""

from __future__ import annotations

BUILTIN = "builtin"
BUILTIN_SAID = "the built-in formalizer"


def place_of(place: str) -> str:
    """Where a model was asked, for a sentence; the provider's own address has no name here."""
    return place or "its provider’s own address"
