"""What is asked once of a rule or declaration that is typed well: a bare fact, no `OTHER`, units.

Every reply is hand-written.
"""

from __future__ import annotations

import pytest

from policies.models.draft import StatementState
from policywright.model import Kind, PolicyModel
from tests.llm_server import llm_server, says
from tests.translation.conftest import span_of
from tests.translation.replies import formalize, printed, reply, rule, statement, variable
from translation.assembling import assemble
from translation.doubts import ALWAYS_TRUE, NO_OTHER, UNCONDITIONAL, doubts
from translation.pieces import Piece

TEXT = "Drivers must hold a licence."
VARIABLES = [
    variable("isDriver"),
    variable("licenceHeld"),
    variable("hours", "Int", unit="hours"),
    variable("days", "Int", unit="days"),
    variable("dueEur", "Real", "outcome", "EUR"),
    variable("priceEur", "Real", "fact", "EUR"),
    variable("paidUsd", "Real", "fact", "USD"),
    variable("ratePercent", "Real", "fact", "percent"),
    variable("rateShare", "Real", "fact", "share"),
    variable("isNight", role="derived"),
    variable("complies", role="outcome"),
]


def asked_of(smtlib: str) -> str:
    pieces = [Piece("variable", one, (0,)) for one in VARIABLES]
    made_rule = Piece("rule", rule("r", smtlib), (0,))
    made = assemble([*pieces, made_rule], PolicyModel())
    assert made.refused == {}
    return doubts([*pieces, made_rule], made).get(made_rule, "")


@pytest.mark.parametrize(
    "smtlib",
    [
        "licenceHeld", "(not licenceHeld)", "(= hours 5)", "(>= hours 0)", "(= licenceHeld true)",
        "(=> isDriver licenceHeld)", "(=> isDriver (= hours 8))", "(or isDriver licenceHeld)",
        "(and (=> isDriver complies) licenceHeld)", "(=> isNight licenceHeld)",
        "(=> isDriver (=> isNight licenceHeld))", "(xor isDriver licenceHeld)",
    ],
)  # fmt: skip
def test_fr_71_what_only_says_how_things_are_is_asked_about(smtlib: str) -> None:
    assert asked_of(smtlib) == ALWAYS_TRUE


@pytest.mark.parametrize(
    "smtlib", ["complies", "(not complies)", "(= complies true)", "(and isNightOnly complies)"]
)
def test_fr_71_an_outcome_for_every_case_is_asked_about(smtlib: str) -> None:
    assert UNCONDITIONAL in asked_of(smtlib.replace("isNightOnly", "(=> isDriver complies)"))


@pytest.mark.parametrize(
    "smtlib",
    [
        "(=> (and isDriver (not licenceHeld)) (not complies))", "(=> complies licenceHeld)",
        "(=> complies (=> isDriver licenceHeld))", "(= complies licenceHeld)", "(= dueEur 10)",
        "(=> isDriver (= dueEur 10))", "(= isNight (>= hours 22))", "(=> (>= hours 22) isNight)",
        "(=> (not isDriver) (not isNight))", "(= dueEur (* 0.075 priceEur))",
        "(=> (> (* 24 days) hours) complies)", "(=> (= (/ ratePercent 100) rateShare) complies)",
    ],
)  # fmt: skip
def test_what_decides_something_is_not_asked_about(smtlib: str) -> None:
    assert asked_of(smtlib) == ""


@pytest.mark.parametrize(
    ("smtlib", "units"),
    [
        ("(=> (> hours days) complies)", "an amount in hours and an amount in days"),
        ("(=> (> dueEur paidUsd) complies)", "an amount in EUR and an amount in USD"),
        ("(=> (> ratePercent rateShare) complies)", "an amount in percent and a share"),
    ],
)
def test_fr_66_amounts_in_two_units_are_asked_about(smtlib: str, units: str) -> None:
    assert asked_of(smtlib).startswith(f"compares {units}; ")


def one_rule(smtlib: str, name: str = "licence", **parts: object) -> dict[str, object]:
    return reply(statement(1, TEXT, variables=VARIABLES, rules=[rule(name, smtlib)], **parts))


DUTY = "(=> (and isDriver (not licenceHeld)) (not complies))"


