"""Owners write one thing in many ways: read to the same rule, or asked about, never guessed."""

from __future__ import annotations

import pytest

from policywright.english import render_sentence
from policywright.english.dates import day_number
from policywright.english.read_rule import (
    Ambiguous,
    NotUnderstood,
    Understood,
    parse_rule,
    read_rule,
)
from policywright.evaluate import holds
from policywright.model import Datatype, Phrases, PolicyModel, Role, Value, Variable
from policywright.normal import normal_form
from policywright.sorts import BOOL, INT, REAL

KIND = Datatype("k", "Kind", (Value("dom", "domestic"), Value("int", "international")))
MODEL = PolicyModel(
    (KIND,),
    (
        Variable("cost", "cost", REAL, unit="EUR", phrases=Phrases("the total trip cost")),
        Variable("whole", "whole", INT, unit="EUR", phrases=Phrases("the deposit")),
        Variable("rate", "rate", REAL, unit="share", phrases=Phrases("the discount rate")),
        Variable("late", "late", REAL, unit="percent", phrases=Phrases("the late fee")),
        Variable("months", "months", INT, unit="months", phrases=Phrases("completed service")),
        Variable("notice", "notice", INT, unit="days", phrases=Phrases("the notice")),
        Variable("day", "day", INT, unit="date", phrases=Phrases("the travel date")),
        Variable("nights", "nights", INT, phrases=Phrases("the number of nights")),
        Variable("kind", "kind", KIND.sort, phrases=Phrases("the destination")),
        Variable("manager", "manager", BOOL, phrases=Phrases("a manager has approved the trip")),
        Variable("urgent", "urgent", BOOL, phrases=Phrases("the trip is urgent")),
        Variable("card", "card", BOOL, phrases=Phrases("the card is shown", "no card is shown")),
        Variable("ok", "ok", BOOL, Role.OUTCOME, phrases=Phrases("the trip is approved")),
        Variable("book", "book", BOOL, Role.OUTCOME, phrases=Phrases("a booking may be made")),
    ),
)

