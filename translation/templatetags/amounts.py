"""How amounts are written: tokens, money, time."""

from __future__ import annotations

from decimal import Decimal

from django import template

register = template.Library()


@register.filter
def counted(number: int) -> str:
    """1234567 as 1,234,567."""
    return f"{number:,}"


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
