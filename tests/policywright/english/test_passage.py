"""Passages: lists with their lead-in, sentences that lean on the one before, names."""

from __future__ import annotations

from policywright.english import render_sentence
from policywright.english.drafts import SourceSentence
from policywright.english.passage import PassageDrafting, draft_passage
from policywright.model import PolicyModel
from tests.policywright.english.survey import source_sentences


def _read(text: str) -> list[SourceSentence]:
    return source_sentences(text.encode(), "policy.txt")


def _english(text: str) -> list[str]:
    drafting = PassageDrafting(_read(text), PolicyModel())
    index = 0
    while index < len(drafting.sentences):
        index = drafting.step(index)
    return [render_sentence(drafting.model, one.rule.term) for one in drafting.passage.rules]


ANY = """\
A loan is refused if any of the following applies:

(a) the applicant is under 21;
(b) the applicant's income is less than EUR 900; or
(c) the applicant has hidden a debt.
"""
ALL = """\
A grant is awarded if all of the following conditions are met:

- the applicant is a resident;
- the project lasts longer than 6 months; and
- the budget is at most EUR 40,000.
"""
DUTIES = """\
Visitors must:

- wear a badge;
- sign the guest book; and
- stay near the exit in due time.
"""


def test_each_case_of_a_list_of_cases_is_a_rule_of_its_own() -> None:
    assert _english(ANY) == [
        "If the applicant's age is less than 21 years, then the loan is refused.",
        "If the applicant's income is less than EUR 900, then the loan is refused.",
        "If the applicant has hidden a debt, then the loan is refused.",
    ]
    passage = draft_passage(_read(ANY), PolicyModel())
    assert [one.sentences for one in passage.rules] == [(0, 1), (0, 2), (0, 3)]
    assert not passage.abstentions


def test_conditions_that_hold_together_are_one_rule() -> None:
    (rule,) = _english(ALL)
    assert rule.startswith("If all of the following hold:")
    assert rule.endswith("then the grant is awarded.")
    assert rule.count("\n  - ") == 3
    (one,) = draft_passage(_read(ALL), PolicyModel()).rules
    assert one.sentences == (0, 1, 2, 3)


def test_conditions_of_which_one_is_not_understood_give_no_rule() -> None:
    passage = draft_passage(_read(ALL.replace("a resident", "reasonable")), PolicyModel())
    assert not passage.rules
    assert set(passage.abstentions) == {0, 1, 2, 3}


def test_a_lead_in_is_left_open_while_one_of_its_items_is() -> None:
    passage = draft_passage(_read(ANY.replace("hidden a debt", "too many debts")), PolicyModel())
    assert set(passage.abstentions) == {0, 3}
    assert [one.sentences for one in passage.rules] == [(1,), (2,)]


def test_duties_of_a_list_are_rules_of_their_own() -> None:
    rules = _english(DUTIES.replace("stay near the exit in due time", "keep the badge"))
    assert [rule.split(",")[0] for rule in rules] == [
        "If the visitor does not wear a badge",
        "If the visitor does not sign the guest book",
        "If the visitor does not keep the badge",
    ]


def test_a_choice_of_duties_is_no_duty_each() -> None:
    passage = draft_passage(_read(DUTIES.replace("; and", "; or")), PolicyModel())
    assert not passage.rules


def test_an_and_list_behind_if_any_is_a_list_of_cases_only_where_nothing_contradicts() -> None:
    assert not draft_passage(_read(ANY.replace("; or", "; and")), PolicyModel()).rules
    assert not draft_passage(_read(ALL.replace("; and", "; or")), PolicyModel()).rules


def test_an_item_of_a_list_in_a_list_is_left_to_a_person() -> None:
    context = ("A loan is refused if:", "or", "the applicant has:", "and")
    passage = draft_passage([SourceSentence("a debt", (), context)], PolicyModel())
    assert list(passage.abstentions) == [0]


def test_a_list_of_things_is_not_read_as_a_list_of_amounts() -> None:
    passage = draft_passage(
        _read("Integral parts are:\n\n- outer blinds\n- inner doors\n"), PolicyModel()
    )
    assert not passage.rules


def test_in_that_case_takes_the_condition_of_the_sentence_before() -> None:
    text = "You are not entitled to a refund if you cancelled. In that case a voucher is due."
    assert _english(text)[1] == "If you cancelled, then the voucher is due."


def test_an_exception_from_another_rule_is_left_but_the_case_it_makes_is_read() -> None:
    text = "Clause 4 does not apply if the train was cancelled. In that case the fare is EUR 3."
    passage = draft_passage(_read(text), PolicyModel())
    assert (
        "add the exception there" in passage.abstentions[0].reason or passage.abstentions[0].words
    )
    assert _english(text) == ["If the train was cancelled, then the fare is EUR 3."]


def test_otherwise_takes_the_opposite() -> None:
    text = "If the delay is at most 3 hours, the fare is EUR 9. Otherwise, the fare is EUR 3."
    assert _english(text) == [
        "If the delay is at most 3 hours, then the fare is EUR 9.",
        "If the delay is more than 3 hours, then the fare is EUR 3.",
    ]


def test_which_case_is_meant_behind_a_duty_or_a_permission_is_not_sure() -> None:
    for first in (
        "If the bus is late, the driver must call the office.",
        "If the bus is late, the driver may leave.",
        "The bus is free unless the driver is late.",
    ):
        passage = draft_passage(_read(f"{first} In that case the fare is EUR 3."), PolicyModel())
        assert 1 in passage.abstentions


def test_a_sentence_of_another_section_is_not_leant_on() -> None:
    sentences = [
        SourceSentence("The fare is EUR 9 if the bus is late.", ("Buses",)),
        SourceSentence("Otherwise, the fare is EUR 3.", ("Trains",)),
    ]
    assert 1 in draft_passage(sentences, PolicyModel()).abstentions


def test_names_of_rules_do_not_repeat_in_a_passage() -> None:
    text = "Visitors must wear a badge. Visitors must wear a badge if the visitor is new."
    rules = draft_passage(_read(text), PolicyModel()).rules
    assert len({one.rule.name for one in rules}) == len(rules) == 2


def test_what_was_decided_before_is_known_to_what_follows() -> None:
    text = (
        "The trip is approved if the plan is complete. "
        "No booking may be made before the trip is approved."
    )
    drafting = PassageDrafting(_read(text), PolicyModel())
    drafting.step(drafting.step(0))
    assert [v.name for v in drafting.model.variables] == [
        "planComplete", "tripApproved", "bookingMayBeMade",
    ]  # fmt: skip


def test_known_rules_keep_their_names_and_are_not_drafted_again() -> None:
    first = PassageDrafting(_read("Visitors must wear a badge."), PolicyModel())
    first.step(0)
    second = draft_passage(_read("Visitors must wear a badge if the visitor is new."), first.model)
    names = {rule.name for rule in first.model.rules}
    assert names.isdisjoint(one.rule.name for one in second.rules)
