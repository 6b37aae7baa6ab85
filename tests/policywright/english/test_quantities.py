"""Numbers and quantities read from text, exactly."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policywright.english.quantities import (
    NumberSpellingError,
    Quantity,
    match_quantity,
    read_number,
)
from policywright.english.values import number_text
from tests.policywright.shared import shared

SPELLINGS = {
    "1,000": 1000,
    "1\u00a0000": 1000,
    "1,234,567.5": Fraction("1234567.5"),
    ".5": Fraction(1, 2),
    "5.": 5,
    "05": 5,
    "1e3": 1000,
    "1/3": Fraction(1, 3),
    "-5": -5,
    "+5": 5,
    "twelve": 12,
    "twenty-one": 21,
    "two hundred five": 205,
    "one thousand five hundred": 1500,
    "１２": 12,
}


@pytest.mark.parametrize(("text", "value"), SPELLINGS.items())
def test_fr_10_a_number_is_read_exactly(text: str, value: int | Fraction) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize(
    "text",
    ["1.234,56", "1,00", "12,34,56", "1/0", "1e99", "two three", "1.2.3", "9" * 100, "twenty zero"],
)
def test_fr_10_a_spelling_with_no_reading_or_two_is_refused(text: str) -> None:
    with pytest.raises(NumberSpellingError):
        read_number(text)


def test_fr_10_the_rows_of_the_report() -> None:
    path = shared("cases", "files", "fr-10-number-spellings.json")
    for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
        written = row["written"].split(" (")[0]
        if "no-break" in row["written"]:
            written = "1\u00a0000"
        if row["store"].startswith("ask"):
            with pytest.raises(NumberSpellingError):
                read_number(written)
        elif row["store"].endswith("unit USD"):
            assert match_quantity(written, 0) == (Quantity("MONEY", Fraction(5), "USD"), 2)
        else:
            stored = row["store"].strip("()").replace("- ", "-")
            numerator, _, rest = stored.removeprefix("/ ").partition(" ")
            assert read_number(written) == Fraction(numerator) / Fraction(rest or 1)


@given(st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=1000))
def test_a_number_as_it_is_shown_is_read_back(value: Fraction) -> None:
    assert read_number(number_text(value).replace(",", "")) == value
    if "/" not in number_text(value):
        assert read_number(number_text(value)) == value


QUANTITIES = {
    "EUR 1,000": Quantity("MONEY", Fraction(1000), "EUR"),
    "€1000": Quantity("MONEY", Fraction(1000), "EUR"),
    "1,000 euros": Quantity("MONEY", Fraction(1000), "EUR"),
    "1000 EUR": Quantity("MONEY", Fraction(1000), "EUR"),
    "$50": Quantity("MONEY", Fraction(50), "USD"),
    "USD 50": Quantity("MONEY", Fraction(50), "USD"),
    "fifty dollars": Quantity("MONEY", Fraction(50), "USD"),
    "CHF 12.50": Quantity("MONEY", Fraction("12.5"), "CHF"),
    "75%": Quantity("PERCENT", Fraction(3, 4), "share"),
    "7.5 %": Quantity("PERCENT", Fraction(3, 40), "share"),
    "75 per cent": Quantity("PERCENT", Fraction(3, 4), "share"),
    "six months": Quantity("TIME", Fraction(6), "months"),
    "1 business day": Quantity("TIME", Fraction(1), "business days"),
    "14 March 2026": Quantity("DATE", Fraction(20526), "date"),
    "2026-03-14": Quantity("DATE", Fraction(20526), "date"),
    "60": Quantity("NUMBER", Fraction(60)),
}


@pytest.mark.parametrize(("text", "quantity"), QUANTITIES.items())
def test_a_quantity_is_read_with_its_unit(text: str, quantity: Quantity) -> None:
    assert match_quantity(text, 0) == (quantity, len(text))


def test_three_capitals_that_are_no_currency_are_no_unit() -> None:
    assert match_quantity("14 CFR 250", 0) == (Quantity("NUMBER", Fraction(14)), 2)
    assert match_quantity("ABC 250", 0) is None
