"""Drafted rules against the gold formalizations, under a mapping of variables by hand.

A drafted rule that the gold rules entail claims nothing beyond them. Where gold works
an exception of a later clause into an earlier rule, the earlier sentence alone says
more: `EXCEPTIONS` holds what must be the case for those to hold too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from policywright.findings import FindingKind
from policywright.library import load_policy
from policywright.model import PolicyModel
from policywright.smtlib import read_term
from policywright.smtlib.printer import print_term
from policywright.terms import Apply, Term, substitute
from tests.policywright.english.survey import survey_file

GOLD = Path(__file__).parents[4] / "shared" / "corpus" / "gold"

TRAVEL = {
    "costOfTrip": "costEur",
    "lineManagerApprovedTrip": "managerApproved",
    "lineManagerApprovedTravel": "managerApproved",
    "tripComplies": "tripApproved",
    "travelComplies": "tripApproved",
    "travelInternational": "(= destination international)",
    "employeeMayTravelInternationally": "(and tripApproved (= destination international))",
    "employeeCompletedService": "tenureMonths",
    "approvalRecorded": "tripApproved",
    "bookingMayBeMade": "bookingAllowed",
}
PARK = {
    "regularAdmissionToPark": "baseFee",
    "regularAdmissionFee": "baseFee",
    "lowSeason": "(= season low)",
    "admissionFee": "admissionFee",
    "seniorAge": "ageYears",
    "discount": "discountRate",
    "discountRate": "discountRate",
    "flatDiscountProcessingFee": "processingFee",
    "creditsUsed": "(> creditsUsed 0)",
    # Gold counts the tax into the final expense; the sentence takes it of what is before tax.
    "finalExpense": "(+ (- finalAdmission (to_real creditsUsed)) creditCost)",
    "federalTax": "(- finalExpense (+ (- finalAdmission (to_real creditsUsed)) creditCost))",
}
AIRLINE = {
    "flightOperated": "(= flightStatus operated)",
    "flightCancelled": "(= flightStatus cancelled)",
    "youTravelled": "travelled",
    "youEntitledToRefund": "refundEligible",
    "youEntitledToFullRefundOf": "(and refundEligible (= refundEur fareEur))",
    "delayOfDepartureOfFlight": "delayHours",
    "timeFromScheduledDayOfDeparture": "requestDay",
    "refundComplies": "refundEligible",
    "youDeniedBoardingAgainstWill": "(= circumstance denied_boarding)",
    "passengerOfBookingDiedBeforeDay": "(= circumstance death_in_booking)",
    "refund": "refundEur",
    "fare": "fareEur",
}
TICKETS = {
    # The price before the reduction; a student without proof pays that of a regular ticket.
    "ticketRegularTicket": "(= ticketKind regular)",
    "ticketStudentTicket": "(and (= ticketKind student) proofOfEnrolment)",
    "costOfTicket": "basePrice",
    "timeFromMomentTicketBoughtUntil": "purchaseDay",
    "reductionOfPrice": "(ite (= pricePaid (* 0.75 basePrice)) 0.25 0.0)",
    "proofOfEnrolment": "proofOfEnrolment",
    "studentTicketComplies": "(and (= ticketKind student) (not (= basePrice 480.0)))",
    "timeFromMomentYouCancelUntil": "cancelDay",
    "refund": "refund",
    "pricePaid": "pricePaid",
}
MAPPINGS = {
    "travel": TRAVEL,
    "park": PARK,
    "airline-refund": AIRLINE,
    "conference-tickets": TICKETS,
}
EXCEPTIONS: dict[str, dict[str, list[str]]] = {
    "travel": {},
    # The cap of 25% comes in a later sentence.
    "park": {"senior-age-rule": ["(= creditsUsed 0)"]},
    # The deadline of clause 5, and clauses 3, 6 and 7.
    "airline-refund": {
        "flight-operated-rule": ["(= circumstance none)", "(< delayHours 5.0)"],
        "flight-cancelled-rule": ["(<= requestDay 60)"],
        "delay-of-departure-of-flight-rule": ["(= flightStatus operated)", "(<= requestDay 60)"],
        "you-denied-boarding-against-will-rule": ["(<= requestDay 60)"],
        "passenger-of-booking-died-before-day-rule": [
            "(= flightStatus operated)", "(not travelled)", "(<= requestDay 60)",
            "(< delayHours 5.0)",
        ],
    },
    # Clauses 7 and 8.
    "conference-tickets": {
        "time-from-moment-you-cancel-until-rule": ["(not talkWithdrawn)", "(not transferred)"],
        "refund-rule": ["(not talkWithdrawn)", "(not transferred)"],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", MAPPINGS)
def test_gold_entails_what_is_drafted(name: str) -> None:
    if not GOLD.exists():
        pytest.skip("the gold policies are not beside this checkout")
    gold = load_policy(GOLD / f"{name}.smt2")
    found = survey_file(GOLD / f"{name}.txt")
    mapping = {
        variable.id: _term(MAPPINGS[name][variable.name], gold.model)
        for variable in found.model.variables
    }
    assert set(EXCEPTIONS[name]) <= {rule.name for rule in found.model.rules}
    for rule in found.model.rules:
        claim = print_term(gold.model, substitute(rule.term, mapping))
        exceptions = EXCEPTIONS[name].get(rule.name, [])
        assert gold.check(exceptions, claim).kind is FindingKind.VALID, rule.name
        if exceptions:
            assert gold.check([], claim).kind is not FindingKind.VALID, rule.name


def _term(text: str, model: PolicyModel) -> Term:
    """A term of any sort: one side of an equation, since only conditions are read."""
    equation = read_term(f"(= {text} {text})", model)
    assert isinstance(equation, Apply)
    return equation.args[0]
