"""What conditions say of one variable each: an interval, or which values are left.

Enough to see, without a solver, that two conditions never meet ('at most 24', 'at least
25'), and where the intervals of several rules touch or leave a gap.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from policywright.normal import negate
from policywright.sorts import INT
from policywright.terms import FALSE, FLIPPED, ORDERINGS, Apply, Literal, Op, Symbol, Term


@dataclass(frozen=True, slots=True)
class Interval:
    """Of numbers; None is no bound. `low_in` and `high_in` say whether an end belongs to it."""

    low: Fraction | None = None
    low_in: bool = False
    high: Fraction | None = None
    high_in: bool = False

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (
            self.low == self.high and not (self.low_in and self.high_in)
        )

    def meet(self, other: Interval) -> Interval:
        low = max(((x.low, not x.low_in) for x in (self, other) if x.low is not None), default=None)
        high = min(((x.high, x.high_in) for x in (self, other) if x.high is not None), default=None)
        return Interval(
            low[0] if low else None,
            not low[1] if low else False,
            high[0] if high else None,
            high[1] if high else False,
        )


def interval_of(part: Term) -> tuple[Symbol, Interval] | None:
    """The variable and the interval of a comparison with a constant; whole numbers closed."""
    if not isinstance(part, Apply) or part.op not in ORDERINGS | {Op.EQ}:
        return None
    left, right = part.args
    op = part.op
    if isinstance(left, Literal):
        left, right, op = right, left, FLIPPED.get(op, op)
    if not isinstance(left, Symbol) or not isinstance(right, Literal):
        return None
    if not left.sort.is_number or isinstance(right.value, (bool, str)):
        return None
    at = Fraction(right.value)
    if left.sort == INT and op in (Op.LT, Op.GT):
        at, op = (at - 1, Op.LE) if op is Op.LT else (at + 1, Op.GE)
    if op is Op.EQ:
        return left, Interval(at, True, at, True)
    if op in (Op.GT, Op.GE):
        return left, Interval(low=at, low_in=op is Op.GE)
    return left, Interval(high=at, high_in=op is Op.LE)


def never_meet(parts: Iterable[Term]) -> bool:
    """Whether conditions exclude each other for a plain reason; False says nothing."""
    listed = list(parts)
    held = set(listed)
    intervals: dict[str, Interval] = {}
    chosen: dict[Term, object] = {}
    for part in listed:
        if part == FALSE or negate(part) in held:
            return True
        found = interval_of(part)
        if found is not None:
            symbol, interval = found
            intervals[symbol.id] = intervals.get(symbol.id, Interval()).meet(interval)
            if intervals[symbol.id].is_empty:
                return True
        elif isinstance(part, Apply) and part.op is Op.EQ and part.args[0].sort.is_enumeration:
            one, value = part.args
            if isinstance(one, Literal):
                one, value = value, one
            if isinstance(value, Literal) and chosen.setdefault(one, value.value) != value.value:
                return True
    return False
