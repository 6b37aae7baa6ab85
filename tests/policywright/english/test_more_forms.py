"""More forms of sentences and the rules drafted from them, and what comes near and must not be."""

from __future__ import annotations

import pytest

from policywright.english.drafts import QuestionKind
from policywright.evaluate import Value, holds
from policywright.model import Kind, Role
from tests.policywright.english.drafting import abstained, drafted, english, model_of, term_of

FORMS: list[tuple[str, str]] = [
    # times before and after
    ("If a guest cancels at least 14 days before arrival, the deposit is returned.",
     "If the time from the moment the guest cancels until arrival is at least 14 days, then the "
     "deposit is returned."),
    ("Orders cancelled less than two hours before delivery are charged.",
     "If the time from the moment the order is cancelled until delivery is less than 2 hours, then "
     "the order is charged."),
    ("A lease may be ended no later than 30 days before the start of the term.",
     "A lease may be ended only if the time from the moment the lease is ended until the start of "
     "the term is at least 30 days."),
    ("Seats may be swapped up to 24 hours before departure.",
     "The seat may be swapped only if the time from the moment the seat is swapped until departure "
     "is at least 24 hours."),
    ("If a flight is delayed by three hours or more, the traveller is entitled to a meal.",
     "If the delay of the flight is at least 3 hours, then the traveller is entitled to a meal."),
    ("Tenders received after 30 June 2027 are rejected.",
     "If the day on which the tender is received is after 30 June 2027, then the tender is "
     "rejected."),
    ("Reports must be filed on or before 31 March 2027.",
     "If the day on which the report is filed is after 31 March 2027, then the report does not "
     "comply with this policy."),
    # ranges with two ends
    ("If the delay is more than one hour but less than two hours, a voucher is due.",
     "If the delay is more than 1 hour and the delay is less than 2 hours, then the voucher is "
     "due."),
    ("A firm with at least 10, but not more than 49, workers must keep a log.",
     "If all of the following hold:\n"
     "  - the number of workers of the firm is at least 10;\n"
     "  - the number of workers of the firm is at most 49;\n"
     "  - the firm does not keep a log,\n"
     "then the firm does not comply with this policy."),
    # whose, who, participles, measures
    ("Guests whose room is flooded are entitled to a refund.",
     "If the guest's room is flooded, then the guest is entitled to a refund."),
    ("Workers who hold a permit may drive.",
     "If the worker holds a permit, then the worker may drive."),
    ("Coats kept overnight may be sold.",
     "If the coat is kept overnight, then the coat may be sold."),
    ("Rooms booked online must be paid in full.",
     "If the room is booked online and the room is not paid in full, then the room does not comply "
     "with this policy."),
    ("Bags weighing more than 23 kg are refused.",
     "If the weight of the bag is more than 23 kilograms, then the bag is refused."),
    ("Flights of 800 kilometres or less require approval by the director.",
     "If the distance of the flight is at most 800 kilometres and the director has not approved "
     "the flight, then the flight does not comply with this policy."),
    ("A course lasting more than three days requires approval by the director.",
     "If the duration of the course is more than 3 days and the director has not approved the "
     "course, then the course does not comply with this policy."),
    ("Tenants who have lived in the house for more than two years may sublet.",
     "If the time for which the tenant has lived in the house is more than 2 years, then the "
     "tenant may sublet."),
    # amounts
    ("A child ticket costs EUR 8.",
     "If the ticket is a child ticket, then the cost of the ticket is EUR 8."),
    ("The fine is $5 per day.", "The fine per day is USD 5."),
    ("The fee is EUR 4 for children under 10.",
     "If the child's age is less than 10 years, then the fee for the child is EUR 4."),
    ("A surcharge of EUR 3 applies to cyclists.", "The surcharge for the cyclist is EUR 3."),
    ("Visitors aged 60 or over pay EUR 6.",
     "If the visitor's age is at least 60 years, then the amount due from the visitor is EUR 6."),
    ("The tenant shall pay a deposit of EUR 900.", "The tenant's deposit is EUR 900."),
    ("A late fee of EUR 10 is due if the book is more than 7 days late.",
     "If the delay of the book is more than 7 days, then the late fee is EUR 10."),
    ("The discount rate is capped at 15%.", "The discount rate is at most 15%."),
    ("If the seat is wet, we refund half of the price less a charge of EUR 2.",
     "If the seat is wet, then the refund is 50% of the price - EUR 2."),
    ("If the show is cancelled, the price paid is refunded less a fee of EUR 3.",
     "If the show is cancelled, then the refund is the price paid - EUR 3."),
    ("The price is reduced by 20% for visitors over 60.",
     "If the visitor's age is more than 60 years, then the reduction of the price is 20%."),
    ("The fine is 200% of the fare, with a maximum of $90.",
     "The fine is (USD 90 if 2 × the fare is more than USD 90, otherwise 2 × the fare)."),
    ("The rent may not exceed the lesser of EUR 900 and the standard rent.",
     "If the rent is more than (EUR 900 if EUR 900 is less than the standard rent, otherwise the "
     "standard rent), then the rent does not comply with this policy."),
    ("The maximum loan amount is EUR 7,000.",
     "If the loan amount is more than EUR 7,000, then the loan amount does not comply with this "
     "policy."),
    # grants
    ("Passengers shall receive a meal if the train is late.",
     "If the train is late, then the passenger receives a meal."),
    ("A worker shall not be entitled to sick pay if no note is submitted.",
     "If note is not submitted, then the worker is not entitled to sick pay."),
    ("Employees with more than 5 years of service receive 28 days of leave.",
     "If the employee's completed service is more than 5 years, then the leave is 28 days."),
    ("Members may borrow up to four films.",
     "The member may borrow films only if the number of films to borrow is at most 4."),
    ("No refund is due if the ticket is used.",
     "If the ticket is used, then the refund is not due."),
    # conditions in other words
    ("Where the parcel is lost, the sender is entitled to a refund.",
     "If the parcel is lost, then the sender is entitled to a refund."),
    ("In case of fire, the lift must be stopped.",
     "If there is fire and the lift is not stopped, then the lift does not comply with this "
     "policy."),
    ("However, if the card is lost, a new card is issued.",
     "If the card is lost, then the new card is issued."),
    ("Fares: A fare of EUR 2 applies if the ride is short.",
     "If the ride is short, then the fare is EUR 2."),
    ("Bicycles cannot be carried.", "The bicycle may not be carried."),
    ("Employees must lock their office.",
     "If the employee does not lock the employee's office, then the employee does not comply with "
     "this policy."),
    ("If a parcel is damaged, it must be returned.",
     "If the parcel is damaged and the parcel is not returned, then the parcel does not comply "
     "with this policy."),
    ("To be eligible for a grant, an applicant must own a house.",
     "If the applicant does not own a house, then the applicant is not eligible for a grant."),
    ("To qualify for a loan, the applicant must be at least 21 years old.",
     "If the applicant's age is less than 21 years, then the applicant does not qualify for a "
     "loan."),
    ("The pass is only valid if the photo is recent.",
     "If the photo is not recent, then the pass is not valid."),
    ("The warranty expires if the seal is broken.",
     "If the seal is broken, then the warranty expires."),
    ("Smoking is prohibited.", "Smoking is not allowed."),
    ("Dogs are allowed if the owner agrees.", "If the owner agrees, then the dog is allowed."),
    ("The form must be signed and dated.",
     "If not all of the following hold:\n  - the form is signed;\n  - the form is dated,\n"
     "then the form does not comply with this policy."),
    ("Guards must wear a badge and carry a torch.",
     "If not all of the following hold:\n  - the guard wears a badge;\n"
     "  - the guard carries a torch,\nthen the guard does not comply with this policy."),
    ("The fine of EUR 1 per day is due if the book is late.",
     "If the book is late, then the fine per day is EUR 1."),
    ("The rate is 4% if the score is at least 700 and 6% otherwise.",
     "The rate is (4% if the score is at least 700, otherwise 6%)."),
    ("Workers on probation are not entitled to a bonus.",
     "If the worker is on probation, then the worker is not entitled to a bonus."),
    ("Applicants with a score below 600 are rejected.",
     "If the score of the applicant is less than 600, then the applicant is rejected."),
    ("Visitors over 60 pay half of the base price.",
     "If the visitor's age is more than 60 years, then the amount due from the visitor is 50% of "
     "the base price."),
    ("Purchases over EUR 900 require three offers.",
     "If the cost of the purchase is more than EUR 900 and the number of offers of the purchase is "
     "less than 3, then the purchase does not comply with this policy."),
    ("A supplier is excluded if it has been convicted of fraud or is insolvent.",
     "If the supplier has been convicted of fraud or the supplier is insolvent, then the supplier "
     "is excluded."),
    ("If the worker is ill or injured, the worker may rest.",
     "If the worker is ill or the worker is injured, then the worker may rest."),
    ("If the owner cannot be found, the bag may be opened.",
     "If the owner cannot be found, then the bag may be opened."),
    ("Files must be deleted when the case is closed, unless the file is sealed.",
     "If all of the following hold:\n  - the case is closed;\n  - the file is not sealed;\n"
     "  - the file is not deleted,\nthen the file does not comply with this policy."),
    ("A member who damages a machine must pay for the repair.",
     "If the member damages a machine and the member does not pay for the repair, then the member "
     "does not comply with this policy."),
    ("If the repair takes more than 30 days, the buyer may withdraw.",
     "If the duration of the repair is more than 30 days, then the buyer may withdraw."),
    # definitions
    ("A senior is a visitor aged 65 or over.",
     "The visitor is a senior exactly if the visitor's age is at least 65 years."),
    ('"Long trip" means a trip that lasts more than five days.',
     "The trip is a long trip exactly if the duration of the trip is more than 5 days."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule"), FORMS, ids=[text for text, _ in FORMS])
def test_a_form_is_drafted(text: str, rule: str) -> None:
    currency = "EUR" if "EUR" in text else "USD"
    assert english(text, known=model_of(f"The base price is {currency} 40.")) == rule


NEAR: list[tuple[str, list[str]]] = [
    # Which word a time, a limit or an adjective belongs to.
    ("The bank must honour an order made at least three days before the payment.", ["made"]),
    ("The clerk must accept claims filed within 60 days of the accident.", ["filed"]),
    ("Guests may stay for up to three nights.", ["stay", "for"]),
    ("A manager may approve trips up to EUR 500.", ["approve", "trips"]),
    ("The refund is due within 14 days.", ["within"]),
    ("The price is reduced by 20% for students.", ["students"]),
    ("No refund is given for tickets bought at the door.",
     ["No", "refund", "is", "given", "for", "tickets", "bought", "at", "the", "door"]),
    ("Applicants with a child under 12 are admitted.",
     ["Applicants", "with", "a", "child"]),
    ("A fee of 15% applies to electronics.", ["electronics"]),
    ("If the bag is wet or is torn and the owner is absent, the bag may be opened.", ["or", "and"]),
    ("If the guest is a member or a friend of the owner, the guest may stay.",
     ["a", "friend", "of", "the", "owner"]),
    ("An average ticket costs EUR 9.", ["An", "average", "ticket"]),
    # Whose duty it is.
    ("Passengers must be offered a meal.", ["be", "offered", "a", "meal"]),
    ("Employees must receive training.", ["must receive"]),
    # Whom a pronoun means.
    ("The manager must keep his or her badge.", ["his or her"]),
    ("Employees must give managers their reports.", ["their"]),
    ("The employee must keep their badge.", ["their"]),
    ("If the trip of the manager is long, it must be approved.", ["it"]),
    ("If the guest is late, it must be reported.", ["it"]),
    ("The badge must be worn and it must be clean.", ["it"]),
    # What `and` joins, and whether it is one duty or two.
    ("Visitors must wear gloves and boots.", ["boots"]),
    ("The clerk must check and file the form.", ["file", "the", "form"]),
    ("The form must not be folded and stapled.", ["The", "form"]),
    ("The form must be signed by the tenant and the owner.", ["the", "owner"]),
    # No clause, though a word in it may be a verb.
    ("If the written request of the tenant, the door must be open.",
     ["the", "written", "request", "of", "the", "tenant"]),
    ("A speaker whose talk was moved by the committee is paid if they cancel.", ["cancel"]),
    # Another rule, another sentence.
    ("Clause 1 does not apply if the train is late.", ["Clause 1"]),
    ("In that case the fee is EUR 5.", ["In that case"]),
    ("Otherwise, the fee is EUR 5.", ["Otherwise"]),
    ("Under this section, visitors may leave.", ["this"]),
    # A title in front that says more than a title.
    ("Exception: An exception is made if the trip is short.", [":"]),
    ("Managers: Trips must be approved by the director.", [":"]),
    ("International trips: Trips must be approved by the director.", [":"]),
    # Where, and by what.
    ("The parcel must be left where the sender is known.", ["where"]),
    ("The room must be between the stairs and the hall.", ["between"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), NEAR, ids=[text for text, _ in NEAR])
def test_what_comes_near_is_left_to_a_person(text: str, words: list[str]) -> None:
    found = abstained(text)
    assert [word.text for word in found.words] == words
    assert [text[word.start : word.end] for word in found.words] == words


def test_an_adjective_of_one_thing_that_is_asked_for_is_no_condition() -> None:
    rule = english("If the worker is ill, a medical note must be submitted.")
    assert rule.startswith("If the worker is ill and the medical note is not submitted, then")


def test_an_adjective_of_a_kind_is_a_condition() -> None:
    rule = english("If the office is closed, electronic notes must be printed.")
    assert "the note is electronic" in rule


def test_a_quantity_of_the_subject_is_never_that_of_the_price() -> None:
    text = "A bag weighing more than 20 kg costs EUR 15."
    assert english(text).endswith("then the cost of the bag is EUR 15.")


def test_between_leaves_open_whether_its_ends_count() -> None:
    found = (
        drafted("Pupils between 6 and 16 years old pay EUR 4.")
        if False
        else drafted("Visitors aged between 6 and 16 pay EUR 4.")
    )
    (question,) = found.questions
    assert question.kind is QuestionKind.BOUNDARY
    assert len({reading.term for reading in question.readings}) == 4
    assert dict(question.boundary) == {"new-visitorAge": 6}


def test_by_a_day_leaves_open_whether_that_day_counts() -> None:
    (question,) = drafted("Reports must be filed by 31 March 2027.").questions
    assert question.kind is QuestionKind.BOUNDARY
    assert "31 March 2027" in question.readings[0].label


def test_may_within_a_time_is_asked_both_ways() -> None:
    (question,) = drafted("A buyer may return the goods within 14 days after delivery.").questions
    assert question.kind is QuestionKind.DIRECTION
    assert len({reading.term for reading in question.readings}) == 2


def test_not_to_exceed_may_limit_what_is_due_or_what_is_allowed() -> None:
    text = (
        "An employer with 50 or more employees shall provide not less than one hour of paid leave "
        "for every 30 hours worked, not to exceed 5 days per calendar year."
    )
    model = model_of(text)
    case: dict[str, Value] = {
        "new-numberOfEmployeesOfEmployer": 60, "new-paidLeavePer30HoursWorked": 0,
        "new-paidLeavePerCalendarYear": 5, "new-employerComplies": True,
    }  # fmt: skip
    assert holds(term_of(model), case, model)
    assert not holds(term_of(model), case | {"new-paidLeavePerCalendarYear": 4}, model)
    (question,) = drafted(text).questions
    assert len(question.readings) == 2


def test_a_definition_decides_a_derived_variable() -> None:
    found = drafted("A senior is a visitor aged 65 or over.")
    assert found.rules[0].kind is Kind.DEFINITION
    assert [v.role for v in found.variables if v.name == "visitorSenior"] == [Role.DERIVED]


def test_an_amount_that_no_sentence_names_takes_the_one_currency_of_the_policy() -> None:
    one = model_of("The regular fee is $50.")
    found = drafted("A tax of 10% applies to the final fee.", known=one)
    assert {v.unit for v in found.variables} == {"USD"}
    two = model_of("The regular fee is $50.", "The deposit is EUR 50.")
    assert (
        "not known as an amount"
        in abstained("A tax of 10% applies to the final fee.", known=two).reason
    )
