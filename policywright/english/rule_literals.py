"""Constants in a rule's text: amounts with the units of the model, dates, percentages.

What `quantities` reads is read here too; this adds the model's own units and
currencies, more ways to write a date, and both readings of 03/04/2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from functools import cache

from policywright.english.dates import day_number
from policywright.english.phrasebook import Phrasebook
from policywright.english.quantities import (
    NumberSpellingError,
    Quantity,
    match_quantity,
    read_number,
)
from policywright.english.values import is_currency

_DIGITS = re.compile(r"[-+]?(?:\.\d|\d)(?:[\d.,/\u00a0\u202f]*\d)?")
_BEGINS = re.compile(r"[-+.\d$€£]|[A-Z]{3}[ \u00a0\u202f]?[-+.\d]")
# No sign of a currency holds a blank that would part words, or a digit.
_SIGN = re.compile(r"[^ \t\n\d]{1,12} ?[-+.\d]")
_NUMBER_WORDS = re.compile(
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATES = (
    re.compile(r"(?P<year>\d{4})-(?P<name>\d\d)-(?P<day>\d\d)(?![\d-])"),
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_NAME},? (?P<year>\d{{4}})\b", re.I),
    re.compile(rf"{_NAME} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})\b", re.I),
)
_NUMERIC_DATE = re.compile(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?![\d/])")
_TWO_READINGS = re.compile(r"[-+]?\d{1,3}\.\d{3}")
_DAY = re.compile(r"day (-?\d{1,40})(?!\w)", re.I)


def literals(text: str, start: int, book: Phrasebook) -> Iterator[tuple[Quantity, int]]:
    """(quantity, end) for each way to read a constant at a place, without repeats.

    Raises NumberSpellingError where a number is spelled in no way or in two.
    """
    day = _DAY.match(text, start) if "date" in book.units else None
    if day:
        yield Quantity("DATE", Fraction(int(day[1])), "date"), day.end()
    dates = list(_dates(text, start))
    yield from dates
    if dates or not (_BEGINS.match(text, start) or _NUMBER_WORDS.match(text, start)):
        yield from _own_money(text, start, book)
        return
    money = list(_own_money(text, start, book))
    yield from money
    if any(not text[end:].strip(" .") for _, end in money):
        return  # Nothing longer can begin here; the list of all currencies is not needed.
    found = match_quantity(text, start)
    if found is None or any(end >= found[1] for _, end in money):
        return
    yield found
    if found[0].kind != "NUMBER":
        return
    for unit in book.unit_words:
        for gap in ("", " ", "\u00a0"):
            end = found[1] + len(gap) + len(unit)
            if text.startswith(gap + unit, found[1]) and not text[end : end + 1].isalnum():
                yield Quantity("UNIT", found[0].value, unit), end
                return


def _own_money(text: str, start: int, book: Phrasebook) -> Iterator[tuple[Quantity, int]]:
    """Amounts in a currency of the model, by its code, sign or name."""
    for unit in book.units:
        if not is_currency(unit):
            continue
        for sign in _currency_signs(unit) if _SIGN.match(text, start) else ():
            if text[start : start + len(sign)].lower() == sign.lower():
                behind = start + len(sign)
                behind += text[behind : behind + 1] in (" ", "\u00a0", "\u202f")
                number = _DIGITS.match(text, behind)
                if number:
                    yield from _money(number, unit, number.end())
                    return
        number = _DIGITS.match(text, start)
        for name in _currency_names(unit) if number else ():
            assert number is not None
            end = number.end() + 1 + len(name)
            if text[number.end() : end].lower() == f" {name}" and not text[end : end + 1].isalnum():
                yield from _money(number, unit, end)
                return


def _money(number: re.Match[str], unit: str, end: int) -> Iterator[tuple[Quantity, int]]:
    """1.000 may be one or a thousand, since point and comma change places between countries."""
    value = read_number(number.group())
    yield Quantity("MONEY", value, unit), end
    if _TWO_READINGS.fullmatch(number.group()):
        yield Quantity("MONEY", value * 1000, unit), end


def _currency_signs(code: str) -> Iterator[str]:
    yield code
    yield _currency_symbol(code)


@cache
def _currency_symbol(code: str) -> str:
    from babel.numbers import get_currency_symbol  # Only where the code does not stand.

    return str(get_currency_symbol(code, locale="en"))


@cache
def _currency_names(code: str) -> tuple[str, ...]:
    from babel.numbers import get_currency_name

    names = (get_currency_name(code, count=count, locale="en") for count in (1, 2))
    return tuple(dict.fromkeys([*(name.lower() for name in names), code.lower()]))


def _dates(text: str, start: int) -> Iterator[tuple[Quantity, int]]:
    """A date in words or by numbers; both readings where day and month may be either."""
    for pattern in _DATES:
        found = pattern.match(text, start)
        if found:
            yield from _one_of([(found["year"], found["name"], found["day"])], found)
            return
    numeric = _NUMERIC_DATE.match(text, start)
    if numeric:
        first, _, second, year = numeric.groups()
        yield from _one_of([(year, second, first), (year, first, second)], numeric)


def _one_of(
    written: list[tuple[str, str, str]], found: re.Match[str]
) -> Iterator[tuple[Quantity, int]]:
    days: dict[date, None] = {}
    for year, month, day in written:
        number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
        try:
            days[date(int(year), number, int(day))] = None
        except ValueError:
            continue
    if not days:
        raise NumberSpellingError(f"`{found.group()}` is no day of the calendar")
    for each in days:
        yield Quantity("DATE", Fraction(day_number(each)), "date"), found.end()


def spelled_until(text: str, start: int) -> int:
    """Where the number or date ends that somebody tried to write at a place."""
    found = [pattern.match(text, start) for pattern in (*_DATES, _NUMERIC_DATE, _DIGITS)]
    return max((match.end() for match in found if match), default=start + 1)
