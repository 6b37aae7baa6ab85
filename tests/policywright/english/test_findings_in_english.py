"""Findings and differences as sentences that a person without logic can act on."""

from __future__ import annotations

from fractions import Fraction

import pytest

from policywright.english.differences import Decision, DifferenceKind, render_difference
from policywright.english.findings import render_finding
from policywright.evaluate import Value
from policywright.findings import check_claim
from policywright.model import Datatype, Phrases, PolicyModel, Role, Rule, Source, Variable
from policywright.model import Value as DatatypeValue
from policywright.smtlib import Answer
from policywright.smtlib.reader import read_facts, read_term
from policywright.solver import DEFAULT_RLIMIT
from policywright.sorts import BOOL, INT, REAL

PLACE = Datatype("place", "Place", (DatatypeValue("h", "home"), DatatypeValue("a", "abroad")))
DECLARED = PolicyModel(
    (PLACE,),
    (
        Variable("c", "cost", REAL, unit="EUR", phrases=Phrases("the cost of the course")),
        Variable("p", "place", PLACE.sort, phrases=Phrases("the place")),
        Variable("l", "lead", BOOL, phrases=Phrases("the team lead has agreed")),
        Variable("m", "months", INT, unit="months", phrases=Phrases("time in the job")),
        Variable("n", "n", INT, phrases=Phrases("the number of courses")),
        Variable("o", "paid", BOOL, Role.OUTCOME, phrases=Phrases("the course is paid for")),
        Variable("b", "book", BOOL, Role.OUTCOME, phrases=Phrases("a hotel may be booked")),
        Variable("q", "due", BOOL, Role.OUTCOME, phrases=Phrases("the bonus is due")),
    ),
)
QUOTE = Source("Courses", "1", 0, 9, "Courses over EUR 500 need the team lead's agreement.")


def _rule(name: str, term: str, *sources: Source) -> Rule:
    return Rule(name, name, read_term(term, DECLARED), sources=sources)


MODEL = DECLARED.with_rules(
    [
        _rule("cost-rule", "(=> (and (> cost 500.0) (not lead)) (not paid))", QUOTE),
        _rule("months-rule", "(=> (and (= place abroad) (< months 6)) (not paid))"),
        _rule("else", "(=> (not (or (and (> cost 500.0) (not lead))"
              " (and (= place abroad) (< months 6)))) paid)"),
        _rule("hotel", "(= book paid)"),
    ]
)  # fmt: skip
CHEAP = "(assert (= cost 100.0))(assert (= lead true))"


def _said(facts: str, claim: str) -> str:
    answer = Answer(read_facts(facts, MODEL), read_term(claim, MODEL))
    finding = check_claim(MODEL, answer.facts, answer.claim, rlimit=DEFAULT_RLIMIT)
    return f"{finding.kind}: {render_finding(MODEL, answer, finding)}"


@pytest.mark.parametrize(
    ("facts", "claim", "said"),
    [
        (
            "(assert (= cost 900.0))(assert (not lead))",
            "paid",
            "INVALID: The course cannot be paid for: the cost of the course is EUR 900 and the "
            "team lead has not agreed. Rule: cost-rule, 'Courses over EUR 500 need the team lead's "
            "agreement.'",
        ),
        (
            "(assert (= cost 900.0))(assert (not lead))",
            "book",
            "INVALID: It is ruled out that a hotel may be booked: the cost of the course is EUR "
            "900 and the team lead has not agreed. Rules: cost-rule, 'Courses over EUR 500 need "
            "the team lead's agreement.'; hotel.",
        ),
        (
            CHEAP + "(assert (= place home))",
            "paid",
            "VALID: It follows that the course is paid for: the team lead has agreed and the place "
            "is home. Rule: else.",
        ),
        (
            "",
            "(or (not book) paid)",
            "VALID: It follows that a hotel may not be booked or the course is paid for, whatever "
            "the facts. Rule: hotel.",
        ),
        (
            CHEAP + "(assert (= place abroad))",
            "paid",
            "SATISFIABLE: The policy does not decide it yet: it depends on time in the job. With 6 "
            "months the course is paid for; with 5 months it is not.",
        ),
        (
            "(assert (= months 3))(assert (= lead true))",
            "book",
            "SATISFIABLE: The policy does not decide it yet: it depends on the place. If the place "
            "is home, then a hotel may be booked; if the place is abroad, then a hotel may not be "
            "booked.",
        ),
        (
            "",
            "due",
            "SATISFIABLE: The policy does not decide whether the bonus is due; no further fact "
            "would.",
        ),
        (
            "(assert (= cost 1.0))(assert (= cost 2.0))",
            "paid",
            "IMPOSSIBLE: The facts contradict each other: the cost of the course is EUR 1 and the "
            "cost of the course is EUR 2.",
        ),
        (
            "(assert (! (and lead book (or lead book)) :named all))(assert (not paid))",
            "paid",
            "IMPOSSIBLE: The facts contradict the policy: `all` holds and the course is not paid "
            "for. Rule: hotel.",
        ),
    ],
)
def test_a_finding_says_what_was_proved_and_by_what(facts: str, claim: str, said: str) -> None:
    found = _said(facts, claim)
    note = found.find(" Note: ")
    assert found[: note if note > 0 else None] == said


CASE: dict[str, Value] = {"c": Fraction(900), "p": "a", "l": True, "m": 3}


def test_a_difference_shows_its_case_before_and_now() -> None:
    assert render_difference(
        MODEL,
        kind=DifferenceKind.NEWLY_RULED_OUT,
        case=CASE,
        outcome="o",
        before=Decision.PROVED,
        after=Decision.REFUTED,
        rules=("months-rule",),
    ) == (
        "Newly ruled out: the cost of the course is EUR 900, the place is abroad, the team lead "
        "has agreed and time in the job is 3 months. Before: the course is paid for. Now: the "
        "course is not paid for, by months-rule."
    )


def test_a_difference_without_an_outcome_is_one_of_the_case() -> None:
    said = render_difference(
        MODEL,
        kind=DifferenceKind.NEWLY_ALLOWED,
        case={"m": 0},
        outcome=None,
        before=Decision.IMPOSSIBLE,
        after=Decision.OPEN,
    )
    assert said == (
        "Newly allowed: time in the job is 0 months. Before: the policy rules the case out. "
        "Now: the policy allows the case."
    )
