"""What a number is counted in: units, their products and quotients, fixed ratios.

Three kinds of unit have fixed ratios: spans of time up to a week, calendar
months and years, parts of a whole (percent and share). Months never become days,
currencies never become one another. Every other unit stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

DATE = "date"
DAYS = "days"

_KINDS: dict[str, dict[str, Fraction]] = {
    "time": {
        "seconds": Fraction(1),
        "minutes": Fraction(60),
        "hours": Fraction(3_600),
        DAYS: Fraction(86_400),
        "weeks": Fraction(604_800),
    },
    "calendar": {"months": Fraction(1), "quarters": Fraction(3), "years": Fraction(12)},
    "part": {"share": Fraction(1), "percent": Fraction(1, 100)},
}
_KIND_OF = {unit: kind for kind, units in _KINDS.items() for unit in units}
_SPELLED = {"%": "percent", "per cent": "percent", "shares": "share"}
_CURRENCY = re.compile(r"[A-Z]{3}")
_PER = re.compile(r"\s*/\s*|\s+per\s+")
_COUNTED = re.compile(r"[a-z ]{3,}[a-rt-z]")

Exponents = tuple[tuple[str, int], ...]
"""Units with their exponents, by name; a share is a plain number and does not occur."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a term is counted in, and the constants that it is multiplied by.

    `factors` tells a conversion (`7 × weeks` is a number of days) from a mix-up.
    """

    units: Exponents
    factors: frozenset[Fraction] = frozenset()

    @property
    def is_date(self) -> bool:
        return self.units == ((DATE, 1),)

    def __str__(self) -> str:
        above = [_power(unit, exponent) for unit, exponent in self.units if exponent > 0]
        below = [_power(unit, -exponent) for unit, exponent in self.units if exponent < 0]
        text = " × ".join(above) or "1"
        return "/".join([text, *below])


def parse_unit(text: str) -> Measure | None:
    """The measure that a unit's text means (`EUR`, `%`, `EUR per night`); None for no text."""
    above, *below = _PER.split(text.strip())
    if not above:
        return None
    return combine([_unit(above)], [_unit(part) for part in below if part])


def combine(above: Iterable[Measure], below: Iterable[Measure] = ()) -> Measure:
    """The product of measures, divided by others."""
    exponents: dict[str, int] = {}
    factors: set[Fraction] = set()
    for sign, measures in ((1, above), (-1, below)):
        for measure in measures:
            for unit, exponent in measure.units:
                exponents[unit] = exponents.get(unit, 0) + sign * exponent
            factors |= {f if sign > 0 else 1 / f for f in measure.factors}
    units = tuple(sorted((unit, n) for unit, n in exponents.items() if n))
    return Measure(units, frozenset(factors))


def ratio(left: Measure, right: Measure) -> Fraction | None:
    """By what a number of `left` is multiplied to be one of `right`; None without fixed ratio."""
    result = Fraction(1)
    kinds: dict[str, int] = {}
    for unit, exponent in combine([left], [right]).units:
        kind = _KIND_OF.get(unit)
        if kind is None:
            return None
        if kind != "part":
            kinds[kind] = kinds.get(kind, 0) + exponent
        result *= _KINDS[kind][unit] ** exponent
    return None if any(kinds.values()) else result


def same_kind(left: Measure, right: Measure) -> bool:
    """Whether two units measure one kind of thing, so that no price or rate lies between."""
    kinds: dict[str, int] = {}
    for unit, exponent in combine([left], [right]).units:
        kind = "money" if _CURRENCY.fullmatch(unit) else _KIND_OF.get(unit, unit)
        if kind != "part":
            kinds[kind] = kinds.get(kind, 0) + exponent
    return not any(kinds.values())


def is_part(measure: Measure) -> bool:
    """Whether it is a share or a percentage, or a power of one."""
    return all(_KIND_OF.get(unit) == "part" for unit, _ in measure.units)


def has_currency(measure: Measure) -> bool:
    return any(_CURRENCY.fullmatch(unit) for unit, _ in measure.units)


def _unit(text: str) -> Measure:
    text = text.strip()
    if _CURRENCY.fullmatch(text):
        return Measure(((text, 1),))
    lower = text.lower()
    lower = _SPELLED.get(lower, lower)
    known = lower == DATE or lower in _KIND_OF
    if lower + "s" in _KIND_OF or (not known and _COUNTED.fullmatch(lower)):
        lower += "s"  # `EUR per night` times `nights` is EUR.
    return Measure(()) if lower == "share" else Measure(((lower, 1),))


def _power(unit: str, exponent: int) -> str:
    return unit if exponent == 1 else f"{unit}^{exponent}"