SAME: dict[str, list[str]] = {
    "The total trip cost is at least EUR 1,000.": [
        "The total trip cost is no less than EUR 1,000.",
        "The total trip cost is not less than EUR 1,000",
        "the total trip cost isn't less than €1000",
        "The total trip cost is EUR 1,000 or more.",
        "Total trip cost is at least 1000 euros.",
        "A total trip cost is at least €1,000.00.",
        "The  total\ttrip cost\nis at  least EUR 1,000.00 .",
        "THE TOTAL TRIP COST IS AT LEAST EUR 1,000.",
        "The total trip cost is at least 1,000 EUR.",
        "The total trip cost is at least one thousand euros.",
        "The total trip cost is at least 1000.",
        "It is not true that the total trip cost is less than EUR 1,000.",
    ],
    "The total trip cost is more than EUR 1,000.": [
        "The total trip cost exceeds EUR 1,000.",
        "The total trip cost is over EUR 1,000.",
        "The total trip cost is greater than EUR 1,000.",
        "The total trip cost is above 1,000 euros.",
        "The total trip cost isn't EUR 1,000 or less.",
        "The total trip cost is not at most EUR 1,000.",
    ],
    "The total trip cost is at most EUR 1,000.": [
        "The total trip cost is no more than EUR 1,000.",
        "The total trip cost is up to EUR 1,000.",
        "The total trip cost is EUR 1,000 or less.",
        "The total trip cost does not exceed EUR 1,000.",
        "The total trip cost doesn't exceed €1,000.",
        "The total trip cost isn't over EUR 1,000.",
    ],
    "The deposit is at least EUR 1,000.": ["The deposit is at least €1,000.00."],
    "The discount rate is at least 75%.": [
        "The discount rate is at least 75 percent.",
        "The discount rate is at least 75 per cent.",
        "The discount rate is at least seventy-five percent.",
        "The discount rate is no less than 75 %.",
    ],
    "The late fee is at most 7.5%.": ["The late fee is up to 7.5 per cent."],
    "Completed service is at least 6 months.": [
        "Completed service is at least six months.",
        "Completed service is 6 months or longer.",
        "Completed service is no fewer than 6 months.",
        "The completed service is at least 6.",
    ],
    "The notice is at least 14 days.": [
        "The notice is at least two weeks.",
        "The notice is at least fourteen days.",
        "The notice is not below 14 days.",
    ],
    "The travel date is on or after 14 March 2026.": [
        "The travel date is on or after 2026-03-14.",
        "The travel date is on or after March 14, 2026.",
        "The travel date is on or after 14th of March 2026.",
        "The travel date is on or after 14/03/2026.",
        "The travel date is not before 14 Mar 2026.",
        "The travel date is no earlier than 14 march 2026.",
    ],
    "The travel date is 3 March 2026.": ["The travel date is 03/03/2026."],
    "If a manager has not approved the trip, then the trip is not approved.": [
        "If a manager hasn't approved the trip, the trip isn't approved.",
        "The trip is not approved if a manager has not approved the trip.",
        "When the manager has not approved the trip, the trip is not approved.",
        "The trip may not be approved if a manager has not approved the trip.",
        "The trip must not be approved if a manager hasn’t approved a trip.",
        "The trip can't be approved if a manager has not approved the trip.",
        "The trip is not approved unless a manager has approved the trip.",
        "Unless a manager has approved the trip, the trip is not approved.",
        "Unless a manager has approved the trip, then the trip is not approved.",
        "1. If a manager has not approved the trip, then the trip is not approved.",
    ],
    "The trip is approved only if a manager has approved the trip.": [
        "The trip may be approved only if a manager has approved the trip.",
        "The trip is approved only when a manager has approved the trip.",
    ],
    "The trip is approved exactly if the trip is urgent.": [
        "The trip is approved if and only if the trip is urgent.",
        "The trip is approved exactly when the trip is urgent.",
    ],
    "If the trip is urgent, then the trip is approved.": [
        "If the trip is urgent, the trip must be approved.",
        "The trip will be approved whenever the trip is urgent.",
    ],
    "If the trip is urgent, then a booking may not be made.": [
        "If the trip is urgent, a booking can't be made.",
        "If the trip is urgent, then a booking cannot be made.",
        "A booking must not be made if the trip is urgent.",
    ],
    "If no card is shown, then the trip is not approved.": [
        "If the card is not shown, then the trip is not approved.",
        "If the card isn't shown, the trip isn't approved.",
    ],
    "The trip is urgent and the card is shown.": [
        "Both the trip is urgent and the card is shown.",
        "The trip is urgent, and the card is shown.",
        "All of the following hold:\n- the trip is urgent;\n- the card is shown.",
        "All of these:\n  (a) the trip is urgent; and\n  (b) the card is shown",
        "* the trip is urgent; and\n* the card is shown",
    ],
    "The trip is urgent or the card is shown.": [
        "The trip is urgent and/or the card is shown.",
        "Either the trip is urgent or the card is shown, or both.",
        "At least one of the following holds:\n1. the trip is urgent,\n2. the card is shown.",
        "1) the trip is urgent, or\n2) the card is shown.",
    ],
    "Either the trip is urgent or the card is shown, but not both.": [
        "The trip is urgent or the card is shown, but not both.",
        "Exactly one of the following:\n • the trip is urgent\n • the card is shown",
    ],
    "None of the following holds:\n  - the trip is urgent;\n  - the card is shown.": [
        "Neither the trip is urgent nor the card is shown.",
        "None of the following applies:\n\t- the trip is urgent.\n\t- the card is shown.",
    ],
    "If all of the following hold:\n  - the trip is urgent;\n  - the card is shown;\n"
    "  - a manager has approved the trip,\nthen the trip is approved.": [
        "If the trip is urgent, the card is shown and a manager has approved the trip, then the "
        "trip is approved.",
        "If the trip is urgent, the card is shown and a manager has approved the trip, the trip "
        "is approved.",
        "If the trip is urgent and the card is shown and a manager has approved the trip, then "
        "the trip is approved.",
        "If:\n- the trip is urgent; and\n- the card is shown; and\n- a manager has approved the "
        "trip\nthen the trip is approved.",
    ],
    "The number of nights is the total trip cost rounded down.": [],
    "The destination is not domestic.": ["The destination isn't domestic."],
    "The total trip cost is 50 × the number of nights.": [
        "The total trip cost is EUR 50 × the number of nights.",
        "The total trip cost is €50 times the number of nights.",
    ],
    "The number of nights is 2 × the number of nights.": [
        "The number of nights equals 2 times the number of nights.",
    ],
    "The number of nights is (the total trip cost ÷ 50) rounded up.": [],
    "The number of nights is the total trip cost rounded to the nearest whole number.": [
        "The number of nights is the total trip cost rounded to the nearest.",
    ],
}  # fmt: skip
PAIRS = [(canonical, text) for canonical, texts in SAME.items() for text in texts]


@pytest.mark.parametrize(("canonical", "text"), PAIRS, ids=[text for _, text in PAIRS])
def test_another_wording_is_the_same_rule(canonical: str, text: str) -> None:
    assert parse_rule(text, MODEL) == parse_rule(canonical, MODEL)


@pytest.mark.parametrize("text", SAME)
def test_the_first_wording_is_the_one_that_is_shown(text: str) -> None:
    assert render_sentence(MODEL, parse_rule(text, MODEL)) == text


