"""The smallest difference of an amount that a reader would name."""

from __future__ import annotations

from fractions import Fraction

from policywright.english.values import is_currency
from policywright.model import Variable
from policywright.sorts import INT


def step_beside(variable: Variable, at: Fraction) -> Fraction:
    """A day, a cent, a tenth of the last digit of the value that it is beside."""
    if variable.sort == INT:
        return Fraction(1)
    if is_currency(variable.unit):
        return Fraction(1, 100)
    whole = 100 if variable.unit == "share" else 1
    places = next((n for n in range(6) if (at * whole * 10**n).denominator == 1), 5)
    return Fraction(1, whole * 10 ** (places + 1))
