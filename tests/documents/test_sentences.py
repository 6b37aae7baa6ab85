"""The splitter on strings that splitters get wrong; `|` marks each boundary."""

from __future__ import annotations

import time

import pytest

from documents.sentences import split_sentences

TRICKY = [
    "Trips exceeding EUR 1,000 need approval.| All trips abroad need it too.",
    "The fee is $4.50 per page.| It is due at once.",
    "Costs up to EUR 1,000.50 are refunded.| No receipt is needed.",
    "See Sec. 4.2(b) for the limits.| They are firm.",
    "As Art. 7 and Art. 8 say, leave is paid.",
    "A room (cf. Annex. B) is booked by the host.",
    "Vehicles, e.g. Bicycles and scooters, are excluded.",
    "The deputy, i.e. the second officer, signs.",
    "Meals, travel, etc. are refunded.",
    "We refund meals, travel, etc.| Tips are not refunded.",
    "Under 15 U.S.C. § 1693 the bank is liable.",
    "Under 44 U.S.C. 3501 et seq. the form is approved.",
    "Work for Acme Inc. that is recorded counts.",
    "She works for Acme Inc.| Her badge is blue.",
    "The office closes at 5 p.m.| Late requests are refused.",
    "The office closes at 5 p.m. on Fridays.",
    "Calls start at 9 a.m. Eastern time.| They end at noon.",
    "Rule No. 7 applies.| Rule No. 8 does not.",
    "May staff smoke?| No.| They must go outside.",
    "Calls are free until 5 p.m.| Employees pay for later ones.",
    "The answer is no.| Employees must wait.",
    "Dr. Smith and Mrs. Jones decide.| Their word is final.",
    "The plan names J. Smith as deputy.| He may sign.",
    "Leave is granted if: (a) the employee is full-time; and (b) a manager agrees.",
    "It is refused if any of these holds: i. the form is late; ii. the form is blank.",
    "The sum of: (i) $50 or the loss; and (ii) The later loss is owed.",
    "1. Visitors sign in.| They wear a badge.",
    "(c) Visitors sign in.| They wear a badge.",
    "iv. Visitors sign in.",
    "Section 12. Termination.| Either party may end this contract.",
    'The sign says "No entry."| Visitors obey it.',
    "The guide says “Stop. Wait.” on each page.| Read it.",
    "Staff may travel (see Annex 2).| They book early.",
    "Is a visa required?| Ask the travel desk!| They know.",
    "Version 2.0 replaces version 1.9.| Both are kept.",
    "Visit www.example.org/a.html for forms.| Print two.",
    "Write to help@example.org.| We answer soon.",
    "Requests [...] are logged.| Each has a number.",
    "Approval by approx. Ten days is usual.",
    "Up to max. 5 days are paid.",
    "The limit of 30 min. per call holds.",
    "Pub. L. 111-203 was enacted in 2010.",
    "Exposure is limited to 2 hrs. per shift.",
    "Alice signs...| Then Bob signs.",
    "Naïve users 😀 agree.| Others do not.",
    "Short",
    "Staff ask first. ***",
    "Staff ask first.| Managers answer. --",
    "Say, for example, “Funds last a year.”; “Funds last a week.”; or nothing.",
    "Exceptions are rare.| (One: a fire in the hall.)| This is decided by the board.",
    "It was made by the CA.| The form is kept.",
    "Guests wait.[1]| Staff answer.[2][3]| They go.",
    "The guide says “Call the desk. The number is on the door.” and no more.",
    "Part one and\npart two belong together.| Part three\nstands alone.",
]

# What is still cut wrongly. One that is mended must leave this list.
KNOWN_WRONG = [
    "The form goes to Acme Inc.| Employees keep a copy.",
    "Choose plan B.| Employees pay for it.",
]


def marked(text: str) -> list[str]:
    return [piece.strip() for piece in text.split("|")]


def split(text: str, abbreviations: tuple[str, ...] = ()) -> list[str]:
    plain = text.replace("|", "")
    return [plain[start:end] for start, end in split_sentences(plain, abbreviations)]


@pytest.mark.parametrize("text", TRICKY)
def test_boundaries_are_where_a_reader_puts_them(text: str) -> None:
    assert split(text) == marked(text)


@pytest.mark.parametrize("text", KNOWN_WRONG)
def test_a_known_error_is_still_known(text: str) -> None:
    assert split(text) != marked(text)


def test_an_organisation_adds_its_own_abbreviations() -> None:
    text = "Ask the Dptmt. Head for leave. He decides."
    assert len(split(text)) == 3
    assert split(text, ("Dptmt.",)) == ["Ask the Dptmt. Head for leave.", "He decides."]
    assert split(text, ("dptmt",)) == split(text, ("Dptmt.",))


def test_a_line_longer_than_a_piece_is_cut_nowhere_else() -> None:
    sentence = "Trips exceeding EUR 1,000 require the approval of a line manager."
    assert split(" ".join([sentence] * 500)) == [sentence] * 500
    assert len(split("word " * 10_000)) == 1


def test_unclosed_quotes_do_not_make_it_slow() -> None:
    before = time.process_time()
    split_sentences("“Stop " * 60_000)
    assert time.process_time() - before < 15
