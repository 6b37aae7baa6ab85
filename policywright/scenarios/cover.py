"""Chooses few of the cases found: enough to tell every mutant that some case tells.

Within a tier the case that tells most comes first. A case that tells nothing that others of
the choice do not tell is left out again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from policywright.scenarios.trials import Probe, Trials

Told = dict[int, int]
"""By group the bits of the mutants that are told; of a group of which none is, no entry."""


def choose(
    trials: Trials,
    probes: Sequence[Probe],
    wanted: Mapping[int, int],
    *,
    first: Sequence[Told] = (),
) -> list[tuple[int, Told]]:
    """The cases in order by number, each with the mutants that it is the first to tell.

    `wanted` are the bits of each group that have to be told. What `first` tell is chosen
    before any of the `probes`, whose numbers come after theirs.
    """
    table = [*first, *(_row(trials, probe, wanted) for probe in probes)]
    rest, chosen = dict(wanted), []
    for i in range(len(first)):
        if _told(table[i], rest):
            chosen.append(i)
            take(table[i], rest)
    chosen += _greedily(table, range(len(first), len(table)), rest)
    rest = dict(wanted)
    ordered = _greedily(table, _needed(table, chosen), dict(wanted))
    return [(i, take(table[i], rest)) for i in ordered]


def _row(trials: Trials, probe: Probe, wanted: Mapping[int, int]) -> Told:
    every = ((p, wanted[p] & trials.killed(p, probe)) for p in trials.near(probe) if p in wanted)
    return {place: mask for place, mask in every if mask}


def _told(row: Told, rest: Told) -> int:
    """How many of the rest."""
    return sum((mask & rest.get(place, 0)).bit_count() for place, mask in row.items())


def take(row: Told, rest: Told) -> Told:
    """Those of the rest, which are taken out of it."""
    told = {place: own for place, mask in row.items() if (own := mask & rest.get(place, 0))}
    for place, own in told.items():
        rest[place] &= ~own
    return told


def _greedily(table: Sequence[Told], some: Iterable[int], rest: Told) -> list[int]:
    """The one that tells most of the rest, and so on; of those that tell as many the first."""
    # What a case tells of the rest never grows, so an old count is enough to pass it over.
    counted = [(-_told(table[i], rest), i) for i in some]
    heapify(counted)
    chosen = []
    while counted:
        count, i = heappop(counted)
        now = -_told(table[i], rest)
        if now == count and now:
            chosen.append(i)
            take(table[i], rest)
        elif now:
            heappush(counted, (now, i))
    return chosen


def _needed(table: Sequence[Told], chosen: list[int]) -> list[int]:
    """The choice without those whose mutants the others tell, looked at from the last on."""
    often: dict[tuple[int, int], int] = {}
    for i in chosen:
        for one in _each(table[i]):
            often[one] = often.get(one, 0) + 1
    kept = []
    for i in reversed(chosen):
        own = list(_each(table[i]))
        if any(often[one] == 1 for one in own):
            kept.append(i)
            continue
        for one in own:
            often[one] -= 1
    return kept[::-1]


def _each(row: Told) -> Iterable[tuple[int, int]]:
    for place, mask in row.items():
        while mask:
            low = mask & -mask
            yield place, low
            mask ^= low
