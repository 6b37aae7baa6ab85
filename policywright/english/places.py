"""Words with the place where they stand in the text that was given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """`text[start:end)` of the sentence; a word of an item's lead-in has start = end = 0."""

    start: int
    end: int
    text: str
