"""From round to round: what failed goes back with its cause, what was right stays.

Every reply is hand-written.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from policies.models import Rule, Span, Statement
from policies.models.draft import StatementState
from policywright.model import PolicyModel
from policywright.sorts import INT, REAL
from tests.llm_server import Answer, LlmServer, fails, llm_server, says
from tests.translation.conftest import add_document, connect, never, span_of
from tests.translation.replies import (
    formalize,
    left_open,
    printed,
    reply,
    rule,
    statement,
    variable,
)
from translation.formalizers import UnitDraft
from translation.histories import histories, histories_of
from translation.integration import keep_unit
from translation.litellm_formalizer import MAX_ROUNDS, LiteLlmFormalizer
from translation.llm_errors import LlmServerError
from translation.models import Question
from translation.spans import open_sentences, text_of

FEE = "A lane costs EUR 12 an hour, and EUR 9 for members."
SHOES = "Shoes must be clean."
LANE = [
    variable("isMember"),
    variable("hours", "Int"),
    variable("feeEur", "Real", role="outcome", unit="EUR"),
]
FULL = rule("full-fee", "(=> (not isMember) (= feeEur (* 12 (to_real hours))))")
MEMBERS = rule("members-fee", "(=> isMember (= feeEur (* 9.0 (to_real hours))))")
WRONG = rule("members-fee", "(=> isMembr (= feeEur 9.0))")


def rounds(*replies: Any, texts: tuple[str, ...] = (FEE,)) -> tuple[UnitDraft, LlmServer]:
    with llm_server(*(says(one) for one in replies)) as server:
        return formalize(server, span_of(*texts)), server


def sent_back(server: LlmServer, number: int) -> list[dict[str, Any]]:
    """The lines of the data block that round `number` began with."""
    lines = server.requests[number - 1]["messages"][-1]["content"].splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def test_one_failing_rule_does_not_lose_the_others_of_its_statement() -> None:
    first = statement(1, FEE, variables=LANE, rules=[FULL, WRONG])
    draft, server = rounds(reply(first), reply(statement(1, FEE, rules=[MEMBERS])))
    (wrong, kept) = sent_back(server, 2)
    assert wrong["sentence"] == 1
    assert (wrong["piece"], wrong["name"]) == ("rule", "members-fee")
    assert wrong["smtlib"] == WRONG["smtlib"]
    assert wrong["problem"] == (
        "line 1, column 5: `isMembr` is not declared; did you mean `isMember`?"
    )
    assert kept["kept"] == [
        "variable `isMember`", "variable `hours`", "variable `feeEur`", "rule `full-fee`",
    ]  # fmt: skip
    assert [one.name for one in draft.rules] == ["full-fee", "members-fee"]
    assert draft.statements[0].state is StatementState.FORMALIZED
    assert draft.run.rounds == 2


def test_the_place_of_a_problem_is_shown_with_the_words_that_stand_there() -> None:
    smtlib = "(=> isMember\n    (> feeEur isMember))"
    said = statement(1, FEE, variables=LANE, rules=[rule("r", smtlib)])
    _, server = rounds(reply(said))
    problem = sent_back(server, 2)[0]["problem"]
    assert problem.startswith("line 2, column 5: ")
    assert problem.endswith(", at `(> feeEur isMember)`")


def test_a_refused_variable_takes_only_the_rules_that_need_it() -> None:
    parts = [LANE[0], LANE[1] | {"sort": "Hours"}, LANE[2]]
    free = rule("free", "(=> isMember (= feeEur 0.0))")
    draft, _ = rounds(reply(statement(1, FEE, variables=parts, rules=[FULL, free])))
    assert [one.name for one in draft.rules] == ["free"]
    reason = draft.statements[0].reason
    assert "variable `hours`: its sort `Hours` is not Bool" in reason
    assert "rule `full-fee` (=> (not isMember)" in reason
    assert "`hours` is not declared" in reason


def test_what_was_right_stays_when_a_later_reply_spoils_it() -> None:
    first = statement(1, FEE, variables=LANE, rules=[FULL, WRONG])
    spoilt = statement(1, FEE, variables=[], rules=[rule("full-fee", "(nonsense)"), MEMBERS])
    draft, _ = rounds(reply(first), reply(spoilt))
    assert printed(draft) == [
        "(=> (not isMember) (= feeEur (* 12.0 (to_real hours))))",
        "(=> isMember (= feeEur (* 9.0 (to_real hours))))",
    ]
    assert draft.statements[0].state is StatementState.FORMALIZED


def test_a_declaration_sent_again_does_not_break_a_rule_that_was_right() -> None:
    other = "A booking is for at most 2.5 hours."
    ok = variable("ok", role="outcome")
    half_hours = rule("long", "(=> ok (<= (to_real hours) 2.5))")
    long = statement(2, other, variables=[ok], rules=[half_hours])
    first = reply(statement(1, FEE, variables=LANE, rules=[WRONG]), long)
    retyped = [variable("hours", "Real", unit="hours")]
    half = rule("members-fee", "(=> isMember (= feeEur (* 9.0 hours)))")
    draft, server = rounds(
        first, reply(statement(1, FEE, variables=retyped, rules=[half])), texts=(FEE, other)
    )
    assert {one.name: one.sort for one in draft.variables}["hours"] == INT
    assert [one.name for one in draft.rules] == ["long"]
    assert "it is declared already, as Int, fact" in sent_back(server, 3)[0]["problem"]


def test_a_declaration_may_be_put_right_where_no_right_rule_needs_it_as_it_was() -> None:
    first = statement(1, FEE, variables=LANE, rules=[rule("full-fee", "(= feeEur (* 12.5 hours))")])
    retyped = [variable("hours", "Real")]
    second = statement(
        1, FEE, variables=retyped, rules=[rule("full-fee", "(= feeEur (* 12.5 hours))")]
    )
    draft, _ = rounds(reply(first), reply(second))
    assert {one.name: one.sort for one in draft.variables}["hours"] == REAL
    assert printed(draft) == ["(= feeEur (* 12.5 hours))"]


def test_a_rule_that_was_wrong_may_come_back_under_another_name() -> None:
    first = statement(1, FEE, variables=LANE, rules=[FULL, WRONG])
    renamed = statement(1, FEE, rules=[MEMBERS | {"name": "fee-of-members"}])
    draft, _ = rounds(reply(first), reply(renamed))
    assert [one.name for one in draft.rules] == ["full-fee", "fee-of-members"]
    assert draft.statements[0].state is StatementState.FORMALIZED


def test_a_wrong_rule_that_is_only_left_out_is_still_wrong() -> None:
    first = statement(1, FEE, variables=LANE, rules=[FULL, WRONG])
    draft, _ = rounds(reply(first), reply(statement(1, FEE, rules=[FULL])))
    assert [one.name for one in draft.rules] == ["full-fee"]
    assert draft.statements[0].state is StatementState.FAILED
    assert "`isMembr` is not declared" in draft.statements[0].reason


def test_a_sentence_may_be_given_up_with_a_reason() -> None:
    first = statement(1, SHOES, rules=[rule("clean", "(=> (not clean) (not ok))")])
    gives_up = statement(1, "", formalizable=False, reason="It names no outcome.")
    draft, _ = rounds(reply(first), reply(gives_up), texts=(SHOES,))
    assert draft.statements[0].state is StatementState.ABSTAINED
    assert draft.statements[0].reason == "It names no outcome."
    assert draft.run.log[0]["wrong"][0]["name"] == "clean"


def test_the_words_that_a_sound_statement_quotes_stay_when_less_is_quoted_later() -> None:
    first = statement(1, FEE, variables=LANE, rules=[FULL, WRONG])
    part = statement(1, "EUR 9 for members", rules=[MEMBERS])
    draft, _ = rounds(reply(first), reply(part))
    assert draft.statements[0].quote == FEE


def test_rounds_end_where_they_go_in_a_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("translation.litellm_formalizer.MAX_ROUNDS", 9)
    one = statement(1, FEE, variables=LANE, rules=[rule("members-fee", "(not a)")])
    two = statement(1, FEE, rules=[rule("members-fee", "(not b)")])
    draft, _ = rounds(reply(one), reply(two), reply(one), reply(two))
    assert draft.run.rounds == 3


def test_rounds_end_at_their_number_whatever_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = [
        reply(statement(1, FEE, variables=LANE, rules=[rule("members-fee", f"(not x{n})")]))
        for n in range(9)
    ]
    draft, server = rounds(*tries)
    assert len(server.requests) == draft.run.rounds == MAX_ROUNDS


@pytest.mark.parametrize(
    "last",
    [
        says(None),
        says("{", finish_reason="length"),
        says("x", finish_reason="content_filter"),
    ],
)
def test_a_round_that_brings_no_answer_takes_nothing_away(last: Answer) -> None:
    first = says(reply(statement(1, FEE, variables=LANE, rules=[FULL, WRONG])))
    with llm_server(first, last) as server:
        draft = formalize(server, span_of(FEE))
    assert [one.name for one in draft.rules] == ["full-fee"]
    assert "`isMembr` is not declared" in draft.statements[0].reason
    assert len(draft.run.log[-1]["problems"]) == 1


def test_trouble_on_the_way_in_a_later_round_leaves_the_section_to_be_tried_again() -> None:
    first = says(reply(statement(1, FEE, variables=LANE, rules=[FULL, WRONG])))
    with llm_server(first, fails(503)) as server, pytest.raises(LlmServerError):
        formalize(server, span_of(FEE), retries=0)


def test_what_failed_is_kept_with_what_was_written_in_each_round() -> None:
    tries = [
        reply(statement(1, FEE, variables=LANE, rules=[FULL, rule("members-fee", smtlib)]))
        for smtlib in ("(=> isMembr ok)", "(=> isMember ok)", "(=> isMember (= feeEur isMember))")
    ]
    draft, _ = rounds(*tries)
    (history,) = histories(draft.run.log, 1)
    assert (history.piece, history.name) == ("rule", "members-fee")
    assert [(one.round, one.smtlib) for one in history.written] == [
        (1, "(=> isMembr ok)"),
        (2, "(=> isMember ok)"),
        (3, "(=> isMember (= feeEur isMember))"),
    ]
    assert "`isMembr` is not declared" in history.written[0].problem
    assert "`ok` is not declared" in history.written[1].problem
    assert histories(draft.run.log, 2) == ()
    assert draft.statements[0].state is StatementState.FAILED
    assert "(=> isMember (= feeEur isMember))" in draft.statements[0].reason


@pytest.mark.django_db(transaction=True)
def test_a_page_finds_what_failed_of_a_sentence_beside_its_statement(policy) -> None:
    add_document(policy, f"{SHOES} {FEE}\n")
    span = Span.objects.select_related("revision__document__policy").get()
    sentences = open_sentences(span, "somebody")
    failing = statement(2, FEE, variables=LANE, rules=[FULL, WRONG])
    vague = statement(1, "", formalizable=False, reason="It is vague.")
    with llm_server(says(reply(vague, failing))) as server:
        formalizer = LiteLlmFormalizer(connect(server))
        draft = formalizer.formalize(text_of(span, sentences), PolicyModel(), cancelled=never)
    keep_unit(span, sentences, draft)
    first, second = Statement.objects.all()
    assert histories_of(first.unit, [first]) == []
    (history,) = histories_of(second.unit, [second])
    assert history.name == "members-fee"
    assert len(history.written) == 2
    assert Rule.objects.get().name == "full-fee"


EITHER = "Bring either a passport or a student card."
CARDS = [variable("passport"), variable("card"), variable("mayCollect", role="outcome")]
OR = rule("cards", "(=> mayCollect (or passport card))")
XOR = "(=> mayCollect (xor passport card))"


@pytest.mark.django_db(transaction=True)
def test_what_the_words_leave_open_becomes_a_question_with_both_readings(policy) -> None:
    add_document(policy, f"{EITHER}\n")
    span = Span.objects.select_related("revision__document__policy").get()
    sentences = open_sentences(span, "somebody")
    said = statement(
        1, EITHER, variables=CARDS, rules=[OR], open=[left_open("cards", XOR, "Are both fine?")]
    )
    with llm_server(says(reply(said))) as server:
        formalizer = LiteLlmFormalizer(connect(server))
        draft = formalizer.formalize(text_of(span, sentences), PolicyModel(), cancelled=never)
    assert draft.run.rounds == 1
    assert draft.statements[0].reason == ""
    keep_unit(span, sentences, draft)
    question = Question.objects.get()
    assert (question.kind, question.text) == ("reading", "The model asks: Are both fine?")
    assert question.rule == Rule.objects.get()
    assert [one["label"] for one in question.readings] == ["as the rule says", "the other way"]
    assert question.readings[0]["term"] == question.rule.term
    assert question.readings[1]["term"] != question.rule.term


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        (left_open("other", XOR), "the sentence has no rule of that name"),
        (left_open("cards", "(=> mayCollect (xor passport crad))"), "`crad` is not declared"),
        (left_open("cards", OR["smtlib"]), "its other reading says the same as the rule"),
        (left_open("cards", "true"), "it says the same whatever the case is"),
        (left_open("cards", XOR, "?" * 301), "its `question` has more than 300 characters"),
        (left_open("cards", XOR, " \n "), "its `question` is empty"),
    ],
)
def test_a_question_that_is_wrong_is_refused_with_its_cause(
    wrong: dict[str, str], cause: str
) -> None:
    first = statement(1, EITHER, variables=CARDS, rules=[OR], open=[wrong])
    second = statement(1, EITHER, open=[left_open("cards", XOR)])
    draft, server = rounds(reply(first), reply(second), texts=(EITHER,))
    back = sent_back(server, 2)[0]
    assert back["piece"] == "question"
    assert cause in back["problem"]
    assert len(draft.rules) == 1
    if wrong["rule"] == "cards":
        assert len(draft.questions) == 1
        assert draft.statements[0].state is StatementState.FORMALIZED


def test_one_thing_is_asked_of_a_rule_and_a_rule_sent_again_speaks_for_itself() -> None:
    twice = [left_open("cards", XOR), left_open("cards", "(=> mayCollect (and passport card))")]
    first = statement(1, EITHER, variables=CARDS, rules=[OR], open=twice)
    again = statement(1, EITHER, rules=[rule("cards", XOR)])
    draft, server = rounds(reply(first), reply(again), texts=(EITHER,))
    assert "the rule has a question already" in sent_back(server, 2)[0]["problem"]
    assert printed(draft) == [XOR]
    assert draft.questions == ()
    assert draft.statements[0].state is StatementState.FORMALIZED


def test_a_reply_that_says_nothing_of_what_is_open_leaves_nothing_open() -> None:
    said = statement(1, EITHER, variables=CARDS, rules=[OR])
    del said["open"]
    draft, server = rounds(reply(said), texts=(EITHER,))
    assert len(server.requests) == 1
    sent = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert "open" in sent["properties"]["statements"]["items"]["required"]
    assert draft.questions == ()
