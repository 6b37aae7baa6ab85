"""A rule taken apart says the same; rules that say the same are found."""

from __future__ import annotations

import pytest

from policywright.checks import equivalent
from policywright.model import Kind, PolicyModel, Rule, Variable
from policywright.solver import Status, ask
from policywright.sorts import BOOL
from policywright.terms import Term, and_, eq, implies, not_, or_
from translation.merging.duplicates import duplicates
from translation.merging.splitting import parts_of

A, B, C, D = (Variable(name, name, BOOL) for name in "abcd")
MODEL = PolicyModel(variables=(A, B, C, D))
a, b, c, d = (variable.symbol for variable in (A, B, C, D))


@pytest.mark.parametrize(
    ("term", "parts"),
    [
        (and_(a, b), [a, b]),
        (implies(a, and_(b, c)), [implies(a, b), implies(a, c)]),
        (implies(or_(a, b), c), [implies(a, c), implies(b, c)]),
        (eq(a, b), [implies(b, a), implies(a, b)]),
        (implies(and_(a, b), c), [implies(and_(a, b), c)]),
        (not_(a), [not_(a)]),
    ],
)
def test_the_parts_together_say_what_the_rule_said(term: Term, parts: list[Term]) -> None:
    assert list(parts_of(term)) == parts
    assert ask(MODEL, equivalent(term, and_(*parts))) is Status.UNSAT


def test_rules_of_one_normal_form_are_duplicates_and_other_kinds_are_not() -> None:
    rules = (
        Rule("1", "one", implies(a, b)),
        Rule("2", "two", implies(not_(not_(a)), b)),
        Rule("3", "three", implies(a, b), Kind.ASSUMPTION),
        Rule("4", "four", implies(a, c)),
    )
    assert [[rule.id for rule in group] for group in duplicates(rules)] == [["1", "2"]]
