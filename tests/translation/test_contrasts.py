"""The contrast guard: what an embedding cannot see, lists and numbers do."""

from __future__ import annotations

import pytest

from translation.merging.contrasts import Contrast, contrasts, single_swap


@pytest.mark.parametrize(
    ("first", "second", "told_by"),
    [
        ("months of service", "years of service", "months / years"),
        ("a line manager approved it", "a director approved it", "manager / director"),
        ("start of the policy", "end of the policy", "start / end"),
        ("gross salary", "net salary", "gross / net"),
        ("cost in EUR", "cost in USD", "eur / usd"),
        ("delay at arrival", "delay at departure", "arrival / departure"),
        ("the minimum stay", "the maximum stay", "minimum / maximum"),
        ("notice of 24 hours", "notice of 72 hours", "24 / 72"),
        ("less than two hours late", "less than four hours late", "2 / 4"),
        ("eligible for a refund", "not eligible for a refund", "nothing of it / not"),
        (
            "the transfer was authorized",
            "the transfer was unauthorized",
            "nothing of it / unauthorized",
        ),
        (
            "the ticket is refundable",
            "the ticket is non-refundable",
            "nothing of it / non refundable",
        ),
        ("the request was submitted", "the request was approved", "submitted / approved"),
        (
            "the customer told the provider",
            "the provider told the customer",
            "customer, provider / provider, customer",
        ),
    ],
)
def test_near_misses_are_told_apart(first: str, second: str, told_by: str) -> None:
    assert told_by in [str(one) for one in contrasts(first, second)]
    assert contrasts(second, first), "the other way round too"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the total cost of the trip", "what the trip costs in total"),
        ("nonReimbursable. the detail is not reimbursable", "the detail is not reimbursable"),
        ("an approval by the line manager", "the manager has approved"),
        ("12 weeks of leave", "leave of 12 weeks"),
        ("the trip takes 3 days", "the length of the trip"),
    ],
)
def test_two_ways_to_say_one_thing_are_not(first: str, second: str) -> None:
    assert contrasts(first, second) == ()


def test_names_that_differ_in_one_word_are_told_apart_unless_it_is_spelled_alike() -> None:
    assert single_swap("companyTrips", "teamTrips") == Contrast("company", "team")
    assert single_swap("tripCancelled", "tripCanceled") is None
    assert single_swap("tripCost", "costOfTrip") is None
    assert single_swap("age", "patientAge") is None
