"""A token of a policy's sentence, with its place."""

from __future__ import annotations

from dataclasses import dataclass

from policywright.english.places import Word
from policywright.english.quantities import Quantity


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One token; `quantity` is set for MONEY, PERCENT, TIME, MEASURE, NUMBER, DATE and FRACTION.

    `written` are the words of the sentence where the token says them in other words.
    """

    type: str
    text: str
    start: int
    end: int
    quantity: Quantity | None = None
    written: str = ""

    @property
    def word(self) -> Word:
        return Word(self.start, self.end, self.written or self.text)
