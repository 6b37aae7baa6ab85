"""The edits are those that are listed, and what one makes another undoes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from policywright.model import PolicyModel
from policywright.normal import canonical, normal_form
from policywright.scenarios import EditKind, mutants_of, say_mutant
from policywright.scenarios.directions import directions
from policywright.scenarios.edits import edits
from policywright.scenarios.ground import Ground
from policywright.scenarios.mutants import groups_of, mutated
from policywright.smtlib import print_term, read
from policywright.terms import Term, fold

from .generated import models
from .shared import shared
from .solvers import z3_answer

DECLARED = """
(declare-datatype Place ((home) (abroad) (other)))
; variable: {"role": "fact", "unit": "EUR", "phrases": {"text": "the cost"}}
(declare-const cost Real)
; variable: {"role": "fact", "unit": "days", "phrases": {"text": "the notice"}}
(declare-const noticeDays Int)
; variable: {"role": "fact", "unit": "days", "phrases": {"text": "the prior notice"}}
(declare-const priorNoticeDays Int)
; variable: {"role": "fact", "phrases": {"text": "a manager has signed"}}
(declare-const signed Bool)
; variable: {"role": "fact", "phrases": {"text": "the place"}}
(declare-const place Place)
; variable: {"role": "outcome", "phrases": {"text": "the trip is approved"}}
(declare-const approved Bool)
"""


def policy(*rules: str) -> PolicyModel:
    named = (f"(assert (! {rule} :named r{n}))" for n, rule in enumerate(rules))
    return read(DECLARED + "\n".join(named))


def edited(rule: str, kind: EditKind) -> set[str]:
    model = policy(rule)
    ground = Ground(model)
    owner = model.rules[0].id
    term = ground.term(owner)
    found = (e for e in edits(term, ground, owner) if e.kind is kind)
    return {" ".join(print_term(model, e.apply(term)).split()) for e in found}


RULE = "(=> (and (> cost 1000.0) (not signed)) (not approved))"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (EditKind.COMPARISON, {
            "(=> (and (>= cost 1000.0) (not signed)) (not approved))",
            "(=> (and (< cost 1000.0) (not signed)) (not approved))"}),
        (EditKind.CONSTANT, {
            "(=> (and (> cost 1000.01) (not signed)) (not approved))",
            "(=> (and (> cost 999.99) (not signed)) (not approved))"}),
        (EditKind.DROPPED, {
            "(=> (> cost 1000.0) (not approved))", "(=> (not signed) (not approved))"}),
        (EditKind.NEGATED, {
            "(=> (and (<= cost 1000.0) (not signed)) (not approved))",
            "(=> (and (> cost 1000.0) signed) (not approved))",
            "(=> (not (and (> cost 1000.0) (not signed))) (not approved))"}),
        (EditKind.JOINED, {"(=> (or (> cost 1000.0) (not signed)) (not approved))"}),
        (EditKind.CONCLUSION, {"(=> (and (> cost 1000.0) (not signed)) approved)"}),
        (EditKind.DIRECTION, {
            "(=> (not approved) (and (> cost 1000.0) (not signed)))",
            "(= (and (> cost 1000.0) (not signed)) (not approved))"}),
        (EditKind.LEFT_OUT, {"true"}),
    ],
)  # fmt: skip
def test_a_rule_has_the_edits_of_each_kind(kind: EditKind, expected: set[str]) -> None:
    assert edited(RULE, kind) == expected


def test_every_other_value_and_like_named_variable_is_tried() -> None:
    assert edited("(=> (= place home) approved)", EditKind.VALUE) == {
        "(=> (= place abroad) approved)",
        "(=> (= place other) approved)",
    }
    assert edited("(=> (> noticeDays 3) approved)", EditKind.VARIABLE) == {
        "(=> (> priorNoticeDays 3) approved)"
    }


def test_conditions_alternatives_and_exceptions_are_added_from_the_policy_s_own() -> None:
    model = policy("(=> signed approved)", "(=> (< noticeDays 3) (not approved))")
    first = [g for g in groups_of(model) if g.owner == model.rules[0].id]
    found = {
        (m.kind, " ".join(print_term(model, c[0]).split()))
        for m, c in zip(first[0].mutants, first[0].changed, strict=True)
    }
    assert (EditKind.ADDED, "(=> (and signed (< noticeDays 3)) approved)") in found
    assert (EditKind.ALTERNATIVE, "(=> (or signed (< noticeDays 3)) approved)") in found
    assert (EditKind.EXCEPTION, "(=> (and signed (>= noticeDays 3)) approved)") in found


def unordered(term: Term) -> Any:
    """The normal form without the order of what is joined or equated."""
    data = canonical(normal_form(term))

    def sort(node: Any) -> Any:
        if not isinstance(node, list):
            return node
        parts = [sort(one) for one in node]
        if parts[0] in ("and", "or", "="):
            parts[1:] = sorted(parts[1:], key=json.dumps)
        return parts

    return json.dumps(sort(data))


def assert_closed(model: PolicyModel) -> None:
    ground = Ground(model)
    for rule in model.rules:
        before = ground.term(rule.id)
        every = [e for e in edits(before, ground, rule.id) if e.kind is not EditKind.LEFT_OUT]
        for edit in every[:: 1 + len(every) // 12]:
            after = edit.apply(before)
            back = {unordered(e.apply(after)) for e in edits(after, ground, rule.id)}
            assert unordered(before) in back, (edit, print_term(model, after))


@pytest.mark.parametrize("name", ["travel", "park", "dc-sick-leave"])
def test_what_an_edit_makes_an_edit_undoes(name: str) -> None:
    text = shared("corpus", "gold", f"{name}.smt2").read_text(encoding="utf-8")
    assert_closed(read(text))


def test_an_edit_of_a_definition_applies_wherever_it_is_used() -> None:
    model = read(
        DECLARED
        + """(define-fun dear () Bool (> cost 1000.0))
        (assert (! (=> (and dear (not signed)) (not approved)) :named a))
        (assert (! (=> (not dear) approved) :named b))"""
    )
    group = next(groups_of(model))
    assert group.rules == (0, 1)
    at_least = next(i for i, m in enumerate(group.mutants) if m.kind is EditKind.COMPARISON)
    new = mutated(model, group, group.mutants[at_least])
    assert [" ".join(print_term(new, r.term).split()) for r in new.rules] == [
        "(=> (and (>= cost 1000.0) (not signed)) (not approved))",
        "(=> (not (>= cost 1000.0)) approved)",
    ]


def test_the_edits_are_the_same_each_time() -> None:
    assert mutants_of(policy(RULE)) == mutants_of(policy(RULE))


@pytest.mark.parametrize("name", ["travel", "reg-e-liability", "conference-tickets"])
def test_every_edit_is_said_in_english_of_its_own(name: str) -> None:
    model = read(shared("corpus", "gold", f"{name}.smt2").read_text(encoding="utf-8"))
    ground = Ground(model)
    said = [say_mutant(model, mutant, ground) for mutant in mutants_of(model)]
    assert all(text.startswith("In `") and text.endswith(".") for text in said)
    assert len(set(said)) > 0.8 * len(said)


def test_at_least_instead_of_more_than() -> None:
    model = policy(RULE)
    said = [say_mutant(model, m) for m in mutants_of(model)]
    assert (
        "In `r0`: 'at least' instead of 'more than', where it says that the cost is "
        in said[next(i for i, m in enumerate(mutants_of(model)) if m.kind is EditKind.COMPARISON)]
    )
    assert "In `r0`: 'EUR 999.99' instead of 'EUR 1,000' for `cost`." in said


@settings(max_examples=20, deadline=None)
@given(models())
def test_an_edit_that_cannot_rule_out_more_does_not(model: PolicyModel) -> None:
    ground = Ground(model)
    for rule in model.rules[:1]:
        before = ground.term(rule.id)
        if fold(before, lambda _, below: 1 + sum(below)) > 15:
            return
        for edit in list(edits(before, ground, rule.id))[:40]:
            after = edit.apply(before)
            for may, (one, other) in zip(
                directions(before, edit), ((before, after), (after, before)), strict=True
            ):
                if not may:
                    assert _implies(model, one, other), edit


def _implies(model: PolicyModel, one: Term, other: Term) -> bool:
    from policywright.model import Rule
    from policywright.smtlib import print_model
    from policywright.terms import not_

    rules = (Rule("a", "rule a", one), Rule("b", "rule b", not_(other)))
    return z3_answer(print_model(model.with_rules(rules))) != "sat"
