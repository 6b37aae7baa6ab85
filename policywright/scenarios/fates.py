"""What becomes of each mutant of a component, and which cases told it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from policywright.scenarios.mutants import Group
from policywright.scenarios.trials import Probe, Trials


class Fate(Enum):
    ALIVE = "alive"
    TOLD = "told apart"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


class Fates:
    """By group and bit; `probes` are the cases found, each with its tier.

    `left` counts by group those that are undecided since no work was left for them.
    """

    def __init__(self, groups: Sequence[Group], trials: Trials) -> None:
        self.trials = trials
        self.of_group = [[Fate.ALIVE] * len(group.mutants) for group in groups]
        self.probes: list[tuple[int, Probe]] = []
        self.left = [0] * len(groups)
        self._alive = [(1 << len(group.mutants)) - 1 for group in groups]
        self._tiers = [_tier_masks(group) for group in groups]

    def alive(self, place: int, tier: int | None = None) -> int:
        """The bits of the mutants of a group, of one tier, that are still asked about."""
        every = self._alive[place]
        return every if tier is None else every & self._tiers[place].get(tier, 0)

    def take(self, tier: int, probe: Probe) -> None:
        """A case: what it tells is not asked about any more."""
        self.probes.append((tier, probe))
        for place in self.trials.near(probe):
            if self._alive[place]:
                for bit in bits(self._alive[place] & self.trials.killed(place, probe)):
                    self.end(place, bit, Fate.TOLD)

    def end(self, place: int, bit: int, fate: Fate) -> None:
        self._alive[place] &= ~(1 << bit)
        self.of_group[place][bit] = fate

    def give_up(self) -> None:
        """Nothing that is alive is decided."""
        for place, mask in enumerate(self._alive):
            for bit in bits(mask):
                self.end(place, bit, Fate.UNDECIDED)

    def leave(self, tier: int) -> None:
        """There is no work left for what is alive of a tier."""
        for place in range(len(self.of_group)):
            self.drop(place, self.alive(place, tier))

    def drop(self, place: int, mask: int) -> None:
        """There is no work left for these."""
        self.left[place] += mask.bit_count()
        for bit in bits(mask):
            self.end(place, bit, Fate.UNDECIDED)

    def told(self, tier: int) -> dict[int, int]:
        """Of each group the bits of the mutants of a tier that some case tells, if any."""
        found: dict[int, int] = {}
        for place, fates in enumerate(self.of_group):
            for bit in bits(self._tiers[place].get(tier, 0)):
                if fates[bit] is Fate.TOLD:
                    found[place] = found.get(place, 0) | 1 << bit
        return found


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _tier_masks(group: Group) -> dict[int, int]:
    found: dict[int, int] = {}
    for bit, mutant in enumerate(group.mutants):
        found[mutant.tier] = found.get(mutant.tier, 0) | 1 << bit
    return found
