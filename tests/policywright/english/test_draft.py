"""Sentences of policies and the rules drafted from them, in English."""

from __future__ import annotations

import pytest

from policywright.english import render_rule
from policywright.english.drafts import QuestionKind
from policywright.model import Kind, Role
from policywright.sorts import BOOL, INT, REAL
from tests.policywright.english.drafting import drafted, english, grown, model_of

TRIP = "When a trip is approved"
NO_HEADING: list[tuple[str, str]] = [
    # must, may, may not, requires
    ("All drivers must hold a valid licence.",
     "If the driver does not hold a valid licence, then the driver does not comply with this "
     "policy."),
    ("Drivers must have valid insurance.",
     "If the driver does not have valid insurance, then the driver does not comply with this "
     "policy."),
    ("Employees must not smoke.",
     "If the employee smokes, then the employee does not comply with this policy."),
    ("You must wear a helmet.",
     "If you do not wear a helmet, then you do not comply with this policy."),
    ("The report shall be signed by the auditor.",
     "If the report is not signed by the auditor, then the report does not comply with this "
     "policy."),
    ("A guest is required to show a ticket.",
     "If the guest does not show a ticket, then the guest does not comply with this policy."),
    ("A licence requires proof of address.",
     "If there is no proof of address, then the licence does not comply with this policy."),
    ("Approval by the director is required for purchases over $500.",
     "If the cost of the purchase is more than USD 500 and the director has not approved the "
     "purchase, then the purchase does not comply with this policy."),
    ("A tenant may keep a dog.", "A tenant may keep a dog."),
    ("Contractors may not enter the vault.", "The contractor may not enter the vault."),
    ("No alcohol may be sold unless the manager is present.",
     "If the manager is not present, then alcohol may not be sold."),
    ("No parcel may be released before the customs form is signed.",
     "If the customs form is not signed, then a parcel may not be released."),
    # if, only if, unless, except
    ("An employee may work abroad only if the security course is complete.",
     "An employee may work abroad only if the security course is complete."),
    ("An employee may only work abroad if the security course is complete.",
     "If the security course is not complete, then an employee may not work abroad."),
    ("An employee may work abroad if the security course is complete.",
     "If the security course is complete, then an employee may work abroad."),
    ("Overtime must be paid unless the employee is exempt.",
     "If the employee is not exempt and overtime is not paid, then overtime does not comply with "
     "this policy."),
    ("Unless the landlord agrees, pets may not be kept.",
     "If the landlord does not agree, then the pet may not be kept."),
    ("All parcels except small parcels must be weighed.",
     "If the parcel is not small and the parcel is not weighed, then the parcel does not comply "
     "with this policy."),
    ("If your flight operated and you did not travel, you are not entitled to a refund.",
     "If your flight operated and you did not travel, then you are not entitled to a refund."),
    ("The permit is valid if and only if the fee is paid.",
     "The permit is valid exactly if the fee is paid."),
    ("If the tenant is absent or the flat is empty, then the heating must be low.",
     "If all of the following hold:\n"
     "  - any of the following holds:\n"
     "      - the tenant is absent;\n"
     "      - the flat is empty;\n"
     "  - the heating is not low,\n"
     "then the heating does not comply with this policy."),
    # comparisons
    ("Aged 60 or over qualifies for the senior rate.",
     "If the person's age is at least 60 years, then the person qualifies for the senior rate."),
    ("Visitors under 12 get free entry.",
     "If the visitor's age is less than 12 years, then the visitor gets free entry."),
    ("Visitors older than 65 years of age qualify for free entry.",
     "If the visitor's age is more than 65 years, then the visitor qualifies for free entry."),
    ("A visitor must be at least 18 years old.",
     "If the visitor's age is less than 18 years, then the visitor does not comply with this "
     "policy."),
    ("The price of a meal may not exceed EUR 40.",
     "If the price of the meal is more than EUR 40, then the meal does not comply with this "
     "policy."),
    ("Purchases up to $1,000 require a clerk's approval.",
     "If the cost of the purchase is at most USD 1,000 and the clerk has not approved the "
     "purchase, then the purchase does not comply with this policy."),
    ("Purchases of 1,000 dollars or more require a supervisor's approval.",
     "If the cost of the purchase is at least USD 1,000 and the supervisor has not approved the "
     "purchase, then the purchase does not comply with this policy."),
    ("Stays longer than five days require approval by the manager.",
     "If the duration of the stay is more than 5 days and the manager has not approved the stay, "
     "then the stay does not comply with this policy."),
    ("Transfers above €10,000 need at least two approvers.",
     "If the amount of the transfer is more than EUR 10,000 and the number of approvers of the "
     "transfer is less than 2, then the transfer does not comply with this policy."),
    ("Employees who have completed more than 12 months of service may work abroad.",
     "If the employee's completed service is more than 12 months, then the employee may work "
     "abroad."),
    ("An employer with 100 or more employees must keep a register.",
     "If the number of employees of the employer is at least 100 and the employer does not keep a "
     "register, then the employer does not comply with this policy."),
    ("A claim must be filed within 60 days after the day of the accident.",
     "If the time from the day of the accident until the claim is filed is more than 60 days, "
     "then the claim does not comply with this policy."),
    # amounts
    ("The regular fee is $50.", "The regular fee is USD 50."),
    ("Seniors (age greater than 65) qualify for a 40% discount.",
     "If the senior's age is more than 65 years, then the discount is 40%."),
    ("A late fee of 7.5% applies to overdue invoices.",
     "If the invoice is overdue, then the late fee is 7.5% of the amount of the invoice."),
    ("There will be a $10 handling fee if the parcel is heavy.",
     "If the parcel is heavy, then the handling fee is USD 10."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule"), NO_HEADING, ids=[text for text, _ in NO_HEADING])
def test_a_sentence_is_drafted(text: str, rule: str) -> None:
    assert english(text) == rule


UNDER_HEADING = [
    ("Trips exceeding EUR 1,000 require line-manager approval.",
     "If the cost of the trip is more than EUR 1,000 and the line manager has not approved the "
     "trip, then the trip is not approved."),
    ("All business trips to Spain require approval of the line manager.",
     "If all of the following hold:\n"
     "  - the trip is a business trip;\n"
     "  - the trip is to Spain;\n"
     "  - the line manager has not approved the trip,\n"
     "then the trip is not approved."),
    ("A trip may be approved only once the course is complete.",
     "The trip is approved only if the course is complete."),
    ("The trip must be approved by the director if the trip is urgent.",
     "If the trip is urgent and the director has not approved the trip, then the trip is not "
     "approved."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule"), UNDER_HEADING)
def test_a_heading_names_the_outcome_of_a_duty(text: str, rule: str) -> None:
    assert english(text, "Travel policy", TRIP) == rule
    assert drafted(text, TRIP).questions == ()


def test_what_restricts_a_noun_is_never_dropped_for_the_outcome_of_the_heading() -> None:
    for text in ("Trips by train require approval by the manager.",
                 "The business trip requires approval by the manager."):  # fmt: skip
        conditions = english(text, TRIP)
        assert "by train" in conditions or "business trip" in conditions


@pytest.mark.parametrize(
    ("heading", "rule"),
    [
        ("Trip approval", "the trip is not approved"),
        ("4.2 Approval of trips", "the trip is not approved"),
        ("Whether a trip is approved", "the trip is not approved"),
        ("When trips are approved", "the trips are not approved"),
    ],
)
def test_headings_name_outcomes_in_several_ways(heading: str, rule: str) -> None:
    text = "A trip over EUR 500 requires approval by the manager."
    assert english(text, heading).endswith(f"then {rule}.")


def test_without_an_outcome_the_question_asks_for_it() -> None:
    found = drafted("Every parcel must be weighed.", "How parcels travel")
    (question,) = found.questions
    assert question.kind is QuestionKind.OUTCOME
    assert question.readings[0].label == "whether the parcel complies with this policy"
    assert question.readings[0].term == found.rules[0].term
    assert not question.boundary


def test_an_outcome_of_a_heading_about_something_else_is_only_a_further_reading() -> None:
    found = drafted("Every parcel must be weighed.", TRIP)
    (question,) = found.questions
    assert [reading.label for reading in question.readings] == [
        "whether the parcel complies with this policy",
        "whether the trip is approved",
    ]


def test_completed_months_leave_open_whether_exactly_six_are_enough() -> None:
    text = (
        "An international trip may be approved only once the employee has completed six months "
        "of service."
    )
    found = drafted(text, TRIP)
    (question,) = found.questions
    assert question.kind is QuestionKind.BOUNDARY
    assert dict(question.boundary) == {"new-employeeCompletedService": 6}
    assert "exactly 6 months" in question.text
    labels = [reading.label for reading in question.readings]
    assert labels == ["exactly 6 months is enough", "more than 6 months is needed"]
    assert question.readings[0].term == found.rules[0].term != question.readings[1].term


def test_may_once_is_asked_both_ways() -> None:
    text = "Employees may travel internationally once they have completed six months of service."
    found = drafted(text)
    (question,) = found.questions
    assert question.kind is QuestionKind.DIRECTION
    assert len(question.readings) == 4
    assert len({reading.term for reading in question.readings}) == 4
    assert all(variable in [v.id for v in found.variables] for variable in question.boundary)


def test_fr_77_within_one_month_keeps_months_and_asks_about_the_last_day() -> None:
    found = drafted("An appeal must be filed within one month of the decision.")
    duration = next(v for v in found.variables if v.sort != BOOL)
    assert (duration.unit, duration.sort) == ("months", REAL)
    assert found.questions[0].kind is QuestionKind.BOUNDARY


def test_new_variables_have_role_unit_description_and_both_phrases() -> None:
    found = drafted("Trips exceeding EUR 1,000 require line-manager approval.", TRIP)
    cost, manager, approved = found.variables
    assert (cost.sort, cost.unit, cost.role) == (REAL, "EUR", Role.FACT)
    assert cost.description == "The cost of the trip, in EUR"
    assert manager.phrases.negative == "the line manager has not approved the trip"
    assert (approved.name, approved.role) == ("tripApproved", Role.OUTCOME)
    assert all(v.id == f"new-{v.name}" and not v.role_guessed for v in found.variables)


def test_ages_are_whole_years() -> None:
    (age, _) = drafted("Visitors under 12 get free entry.").variables
    assert (age.sort, age.unit) == (INT, "years")


def test_known_variables_are_reused_whatever_article_number_and_case() -> None:
    model = model_of("If a trip is international, the trip must be insured.")
    found = drafted("Trips that are International must be booked early.", known=model)
    assert [v.name for v in found.variables] == ["tripBookedEarly"]


def test_another_unit_is_another_variable_and_says_so() -> None:
    model = model_of("Employees with at least six months of service may travel abroad.")
    found = drafted("Employees with more than 90 days of service may work at home.", known=model)
    assert found.variables[0].phrases.text == "the employee's completed service in days"


def test_a_condition_that_is_a_known_outcome_uses_it() -> None:
    model = model_of("Trips over EUR 500 require approval by the manager.", headings=(TRIP,))
    found = drafted("No booking may be made before the trip is approved.", known=model)
    assert [v.name for v in found.variables] == ["bookingMayBeMade"]


def test_rule_names_do_not_repeat() -> None:
    model = model_of(
        "Trips over EUR 500 require approval by the manager.",
        "Trips over EUR 900 require approval by the director.",
        "Trips over EUR 950 require approval by the director.",
        headings=(TRIP,),
    )
    assert len({rule.name for rule in model.rules}) == 3


def test_an_amount_without_condition_is_a_definition() -> None:
    assert drafted("The fee is EUR 5.").rules[0].kind is Kind.DEFINITION
    conditional = drafted("If the parcel is heavy, the fee is EUR 5.")
    assert conditional.rules[0].kind is Kind.RULE


def test_amounts_build_on_amounts_that_were_said_before() -> None:
    model = model_of(
        "The regular fee is $50.",
        "The fee in the low season is 75% of the regular fee.",
        "If the visitor is over 65, the discount is 40%.",
        "The final fee is the fee reduced by the discount, plus $10.",
        "A tax of 10% applies to the final fee.",
    )
    assert [render_rule(model, rule) for rule in model.rules[1:]] == [
        "If it is the low season, then the fee is 75% of the regular fee.",
        "If the visitor's age is more than 65 years, then the discount is 40%.",
        "The final fee is the fee × (100% - the discount) + USD 10.",
        "The tax is 10% of the final fee.",
    ]


def test_a_charge_that_applies_with_a_known_rate_compares_the_rate() -> None:
    model = model_of("If the visitor is over 65, the discount is 40%.")
    text = "A $10 processing fee applies whenever a discount applies."
    assert english(text, known=model) == (
        "If the discount is more than 0%, then the processing fee is USD 10."
    )
    assert grown(model, drafted(text, known=model)).variables[-1].unit == "USD"
