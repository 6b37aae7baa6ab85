"""How amounts are written: tokens, money, time."""

from __future__ import annotations

from decimal import ROUND_UP, Decimal

from django import template

register = template.Library()


@register.filter
def counted(number: int) -> str:
    """1234567 as 1,234,567."""
    return f"{number:,}"


@register.filter
def about(number: int) -> str:
    """An estimate looks like one: rounded up to two digits that say something."""
    return f"{rounded_up(number):,}"


def rounded_up(number: int) -> int:
    step = int("1" + "0" * max(len(str(number)) - 2, 0))
    return -(-number // step) * step


@register.filter
def about_dollars(amount: Decimal | None) -> str:
    """An estimate in money: to the cent, rounded up."""
    if amount is None:
        return "price unknown"
    return f"USD {amount.quantize(Decimal('0.01'), ROUND_UP):,}"


@register.filter
def dollars(amount: Decimal | None) -> str:
    """An unknown price is not zero; small amounts keep the digits that say something."""
    if amount is None:
        return "price unknown"
    if not amount or amount >= 1:
        return f"USD {amount:,.2f}"
    digits = f"{amount:.6f}".rstrip("0")
    return f"USD {digits}" if len(digits) >= 4 else f"USD {amount:.2f}"


@register.filter
def lasting(seconds: float) -> str:
    """A time still to come, as roughly as it is known."""
    if seconds < 90:
        return "about a minute" if seconds >= 45 else "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"about {minutes} minutes"
    return f"about {round(seconds / 3600)} hours"
