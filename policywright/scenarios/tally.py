"""How many edits there are of each kind and tier, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass

from policywright.scenarios.fates import Fate


@dataclass(frozen=True)
class Tally:
    """How many mutants there are, and what became of them."""

    mutants: int = 0
    equivalent: int = 0
    killed: int = 0
    undecided: int = 0

    @property
    def score(self) -> float:
        """Of those that are not proven equivalent the share that is told apart; 1 of none."""
        rest = self.mutants - self.equivalent
        return self.killed / rest if rest else 1.0

    def plus(self, fate: Fate, count: int = 1) -> Tally:
        return Tally(
            self.mutants + count,
            self.equivalent + count * (fate is Fate.EQUIVALENT),
            self.killed + count * (fate is Fate.TOLD),
            self.undecided + count * (fate is Fate.UNDECIDED),
        )
