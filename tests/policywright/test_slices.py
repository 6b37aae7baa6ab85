"""Slices, lazy sessions and kept solvers give what the whole policy gives, in any order."""

from __future__ import annotations

import random

import pytest

from policywright.findings import Finding, WarmChecker, check_claim
from policywright.findings.check import Check
from policywright.model import PolicyModel
from policywright.smtlib import Answer, read, read_term
from policywright.smtlib.reader import read_facts
from policywright.solver import LazySession, Session, compiled
from policywright.terms import not_
from tests.policywright.synthetic import answers, policy_text


def model_and_answers(shared: int) -> tuple[PolicyModel, list[Answer]]:
    model = read(policy_text(30, shared=shared))
    sections = sum(rule.name.endswith("-else") for rule in model.rules)
    made = []
    for facts, claim in answers(sections, 15):
        text = "\n".join(f"(assert {fact})" for fact in facts)
        made.append(Answer(read_facts(text, model), read_term(claim, model)))
    return model, made


def in_session(model: PolicyModel, answer: Answer, kind: type[Session]) -> Finding:
    """The finding from a session over every rule of the policy."""
    terms = [*(fact.term for fact in answer.facts), answer.claim, not_(answer.claim)]
    everything = range(len(model.rules))
    session = kind(compiled(model), tuple(everything), terms, rlimit=10_000_000)
    return Check(model, answer.facts, answer.claim, session, session.added).finding()


def proof(finding: Finding) -> tuple[object, ...]:
    return (finding.kind, finding.rules, finding.facts)


@pytest.mark.parametrize("shared", [0, 2])
def test_a_slice_gives_what_the_whole_policy_gives(shared: int) -> None:
    model, asked = model_and_answers(shared)
    for answer in asked:
        sliced = check_claim(model, answer.facts, answer.claim)
        whole = in_session(model, answer, Session)
        assert proof(sliced) == proof(whole)
        # Several smallest sets may exist; which one is shown depends on the first case found.
        assert len(sliced.depends_on) == len(whole.depends_on)
        assert sliced.silent == whole.silent
    assert len({check_claim(model, a.facts, a.claim).kind for a in asked}) == 4


@pytest.mark.parametrize("shared", [0, 2])
def test_a_lazy_session_gives_what_the_whole_policy_gives(shared: int) -> None:
    model, asked = model_and_answers(shared)
    for answer in asked:
        assert proof(in_session(model, answer, LazySession)) == proof(
            in_session(model, answer, Session)
        )


def test_a_lazy_session_loads_only_what_it_needs() -> None:
    model = read(policy_text(400, shared=1))
    term = read_term("granted5", model)
    session = LazySession(compiled(model), range(len(model.rules)), [term], rlimit=10_000_000)
    session.check([*session.rules, *session.added])
    assert not session.is_whole
    assert len(session.loaded) < 40


def test_kept_solvers_settle_the_same_in_any_order() -> None:
    model, asked = model_and_answers(0)
    expected = {id(a): proof(check_claim(model, a.facts, a.claim)) for a in asked}
    checker = WarmChecker(model)
    for seed in range(3):
        shuffled = random.Random(seed).sample(asked, len(asked))
        for answer, finding in zip(shuffled, checker.check_all(shuffled), strict=True):
            assert proof(finding) == expected[id(answer)]


def test_what_a_person_is_shown_does_not_depend_on_earlier_questions() -> None:
    model, asked = model_and_answers(0)
    first = [check_claim(model, a.facts, a.claim) for a in asked]
    for seed in range(2):
        order = random.Random(seed).sample(range(len(asked)), len(asked))
        for i in order:
            again = check_claim(model, asked[i].facts, asked[i].claim)
            assert again == first[i]


def test_rules_that_share_nothing_with_the_question_have_no_part_in_it() -> None:
    model = read(
        "(declare-const a Int)\n(declare-const b Bool)\n(declare-const c Bool)\n"
        "(assert (! (> a 5) :named high))\n(assert (! (< a 3) :named low))\n"
        "(assert (! (=> b c) :named elsewhere))"
    )
    answer = Answer(read_facts("(assert b)", model), read_term("c", model))
    assert proof(check_claim(model, answer.facts, answer.claim))[:2] == ("VALID", ("elsewhere",))
    clash = check_claim(model, (), read_term("(= a 4)", model))
    assert (clash.kind, clash.rules, clash.rules_clash) == ("IMPOSSIBLE", ("high", "low"), True)


def test_a_rule_that_is_false_by_itself_spoils_every_question() -> None:
    model = read("(declare-const b Bool)\n(assert (! (< 3 2) :named wrong))\n(assert b)")
    finding = check_claim(model, (), read_term("b", model))
    assert (finding.kind, finding.rules) == ("IMPOSSIBLE", ("wrong",))
