"""What a sentence leaves open, and which way it is read this time.

A sentence is read once for each combination of choices; the reader asks here,
and what it asked becomes the question that is put to the owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from policywright.english.drafts import QuestionKind
from policywright.terms import Symbol


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing left open: what to ask, and a label for each choice.

    Of a boundary also the number at its edge; the labels then hold `{value}`.
    """

    question: str
    labels: tuple[str, ...]
    subject: Symbol | None = None
    value: Fraction | None = None


class Settings:
    """The choices of one reading; those not given are the first."""

    def __init__(self, chosen: Mapping[QuestionKind, int] | None = None) -> None:
        self.chosen = dict(chosen or {})
        self.asked: dict[QuestionKind, Asked] = {}

    def choose(
        self,
        what: QuestionKind,
        *,
        question: str,
        labels: tuple[str, ...],
        subject: Symbol | None = None,
        value: Fraction | None = None,
    ) -> int:
        """Which of the choices this reading takes; notes that it was asked."""
        self.asked[what] = Asked(question, labels, subject, value)
        return self.chosen.get(what, 0)
