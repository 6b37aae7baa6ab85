"""Values as they are read: EUR 1,000.01, 6 months, 7.5%, domestic, 14 March 2026.

Numbers are exact: a fraction without a finite decimal is shown as `1/3`. A
currency code stands before the number; every other unit behind it. A number of
unit `percent` counts hundredths (75 is 75%), one of unit `share` the whole (0.75
is 75%).
"""

from __future__ import annotations

import re
from fractions import Fraction

_CURRENCY = re.compile(r"[A-Z]{3}")


def is_currency(unit: str) -> bool:
    return bool(_CURRENCY.fullmatch(unit))


def number_text(value: int | Fraction) -> str:
    """The exact number with grouped thousands: `1,350`, `0.25`, `-1/3`."""
    exact = Fraction(value)
    digits = _decimal_places(exact)
    if digits is None:
        return f"{exact.numerator:,}/{exact.denominator:,}"
    scaled = abs(exact.numerator) * (10**digits // exact.denominator)
    whole, rest = divmod(scaled, 10**digits)
    sign = "-" if exact < 0 else ""
    return f"{sign}{whole:,}" + (f".{rest:0{digits}d}" if digits else "")


def quantity_text(value: int | Fraction, unit: str) -> str:
    """The number with its unit, as a reader expects it."""
    if is_currency(unit):
        return f"{unit} {_cents(number_text(value))}"
    if unit == "percent":
        return f"{number_text(value)}%"
    if unit == "share":
        return f"{number_text(Fraction(value) * 100)}%"
    if unit == "date" and Fraction(value).denominator == 1:
        from policywright.english.dates import render_date  # The calendar is seldom needed.

        return render_date(int(value))
    if not unit:
        return number_text(value)
    return f"{number_text(value)} {unit_word(unit, value)}"


def unit_word(unit: str, value: int | Fraction) -> str:
    """The unit as a word: singular behind exactly one."""
    if value == 1 and len(unit) > 2 and unit.endswith("s"):
        return unit[:-1]
    return unit


def has_decimals(value: Fraction) -> bool:
    """Whether the number has a finite decimal."""
    return _decimal_places(value) is not None


def _decimal_places(value: Fraction) -> int | None:
    """How many digits behind the point write the number exactly; None if none do."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _cents(text: str) -> str:
    """Money with one digit behind the point gets a second: 1.5 is read as 1.50.

    Three digits get a fourth, since 1.234 is a thousand and more in other countries.
    """
    return text + "0" if re.fullmatch(r"-?[\d,]+\.\d(\d\d)?", text) else text
