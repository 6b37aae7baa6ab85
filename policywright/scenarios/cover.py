"""Chooses few of the cases found: enough to tell every mutant that some case tells.

Within a tier the case that tells most comes first. A case that tells nothing that others of
the choice do not tell is left out again.
"""

from __future__ import annotations

from collections.abc import Sequence

from policywright.scenarios.trials import Probe, Trials

Told = list[int]
"""Of each group the bits of the mutants that are told."""


def choose(
    trials: Trials,
    found: Sequence[Probe],
    wanted: Sequence[int],
    *,
    first: Sequence[Probe] = (),
) -> list[tuple[Probe, Told]]:
    """The cases in order, each with the mutants that it is the first to tell.

    `wanted` are the bits of each group that have to be told. Those of `first` are chosen
    in their order, as long as they tell something, before any that was `found`.
    """
    probes = [*first, *found]
    table = [
        [mask & trials.killed(place, probe) if mask else 0 for place, mask in enumerate(wanted)]
        for probe in probes
    ]
    rest, chosen = list(wanted), []
    for i in range(len(first)):
        if any(a & b for a, b in zip(table[i], rest, strict=True)):
            chosen.append(i)
            rest = [a & ~b for a, b in zip(rest, table[i], strict=True)]
    open_ = set(range(len(first), len(probes)))
    # What a case tells of the rest never grows, so an old count is enough to pass it over.
    counts = [sum(mask.bit_count() for mask in row) for row in table]
    while open_:
        best, most = -1, 0
        for i in sorted(open_, key=lambda i: (-counts[i], i)):
            if counts[i] <= most:
                break
            counts[i] = sum((a & b).bit_count() for a, b in zip(table[i], rest, strict=True))
            if counts[i] > most:
                best, most = i, counts[i]
        if best < 0:
            break
        open_.discard(best)
        chosen.append(best)
        rest = [a & ~b for a, b in zip(rest, table[best], strict=True)]
    return _shared_out(probes, table, _needed(table, chosen, wanted), wanted)


def _needed(table: Sequence[Told], chosen: list[int], wanted: Sequence[int]) -> list[int]:
    """The choice without those whose mutants the others tell, looked at from the last on."""
    often: list[dict[int, int]] = [{} for _ in wanted]
    for i in chosen:
        for place, mask in enumerate(table[i]):
            _count(often[place], mask, 1)
    kept = []
    for i in reversed(chosen):
        told = [mask & w for mask, w in zip(table[i], wanted, strict=True)]
        if any(_alone(often[place], mask) for place, mask in enumerate(told)):
            kept.append(i)
            continue
        for place, mask in enumerate(table[i]):
            _count(often[place], mask, -1)
    return kept[::-1]


def _count(often: dict[int, int], mask: int, by: int) -> None:
    while mask:
        low = mask & -mask
        often[low] = often.get(low, 0) + by
        mask ^= low


def _alone(often: dict[int, int], mask: int) -> bool:
    while mask:
        low = mask & -mask
        if often[low] == 1:
            return True
        mask ^= low
    return False


def _shared_out(
    probes: Sequence[Probe], table: Sequence[Told], kept: Sequence[int], wanted: Sequence[int]
) -> list[tuple[Probe, Told]]:
    """Those kept, the one that tells most of what is left first."""
    rest, found, open_ = list(wanted), [], list(kept)
    while open_:
        gains = [
            sum((a & b).bit_count() for a, b in zip(table[i], rest, strict=True)) for i in open_
        ]
        best = open_.pop(gains.index(max(gains)))
        told = [a & b for a, b in zip(rest, table[best], strict=True)]
        found.append((probes[best], told))
        rest = [a & ~b for a, b in zip(rest, told, strict=True)]
    return found
