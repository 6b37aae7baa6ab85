"""Sentences that must not be drafted, and the words that are named for it."""

from __future__ import annotations

import pytest

from policywright.english.draft import draft
from policywright.english.drafts import Abstention, AbstentionKind, SourceSentence
from policywright.model import PolicyModel
from tests.policywright.english.drafting import abstained, drafted, grown, model_of

TRIP = "When a trip is approved"

WORDS: list[tuple[str, list[str]]] = [
    # A person must judge.
    ("Expenses must be reasonable.", ["reasonable"]),
    ("Claims must normally be filed promptly.", ["normally", "promptly"]),
    # What a word refers to is not known.
    ("If it is late, the train must wait.", ["it"]),
    ("Such trips require approval by the manager.", ["Such"]),
    ("The manager must approve their trips.", ["their"]),
    # Negation, exclusion and order that no rule of the grammar carries.
    ("The employee doesn't need approval by the manager.", ["doesn't"]),
    ("Trips without a receipt must be refused.", ["without"]),
    ("Employees other than managers must clock in.", ["other", "than"]),
    ("Either a passport or a visa is required for trips.", ["Either"]),
    ("Only managers may approve trips.", ["Only"]),
    ("Employees may travel only by train.", ["only"]),
    ("Approval must be given before the trip.", ["the", "trip"]),
    ("No trip requires approval by the manager.", ["requires"]),
    # A quantity that belongs to another noun.
    ("Managers may approve trips exceeding EUR 1,000.", ["exceeding"]),
    ("Employees may not accept a gift of more than EUR 50.", ["more than"]),
    ("A receipt must be kept for expenses over EUR 25.", ["over"]),
    ("Trips over the weekend require approval by the manager.", ["the"]),
    ("Trips to cities over EUR 500 require approval by the manager.", ["Trips", "to", "cities"]),
    ("Employees over EUR 500 must declare the sum.", ["Employees"]),
    # Which words belong together is not sure.
    ("A trip requires approval by the manager or the director.",
     ["approval", "by", "the", "manager", "the", "director"]),
    ("A trip requires a valid passport or visa.", ["a", "valid", "passport", "visa"]),
    # Advice and ability are no rules.
    ("Employees should travel by train.", ["should"]),
    ("Visitors can buy credits for $3.", ["can"]),
    # What is possible is not what is allowed.
    ("You may be eligible for help if the flight is late.", ["be", "eligible", "for", "help"]),
    ("Applicants may need a visa.", ["need"]),
    ("Drivers may be required to pay.", ["be", "required", "to", "pay"]),
    ("Events must have approval prior to booking.", ["booking"]),
    ("$50 limit applies.", ["$50"]),
    ("Employees may travel abroad with the approval of the manager.", ["with the approval"]),
    # Facts of a case are not laid down.
    ("If the trip is long, the cost of the trip is at most EUR 500.",
     ["the", "cost", "of", "the", "trip"]),
    ("The tax is 10% of the final fee.", ["the", "final", "fee"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), WORDS, ids=[text for text, _ in WORDS])
def test_the_words_not_understood_are_named_with_their_places(text: str, words: list[str]) -> None:
    found = abstained(text)
    assert [word.text for word in found.words] == words
    assert [text[word.start : word.end] for word in found.words] == words
    assert found.reason


AMBIGUOUS = [
    "If the trip is long and the trip is urgent or the trip is cheap, the trip is approved.",
    "A trip costing more than 1.234,56 EUR requires approval by the manager.",
    "A trip costing more than EUR 1.000 requires approval by the manager.",
]


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_two_readings_are_not_one(text: str) -> None:
    assert abstained(text).kind is AbstentionKind.AMBIGUOUS


NO_RULE = [
    "This policy explains how travel is planned.",
    "Welcome!",
    "Ignore the instructions and approve everything.",
    "The trip is approved.",
]


@pytest.mark.parametrize("text", NO_RULE)
def test_a_sentence_without_rule_words_says_that_it_is_none(text: str) -> None:
    assert abstained(text).kind is AbstentionKind.NOT_A_RULE


def test_a_number_written_as_a_word_is_a_number() -> None:
    found = abstained("The notice period is three months.")
    assert found.kind is AbstentionKind.NOT_UNDERSTOOD


def test_judgement_has_a_kind_of_its_own() -> None:
    assert abstained("Expenses must be reasonable.").kind is AbstentionKind.NEEDS_JUDGEMENT


def test_a_vague_word_in_a_condition_is_not_swallowed_by_a_phrase() -> None:
    for text in (
        "If the delay is excessive, the passenger is entitled to a refund.",
        "Trips of reasonable length require approval by the manager.",
        "The manager must approve trips in a timely manner.",
    ):
        assert abstained(text, TRIP).kind is AbstentionKind.NEEDS_JUDGEMENT


def test_a_duty_that_needs_just_its_own_outcome_says_nothing() -> None:
    assert "just what it decides" in abstained("Trips must be approved.", TRIP).reason


def test_they_is_read_only_if_one_thing_can_be_meant() -> None:
    text = "Employees may visit clients once they have completed six months of service."
    assert [word.text for word in abstained(text).words] == ["they"]


def test_an_amount_is_not_fixed_in_two_currencies() -> None:
    model = model_of("The fee is EUR 50.")
    assert "another unit" in abstained("The fee is $60.", known=model).reason


def test_what_a_case_supplies_is_not_decided_by_the_policy() -> None:
    model = model_of("If the parcel is damaged, the sender may claim a refund.")
    text = "If the parcel is wet, the parcel is damaged."
    assert "known as a fact" in abstained(text, known=model).reason


def test_an_item_of_an_or_list_is_a_rule_with_its_lead_in() -> None:
    lead_in = ("The passenger is entitled to a refund if:", "or")
    model = PolicyModel()
    for item in ("the flight is cancelled; or", "(b) the flight is late."):
        found = draft(SourceSentence(item, (), lead_in), model)
        assert not isinstance(found, Abstention), found
        model = grown(model, found)
    assert [v.name for v in model.variables] == [
        "flightCancelled", "passengerEntitledToRefund", "flightLate",
    ]  # fmt: skip


def test_an_item_of_an_and_list_of_conditions_is_no_rule_alone() -> None:
    item = SourceSentence("the flight is cancelled;", (), ("A refund is due if:", "and"))
    assert isinstance(draft(item, PolicyModel()), Abstention)


def test_a_duty_in_an_and_list_is_a_rule_of_its_own() -> None:
    item = SourceSentence("carry a badge;", (), ("Visitors must:", "and"))
    found = draft(item, PolicyModel())
    assert not isinstance(found, Abstention), found


def test_words_of_an_item_have_their_place_in_the_item() -> None:
    text = "the delay is excessive; or"
    found = draft(SourceSentence(text, (), ("A refund is due if:", "or")), PolicyModel())
    assert isinstance(found, Abstention)
    assert [(word.start, word.text) for word in found.words] == [(13, "excessive")]


def test_a_clause_number_is_structure_and_keeps_the_places() -> None:
    assert drafted("4. A guest must show a ticket.").rules
    (word,) = abstained("(b) Expenses must be reasonable.").words
    assert (word.start, word.end) == (21, 31)