@pytest.mark.parametrize("name", ["licence", "duty-of-licence"])
def test_fr_71_a_fact_that_was_a_duty_is_replaced_by_the_answer(name: str) -> None:
    answer = reply(statement(1, TEXT, rules=[rule(name, DUTY)]))
    with llm_server(says(one_rule("licenceHeld")), says(answer)) as server:
        draft = formalize(server, span_of(TEXT))
        sent = server.requests[1]["messages"][-1]["content"]
    assert '"is_question": true' in sent
    assert "is this always true, or a duty that someone can break?" in sent
    assert printed(draft) == [DUTY]
    assert (draft.statements[0].state, draft.statements[0].reason) == (
        StatementState.FORMALIZED,
        "",
    )
    assert draft.run.rounds == 2


@pytest.mark.parametrize("again", [one_rule("licenceHeld"), reply(), "no"])
def test_fr_71_what_the_model_stands_by_is_kept_with_a_remark(again: object) -> None:
    with llm_server(says(one_rule("licenceHeld")), says(again)) as server:
        draft = formalize(server, span_of(TEXT))
        assert len(server.requests) <= 3
    assert printed(draft) == ["licenceHeld"]
    assert draft.statements[0].state is StatementState.FORMALIZED
    assert draft.statements[0].reason == f"rule `licence` licenceHeld: {ALWAYS_TRUE}"


def test_a_doubted_rule_stays_where_the_answer_is_worse() -> None:
    with llm_server(says(one_rule("licenceHeld")), says(one_rule("(nonsense)"))) as server:
        draft = formalize(server, span_of(TEXT))
    assert printed(draft) == ["licenceHeld"]
    assert "`nonsense`" in draft.statements[0].reason
    assert draft.statements[0].state is StatementState.FAILED


def test_a_question_is_asked_once_while_other_things_are_mended() -> None:
    first = reply(
        statement(
            1,
            TEXT,
            variables=VARIABLES,
            rules=[rule("fact", "licenceHeld"), rule("duty", "(not complie)")],
        )
    )
    second = reply(statement(1, TEXT, rules=[rule("fact", "licenceHeld"), rule("duty", DUTY)]))
    with llm_server(says(first), says(second)) as server:
        draft = formalize(server, span_of(TEXT))
        assert len(server.requests) == 2
    assert sorted(printed(draft)) == [DUTY, "licenceHeld"]
    assert draft.statements[0].reason.startswith("rule `fact`")


def seasons(*values: str) -> list[dict[str, object]]:
    listed = [{"name": value, "phrase": value.lower()} for value in values]
    return [{"name": "Season", "description": "", "values": listed}]


SEASONAL = [variable("season", "Season"), variable("complies", role="outcome")]
LOW = rule("low", "(=> (= season LOW) complies)")


def test_fr_75_a_list_without_other_is_asked_about_and_mended() -> None:
    first = statement(1, TEXT, datatypes=seasons("LOW", "HIGH"), variables=SEASONAL, rules=[LOW])
    second = statement(1, TEXT, datatypes=seasons("LOW", "HIGH", "OTHER"))
    with llm_server(says(reply(first)), says(reply(second))) as server:
        draft = formalize(server, span_of(TEXT))
        assert NO_OTHER in server.requests[1]["messages"][-1]["content"]
    assert [value.name for value in draft.datatypes[0].values] == ["LOW", "HIGH", "OTHER"]
    assert printed(draft) == ["(=> (= season LOW) complies)"]
    assert draft.statements[0].reason == ""


def test_fr_75_a_list_that_is_whole_is_kept_with_a_remark() -> None:
    said = statement(1, TEXT, datatypes=seasons("LOW", "HIGH"), variables=SEASONAL, rules=[LOW])
    with llm_server(says(reply(said))) as server:
        draft = formalize(server, span_of(TEXT))
        assert len(server.requests) == 2
    assert len(draft.rules) == 1
    assert draft.statements[0].reason == f"datatype `Season`: {NO_OTHER}"


@pytest.mark.parametrize("last", ["OTHER", "SEASON_OTHER", "NONE_OF_THESE", "other"])
def test_fr_75_a_list_with_a_value_for_the_rest_is_not_asked_about(last: str) -> None:
    said = statement(
        1, TEXT, datatypes=seasons("LOW", "HIGH", last), variables=SEASONAL, rules=[LOW]
    )
    with llm_server(says(reply(said))) as server:
        assert formalize(server, span_of(TEXT)).run.rounds == 1


def test_a_definition_is_one_still() -> None:
    with llm_server(says(one_rule("(= isNight (>= hours 22))"))) as server:
        draft = formalize(server, span_of(TEXT))
    assert draft.rules[0].kind is Kind.DEFINITION
    assert draft.run.rounds == 1