ASKED: dict[str, list[str]] = {
    "Either the trip is urgent or the card is shown.": [
        "The trip is urgent or the card is shown.",
        "Either the trip is urgent or the card is shown, but not both.",
    ],
    "The travel date is 03/04/2026.": [
        "The travel date is 3 April 2026.",
        "The travel date is 4 March 2026.",
    ],
    "The total trip cost is at least €1.000.": [
        "The total trip cost is at least EUR 1.",
        "The total trip cost is at least EUR 1,000.",
    ],
    "The trip is approved provided that a manager has approved the trip.": [
        "If a manager has approved the trip, then the trip is approved.",
        "The trip is approved only if a manager has approved the trip.",
        "The trip is approved exactly if a manager has approved the trip.",
    ],
    "The trip is urgent and the card is shown or the trip is approved.": [
        "Any of the following holds:\n  - all of the following hold:\n      - the trip is urgent;\n"
        "      - the card is shown;\n  - the trip is approved.",
        "All of the following hold:\n  - the trip is urgent;\n  - any of the following holds:\n"
        "      - the card is shown;\n      - the trip is approved.",
    ],
    "It is not true that the trip is urgent and the card is shown.": [
        "The trip is not urgent and the card is shown.",
        "Not all of the following hold:\n  - the trip is urgent;\n  - the card is shown.",
    ],
    "The trip is urgent and the card is shown only if the trip is approved.": [
        "If the trip is urgent and the card is shown, then the trip is approved.",
        "All of the following hold:\n  - the trip is urgent;\n"
        "  - if the card is shown, then the trip is approved.",
    ],
    "The total trip cost is between EUR 1 and EUR 5.": [
        "The total trip cost is at least EUR 1 and the total trip cost is at most EUR 5.",
        "The total trip cost is more than EUR 1 and the total trip cost is less than EUR 5.",
        "The total trip cost is at least EUR 1 and the total trip cost is less than EUR 5.",
    ],
    "One of the following:\n- the trip is urgent\n- the card is shown": [
        "The trip is urgent or the card is shown.",
        "Either the trip is urgent or the card is shown, but not both.",
    ],
}  # fmt: skip


@pytest.mark.parametrize("text", ASKED)
def test_what_has_two_meanings_is_asked_about(text: str) -> None:
    found = read_rule(text, MODEL)
    assert isinstance(found, Ambiguous), found
    assert [reading.english for reading in found.readings] == ASKED[text]
    for reading in found.readings:
        assert read_rule(reading.english, MODEL) == Understood(normal_form(reading.term))
    one, other = found.readings[:2]
    assert found.telling_case is not None
    answers = [holds(r.term, found.telling_case, MODEL) for r in (one, other)]
    assert answers[0] is not answers[1]


REFUSED: dict[str, tuple[list[str], str]] = {
    "If the trip is urgent and safe, then the trip is approved.": (["safe"], "is no phrase"),
    "The manager must approve the trip.": (
        ["The manager must approve the trip"], "needs an outcome",
    ),
    "The total trip cost is at least 1.234,56.": (["1.234,56"], "two readings"),
    "The total trip cost is at least USD 5.": (["USD 5"], "meets an amount in EUR"),
    "The total trip cost is at least 5%.": (["5%"], "meets an amount in EUR"),
    "The number of nights is 5 months.": (["5 months"], "meets an amount without a unit"),
    "The discount rate is at least 75.": (["75"], "needs its `%`"),
    "The travel date is 5.": (["5"], "meets a date"),
    "The travel date is 31 February 2026.": (["31 February 2026"], "no day of the"),
    "Completed service is at least one year.": (["one year"], "meets an amount in months"),
    "If the trip is urgent, the card is shown, the trip is approved.": (["If"], "write `then`"),
    "- the trip is urgent\n- the card is shown": (
        ["the trip is urgent"], "does not say how its items are joined",
    ),
    "All of these:\n- the trip is urgent; or\n- the card is shown": ([], "do not fit this list"),
    "The travel date is 2026-02-30.": (["2026-02-30"], "no day of the calendar"),
    "If the trip is urgent, then the trip may be approved.": (
        ["the trip may be approved"], "not of a form",
    ),
    "The destination is cheap.": (["cheap"], "is no phrase"),
    "Both the trip is urgent or the card is shown.": (["the trip is urgent"], "needs `and`"),
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_understood_is_named(text: str) -> None:
    words, reason = REFUSED[text]
    found = read_rule(text, MODEL)
    assert isinstance(found, NotUnderstood), found
    assert reason in found.reason
    assert [word.text for word in found.words] == words
    assert all(text[word.start : word.end] == word.text for word in found.words)


def test_days_are_added_to_a_date() -> None:
    term = parse_rule("The travel date is on or before 14 March 2026 + 30 days.", MODEL)
    assert holds(term, {"day": day_number_of("2026-04-13")}, MODEL)
    assert not holds(term, {"day": day_number_of("2026-04-14")}, MODEL)


def day_number_of(text: str) -> int:
    from datetime import date

    return day_number(date.fromisoformat(text))
