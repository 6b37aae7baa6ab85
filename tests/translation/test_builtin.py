"""The built-in formalizer over spans: lists with their lead-in, names, cancelling."""

from __future__ import annotations

import pytest

from policies.models import Policy, Rule, Statement, User
from policies.models.draft import StatementState
from policywright.english import render_sentence
from policywright.model import PolicyModel
from tests.translation.conftest import add_document
from translation.builtin import BuiltinFormalizer
from translation.formalizers import CancelledError, SentenceText, SpanText, UnitDraft
from translation.jobs import finish_inline, start_formalizing

LEAD_IN = "A loan is refused if any of the following applies:"
ITEMS = ("the applicant is under 21; or", "the applicant has hidden a debt.")
LIST = f"{LEAD_IN}\n\n(a) {ITEMS[0]}\n(b) {ITEMS[1]}\n"


def formalized(*sentences: SentenceText) -> UnitDraft:
    span = SpanText("document", sentences)
    return BuiltinFormalizer().formalize(span, PolicyModel(), cancelled=lambda: False)


def test_items_of_a_list_are_rules_with_their_lead_in_as_a_source() -> None:
    items = [SentenceText(text, (), (LEAD_IN, "or")) for text in ITEMS]
    unit = formalized(SentenceText(LEAD_IN), *items)
    assert [rule.sentences for rule in unit.rules] == [(0, 1), (0, 2)]
    assert {one.state for one in unit.statements} == {StatementState.FORMALIZED}
    assert [one.sentence for one in unit.statements] == [0, 1, 2]


def test_names_do_not_repeat_within_a_span() -> None:
    unit = formalized(
        SentenceText("Visitors must wear a badge."),
        SentenceText("Visitors must wear a badge if the visitor is new."),
        SentenceText("Visitors must wear a badge if the visitor is tall."),
    )
    assert len({rule.name for rule in unit.rules}) == len(unit.rules) == 3


def test_a_question_belongs_to_its_rule() -> None:
    unit = formalized(
        SentenceText("The fee is EUR 5."),
        SentenceText("A claim must be filed within one month of the loss."),
    )
    assert [question.rule for question in unit.questions] == [1]
    assert unit.questions[0].readings[0].term == unit.rules[1].term


def test_a_sentence_may_lean_on_the_one_before() -> None:
    unit = formalized(
        SentenceText("If the bus is late, the fare is EUR 2."),
        SentenceText("Otherwise, the fare is EUR 4."),
    )
    model = PolicyModel(unit.datatypes, unit.variables)
    assert [render_sentence(model, rule.term) for rule in unit.rules] == [
        "If the bus is late, then the fare is EUR 2.",
        "If the bus is not late, then the fare is EUR 4.",
    ]


def test_a_cancelled_run_ends_before_the_next_sentence() -> None:
    span = SpanText("document", (SentenceText("The fee is EUR 5."),))
    with pytest.raises(CancelledError):
        BuiltinFormalizer().formalize(span, PolicyModel(), cancelled=lambda: True)


@pytest.mark.django_db(transaction=True)
def test_a_list_of_a_document_becomes_rows(policy: Policy, alice: User) -> None:
    add_document(policy, LIST)
    finish_inline(start_formalizing(policy, alice), holder="test")
    assert set(Statement.objects.values_list("state", flat=True)) == {StatementState.FORMALIZED}
    quotes = [
        sorted(rule.sources.values_list("quote", flat=True))
        for rule in Rule.objects.order_by("position", "pk")
    ]
    assert len(quotes) == 2
    assert all(LEAD_IN in quote for quote in quotes)


def test_a_row_of_a_table_is_left_and_its_header_taken_for_no_lead_in():
    unit = formalized(
        SentenceText("The fee is EUR 5."),
        SentenceText("Visitors pay\tEUR 5", (), ("Visitors must wear a badge if:", "or")),
        SentenceText("Visitors must wear a badge if the visitor is new.", (), ("Rule",)),
        SentenceText("Visitors must wear a badge if the visitor is tall."),
    )
    states = [statement.state for statement in unit.statements]
    assert states[1:3] == [StatementState.ABSTAINED] * 2
    assert "header" in unit.statements[1].reason
    assert states[3] is StatementState.FORMALIZED
    assert [rule.sentences for rule in unit.rules][-1] == (3,)
