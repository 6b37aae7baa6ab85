"""The one minimal core that document order picks.

Going through the items in order and dropping each that is not needed leaves one
well-defined set. What stays is the latest item from which on the rest still
clashes, then the same behind it. A clash found on the way says where to look
next: its first item is no later than the one that stays, so the usual case costs
one question an item of the core, and the worst log n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Clash = Callable[[Sequence[int]], frozenset[int] | None]
"""Given items: a subset that clashes, or None if they can hold together."""

_GALLOPS = 3


class NotDecidedError(Exception):
    """A question on the way was not decided, so minimality cannot be claimed."""


def minimal_core(
    items: Sequence[int], fixed: Sequence[int], core: frozenset[int], clash: Clash
) -> tuple[list[int], frozenset[int]]:
    """The items that stay when those not needed are dropped in order, and the last clash.

    `fixed` is always held; `core` is a clash among `fixed` and the items.
    """
    position_of = {item: position for position, item in enumerate(items)}
    kept: list[int] = []
    while pending := (core & position_of.keys()) - set(kept):
        low = min(position_of[item] for item in pending)
        needed, core = _last_needed(items, low, core, [*fixed, *kept], position_of, clash)
        if needed is not None:
            kept.append(items[needed])
    return kept, core


def _last_needed(
    items: Sequence[int],
    low: int,
    core: frozenset[int],
    held: Sequence[int],
    position_of: dict[int, int],
    clash: Clash,
) -> tuple[int | None, frozenset[int]]:
    """The largest position from which on items and `held` still clash, and a clash from there.

    `core` is such a clash from `low` on. Steps are short at first, then halve what is
    left. None if `held` clashes without any item.
    """
    high, steps = len(items) + 1, 0
    while high - low > 1:
        steps += 1
        start = low + 1 if steps <= _GALLOPS else (low + high) // 2
        found = clash([*held, *items[start:]])
        if found is None:
            high = start
            continue
        core = found
        used = [position_of[i] for i in found if position_of.get(i, -1) >= start]
        if not used:
            return None, core
        low = min(used)
    return low, core
