"""Three meanings of one text: `evaluate`, Z3 through our session, and cvc5 reading our print."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policywright.evaluate import Value, holds
from policywright.model import PolicyModel, Rule
from policywright.smtlib import print_model
from policywright.solver import Session, Status, compiled
from policywright.terms import Literal, Term, eq
from tests.policywright.generated import BASE, assignments, terms
from tests.policywright.solvers import cvc5_answer

RLIMIT = 300_000
LIMIT_MS = 150

small_models = st.lists(terms(), min_size=1, max_size=3)


def check_agreement(rules: list[Term], values: dict[str, Value], tally: Counter[str]) -> None:
    """All three give one case one truth; solvers agree on the rules, and witnesses replay."""
    fixed = [eq(v.symbol, Literal(values[v.id], v.sort)) for v in BASE.variables]
    expected = "sat" if all(holds(rule, values, BASE) for rule in rules) else "unsat"
    model = with_rules(rules)
    numbers = range(len(rules))
    session = Session(compiled(model), numbers, fixed, rlimit=RLIMIT)
    ours = session.check([*numbers, *session.added])
    theirs = cvc5_answer(print_model(with_rules([*rules, *fixed])), limit_ms=LIMIT_MS)
    assert {ours.value, theirs} <= {expected, "unknown"}
    tally["case undecided" if "unknown" in (ours.value, theirs) else "case agreed"] += 1

    ours = session.check(numbers)
    if ours is Status.SAT and (witness := session.witness()).exact:
        assert all(holds(rule, witness.assignment(), BASE) for rule in rules)
        tally["witness replayed"] += 1
    theirs = cvc5_answer(print_model(model), limit_ms=LIMIT_MS)
    if "unknown" in (ours.value, theirs):
        tally["rules undecided"] += 1
    else:
        assert ours.value == theirs
        tally[f"rules {theirs}"] += 1


def with_rules(asserted: list[Term]) -> PolicyModel:
    return BASE.with_rules([Rule(f"r{i}", f"rule {i}", term) for i, term in enumerate(asserted)])


def run(examples: int) -> Counter[str]:
    tally: Counter[str] = Counter()

    @given(small_models, assignments())
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    def agree(rules: list[Term], values: dict[str, Value]) -> None:
        check_agreement(rules, values, tally)

    agree()
    return tally


def test_evaluate_z3_and_cvc5_agree_on_small_models() -> None:
    tally = run(60)
    assert tally["case agreed"] >= 50
    assert tally["rules sat"]


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_evaluate_z3_and_cvc5_agree_on_ten_thousand_small_models() -> None:
    tally = run(10_000)
    print(dict(sorted(tally.items())))
    assert tally["case agreed"] >= 9_500
    assert tally["rules unsat"] > 100
    assert tally["witness replayed"] > 1_000
