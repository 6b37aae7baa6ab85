"""Dates are whole day numbers: days since 1 January 1970, which is day 0.

This is the one place that says so. A variable of unit `date` holds such a
number; pages and sentences show the calendar date (proleptic Gregorian).
"""

from __future__ import annotations

from datetime import date, timedelta

EPOCH = date(1970, 1, 1)
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def day_number(day: date) -> int:
    """Days from the epoch to a calendar date; negative before it."""
    return (day - EPOCH).days


def calendar_date(number: int) -> date | None:
    """The date of a day number; None outside the years 1 to 9999."""
    try:
        return EPOCH + timedelta(days=number)
    except OverflowError:
        return None


def render_date(number: int) -> str:
    """`14 March 2026`, the year with four digits; what no calendar holds is `day 9999999`."""
    day = calendar_date(number)
    if day is None:
        return f"day {number}"
    return f"{day.day} {MONTHS[day.month - 1]} {day.year:04}"
