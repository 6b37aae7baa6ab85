"""The one minimal core that document order picks.

Going through the items in order and dropping each that is not needed leaves one
well-defined set. It is found here without asking about every item: what stays is
the latest item from which on the rest still clashes, then the same behind it, so
a core of k among n items costs about k log n questions, and a solver's own core
shortens the search without changing its result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Clash = Callable[[Sequence[int]], frozenset[int] | None]
"""Given items: a subset that clashes, or None if they can hold together."""


class NotDecidedError(Exception):
    """A question on the way was not decided, so minimality cannot be claimed."""


def minimal_core(items: Sequence[int], fixed: Sequence[int], clash: Clash) -> list[int]:
    """The items that stay when those not needed are dropped in order, `fixed` always held.

    All items together with `fixed` must clash.
    """
    kept: list[int] = []
    start = 0
    while clash([*fixed, *kept]) is None:
        position = _last_needed(items, start, [*fixed, *kept], clash)
        kept.append(items[position])
        start = position + 1
    return kept


def _last_needed(items: Sequence[int], start: int, held: Sequence[int], clash: Clash) -> int:
    """The largest position from which on the items still clash with what is held."""
    position_of = {item: position for position, item in enumerate(items)}
    low, high = start, len(items)
    while high - low > 1:
        middle = (low + high) // 2
        core = clash([*held, *items[middle:]])
        if core is None:
            high = middle
        else:
            used = [position_of[i] for i in core if i in position_of and position_of[i] >= middle]
            low = max(middle, min(used, default=len(items) - 1))
    return low
