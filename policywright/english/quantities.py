"""Numbers and quantities as people write them, read exactly.

`1,000`, `.5`, `05`, `1e3`, `1/3`, `twelve`, full-width digits; `EUR 1,000`, `€1000`,
`1,000 euros`; `75%`, `75 per cent`; `six months`. A spelling with two readings
(`1.234,56`) is an error that says so, never a guess. Nothing is ever a float.

Percentages are read as shares of the whole: 75% is 0.75 with the unit `share`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache

from policywright.english.dates import day_number
from policywright.errors import PolicywrightError

MAX_EXPONENT = 30
MAX_DIGITS = 40


class NumberSpellingError(PolicywrightError):
    """A text that is no number, or one with two readings."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact value with its kind: MONEY, PERCENT, TIME, MEASURE, NUMBER or DATE.

    `unit` is a currency code, `share`, `days`, `kilometres` and the like, `date`, or empty.
    """

    kind: str
    value: Fraction
    unit: str = ""


_SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP"}
_CURRENCY_WORDS = {
    "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "us dollars": "USD",
    "pounds sterling": "GBP", "swiss francs": "CHF",
}  # fmt: skip
_TIME = "business day|working day|calendar day|day|week|month|year|hour|minute"
_MEASURES = {
    "kilometre": "kilometres", "kilometer": "kilometres", "km": "kilometres", "mile": "miles",
    "metre": "metres", "meter": "metres", "kilogram": "kilograms", "kilo": "kilograms",
    "kg": "kilograms", "gram": "grams", "litre": "litres", "liter": "litres",
}  # fmt: skip
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: number for number, word in enumerate(re.findall(r"\w+", _SMALL))}
_VALUES |= {word: 10 * number for number, word in enumerate(re.findall(r"\w+", _TENS), start=2)}
_MONTHS = "january february march april may june july august september october november december"
_MONTH = {word: number for number, word in enumerate(re.findall(r"\w+", _MONTHS), start=1)}

_NUMBER_WORD = (
    r"(?:(?:" + "|".join(sorted(_VALUES, key=len, reverse=True)) + r")"
    r"(?:[ -](?:hundred|thousand|" + "|".join(sorted(_VALUES, key=len, reverse=True)) + r"))*)"
)
_DIGITS = r"[-+]?(?:\.\d|\d)(?:[\d.,/\u00a0\u202f]*\d)?(?:[eE][-+]?\d+)?"
_SPACE = r"[ \u00a0\u202f]?"
_WORDS = "|".join(sorted(_CURRENCY_WORDS, key=len, reverse=True))
_END = r"(?![\w%])"

_DATES_AND_SIGNS = [
    ("DATE", r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])"),
    ("DATE", rf"(?i:(?P<day>\d{{1,2}}) (?P<name>{_MONTHS.replace(' ', '|')}) (?P<year>\d{{4}})\b)"),
    ("MONEY", rf"(?P<symbol>[$€£]){_SPACE}(?P<number>{_DIGITS}){_END}"),
    ("MONEY", rf"(?P<number>{_DIGITS}){_SPACE}(?P<code>[A-Z]{{3}})\b"),
    ("MONEY", rf"(?P<number>{_DIGITS}){_SPACE}(?P<symbol>[€£])"),
]
_CODE_AND_AMOUNT = [("MONEY", rf"(?P<code>[A-Z]{{3}}){_SPACE}(?P<number>{_DIGITS}){_END}")]


def _counted(number: str) -> list[tuple[str, str]]:
    """What begins with a number, written in one of two ways."""
    found = [
        ("MONEY", rf"(?P<number>{number}) (?P<word>{_WORDS})\b"),
        ("PERCENT", rf"(?P<number>{number}){_SPACE}(?:%|per ?cent\b)"),
        ("TIME", rf"(?P<number>{number}){_SPACE}(?P<unit>{_TIME})s?\b"),
        ("MEASURE", rf"(?P<number>{number}){_SPACE}(?P<unit>{'|'.join(_MEASURES)})s?\b"),
        ("NUMBER", rf"(?P<number>{number}){_END}"),
    ]
    return [(kind, f"(?i:{pattern})") for kind, pattern in found]


@cache
def _patterns(begins_with_letter: bool) -> list[tuple[str, re.Pattern[str]]]:
    """In their order; made when the first text needs them, since that takes a while."""
    if begins_with_letter:
        patterns = [*_CODE_AND_AMOUNT, *_counted(rf"{_NUMBER_WORD}(?![\w-])")]
    else:
        patterns = [*_DATES_AND_SIGNS, *_counted(_DIGITS)]
    return [(kind, re.compile(pattern)) for kind, pattern in patterns]


# With nothing behind it a number is no amount of anything: the patterns need not be made.
_LAST = re.compile(r"([-+]?(?:\d{1,30}|\d{1,3}(?:,\d{3}){1,9}))[.\s]*\Z")
_GROUPED = re.compile(r"\d{1,3}(?:([,\u00a0\u202f])\d{3})(?:\1\d{3})*(?:\.\d+)?")
_PLAIN = re.compile(r"(?:\d+\.?\d*|\.\d+)")
_FULL_WIDTH = str.maketrans("０１２３４５６７８９，．％＄", "0123456789,.%$")


def fold_digits(text: str) -> str:
    """Full-width digits and signs as plain ones; the length stays the same."""
    return text.translate(_FULL_WIDTH)


def read_number(text: str) -> Fraction:
    """The exact number that a text spells.

    Raises NumberSpellingError if it spells none, or more than one.
    """
    spelled = fold_digits(text.strip())
    if len(spelled) > MAX_DIGITS:
        raise NumberSpellingError(f"a number of {len(spelled)} characters is too long")
    if spelled[:1].isalpha():
        return Fraction(_number_word(spelled.lower()))
    sign = -1 if spelled.startswith("-") else 1
    body = spelled.lstrip("+-")
    parts = body.split("/")
    if len(parts) == 2 and all(re.fullmatch(r"\d+|\d{1,3}(,\d{3})+", part) for part in parts):
        above, below = (int(part.replace(",", "")) for part in parts)
        if below == 0:
            raise NumberSpellingError(f"`{text}` divides by zero")
        return sign * Fraction(above, below)
    mantissa, _, exponent = body.lower().partition("e")
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        raise NumberSpellingError(f"`{text}` is too large or too small")
    return sign * _decimal(mantissa, text) * Fraction(10) ** int(exponent or 0)


def measure_named(word: str) -> str:
    """The measure that a unit in the singular stands for: `kg` is `kilograms`; else the word."""
    return _MEASURES.get(word, word)


def match_quantity(text: str, start: int) -> tuple[Quantity, int] | None:
    """The quantity that begins at `start` with its end, or None if none does.

    Raises NumberSpellingError where a number has no reading, or two.
    """
    last = _LAST.match(text, start)
    if last:
        return Quantity("NUMBER", read_number(last[1])), last.end(1)
    for kind, pattern in _patterns(text[start : start + 1].isalpha()):
        found = pattern.match(text, start)
        if found is None:
            continue
        quantity = _quantity(kind, found.groupdict())
        if quantity is not None:
            return quantity, found.end()
    return None


def _quantity(kind: str, groups: dict[str, str | None]) -> Quantity | None:
    if kind == "DATE":
        return _date(groups)
    value = read_number(groups["number"] or "")
    if kind == "MONEY":
        unit = _currency(groups)
        if re.fullmatch(r"\d{1,3}\.\d{3}", groups["number"] or ""):
            raise NumberSpellingError(
                f"`{groups['number']}` has two readings: say whether the point is the decimal mark"
            )
        return Quantity("MONEY", value, unit) if unit else None
    if kind == "PERCENT":
        return Quantity("PERCENT", value / 100, "share")
    if kind == "TIME":
        unit = re.sub(r"\s+", " ", (groups["unit"] or "").lower()) + "s"
        return Quantity("TIME", value, unit)
    if kind == "MEASURE":
        return Quantity("MEASURE", value, _MEASURES[(groups["unit"] or "").lower()])
    return Quantity("NUMBER", value)


def _currency(groups: dict[str, str | None]) -> str:
    if symbol := groups.get("symbol"):
        return _SYMBOLS[symbol]
    if word := groups.get("word"):
        return _CURRENCY_WORDS[word.lower()]
    code = groups.get("code") or ""
    return code if code in _currency_codes() else ""


@cache
def _currency_codes() -> frozenset[str]:
    from babel import Locale

    return frozenset(Locale("en").currencies)


def _date(groups: dict[str, str | None]) -> Quantity | None:
    month = int(groups.get("month") or _MONTH[(groups.get("name") or "").lower()])
    try:
        day = date(int(groups["year"] or 0), month, int(groups["day"] or 0))
    except ValueError:
        return None
    return Quantity("DATE", Fraction(day_number(day)), "date")


def _decimal(mantissa: str, shown: str) -> Fraction:
    if _GROUPED.fullmatch(mantissa):
        return Fraction(re.sub(r"[,\u00a0\u202f]", "", mantissa))
    if _PLAIN.fullmatch(mantissa):
        return Fraction(mantissa.rstrip(".") if mantissa.endswith(".") else mantissa)
    if re.fullmatch(r"[\d.,]+", mantissa):
        raise NumberSpellingError(
            f"`{shown}` has two readings: say whether comma or point is the decimal mark"
        )
    raise NumberSpellingError(f"`{shown}` is not a number")


def _number_word(text: str) -> int:
    """`twenty-one`, `two hundred`, `one thousand five hundred`."""
    total = current = 0
    previous = None
    for word in re.split(r"[ -]", text):
        if word == "hundred" and 0 < current < 10:
            current *= 100
        elif word == "thousand" and 0 < current < 1000 and not total:
            total, current = current * 1000, 0
        elif word in _VALUES and _continues(current, previous, _VALUES[word]):
            current += _VALUES[word]
        else:
            raise NumberSpellingError(f"`{text}` is not one number")
        previous = word
    return total + current


def _continues(current: int, previous: str | None, value: int) -> bool:
    """Whether a number word may follow: `twenty one`, `hundred five`, not `two three`."""
    if previous is None or previous in ("hundred", "thousand"):
        return True
    return current % 100 in range(20, 100, 10) and 0 < value < 10
