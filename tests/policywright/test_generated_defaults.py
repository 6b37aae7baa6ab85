"""Generated closed worlds on the gold policies, and that none contradicts its own rules."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policywright.checks import equivalent
from policywright.defaults import generate_default
from policywright.errors import DefaultNotPossibleError
from policywright.evaluate import holds
from policywright.model import DefaultChoice, PolicyModel, Role, Rule, Variable
from policywright.smtlib import print_term, read
from policywright.solver import Status, ask
from policywright.sorts import BOOL
from policywright.terms import Term, and_, eq, implies, not_, or_
from tests.policywright.shared import shared

GOLD = [
    ("travel", "tripApproved", "approved unless forbidden", "assume-closed-world"),
    ("us-denied-boarding", "eligible", "approved unless forbidden", "entitlement"),
    ("eu-cancellation", "rightToCompensation", "approved unless forbidden", "a5-1-c"),
    ("reg-e-liability", "mayBeLiable", "approved unless forbidden", "assume-a-sufficient"),
    ("dc-sick-leave", "mayUseLeave", "refused unless granted", "c1-not-before"),
]


@pytest.mark.parametrize(("policy", "outcome", "choice", "written"), GOLD)
def test_a_closed_world_that_somebody_wrote_is_generated_from_the_other_rules(
    policy: str, outcome: str, choice: str, written: str
) -> None:
    model = read(shared("corpus", "gold", f"{policy}.smt2").read_text())
    by_hand = next(rule for rule in model.rules if rule.name == written)
    rest = model.with_rules([rule for rule in model.rules if rule is not by_hand])
    made = generate_default(rest, outcome, DefaultChoice(choice))
    assert ask(model, equivalent(made.term, by_hand.term)) is Status.UNSAT
    assert made.rests_on


def test_the_refund_of_the_gold_airline_policy_is_decided_by_every_clause_that_refuses_it() -> None:
    text = shared("corpus", "gold", "airline-refund.smt2").read_text()
    text = text.replace(
        "(declare-const travelled", '; variable: {"role": "fact"}\n(declare-const travelled'
    )
    made = generate_default(read(text), "refundEligible", DefaultChoice.APPROVED)
    assert made.rests_on == ("c1-not-travelled", "c4-travelled", "c5-deadline")
    made = generate_default(read(text), "refundEligible", DefaultChoice.REFUSED)
    assert made.rests_on == ("c2-cancelled", "c3-delayed", "c6-denied-boarding", "c7-death")


DECLARED = """
; variable: {"role": "fact"}
(declare-const a Bool)
; variable: {"role": "fact"}
(declare-const b Bool)
; variable: {"role": "fact"}
(declare-const fee Real)
; variable: {"role": "outcome"}
(declare-const x Bool)
; variable: {"role": "derived"}
(declare-const due Real)
"""


def closed_world(rule: str, choice: DefaultChoice = DefaultChoice.APPROVED) -> str:
    model = read(f"{DECLARED}(assert (! {rule} :named r))")
    return print_term(model, generate_default(model, "x", choice).term)


@pytest.mark.parametrize(
    ("rule", "term"),
    [
        ("(=> (and x a) b)", "(=> (not (and a (not b))) x)"),
        ("(=> (and a x) (and b (> fee 1)))",
         "(=> (not (or (and a (not b)) (and a (<= fee 1.0)))) x)"),
        ("(=> (not x) b)", "x"),
        ("(=> (and x a) (= due fee))", "x"),
        ("(=> a (and (not x) (= due 0)))", "(=> (not a) x)"),
    ],
)  # fmt: skip
def test_an_outcome_among_conditions_is_forbidden_where_the_rest_would_fail(
    rule: str, term: str
) -> None:
    assert closed_world(rule) == term


def test_a_denied_outcome_among_conditions_is_granted_where_the_rest_would_fail() -> None:
    assert closed_world("(=> (not x) b)", DefaultChoice.REFUSED) == "(=> b (not x))"


@pytest.mark.parametrize("rule", ["(=> (or x a) b)", "(=> (and a (or x b)) (> fee 1))"])
def test_an_outcome_deep_in_a_condition_is_refused_by_name(rule: str) -> None:
    with pytest.raises(DefaultNotPossibleError, match="rule `r` decides `x`"):
        closed_world(rule)


def test_a_definition_that_speaks_of_the_outcome_is_not_overlooked() -> None:
    model = read(f"{DECLARED}(define-fun d () Bool (not x))\n(assert (! (=> a d) :named r))")
    with pytest.raises(DefaultNotPossibleError, match="rule `r`"):
        generate_default(model, "x", DefaultChoice.APPROVED)


FACTS = tuple(Variable(name, name, BOOL) for name in "abc")
OUTCOME = Variable("x", "x", BOOL, Role.OUTCOME)
MODEL = PolicyModel(variables=(*FACTS, OUTCOME))

literals = st.sampled_from([v.symbol for v in (*FACTS, OUTCOME)]).flatmap(
    lambda symbol: st.sampled_from([symbol, not_(symbol)])
)
conditions = st.recursive(
    literals,
    lambda inner: st.builds(lambda join, parts: join(*parts), st.sampled_from([and_, or_]),
                            st.lists(inner, min_size=2, max_size=3)),
    max_leaves=4,
)  # fmt: skip
rules = st.one_of(
    st.builds(implies, conditions, conditions),
    st.builds(eq, literals, conditions),
    conditions,
)


@given(st.lists(rules, min_size=1, max_size=3), st.sampled_from(DefaultChoice))
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_default_contradicts_what_its_rules_leave_possible(
    written: list[Term], choice: DefaultChoice
) -> None:
    model = MODEL.with_rules([Rule(f"r{i}", f"r{i}", term) for i, term in enumerate(written)])
    try:
        default = generate_default(model, "x", choice).term
    except DefaultNotPossibleError:
        return
    for case in product([False, True], repeat=3):
        values = dict(zip("abc", case, strict=True))
        possible = [
            x
            for x in (False, True)
            if all(holds(rule, values | {"x": x}, model) for rule in written)
        ]
        kept = [x for x in possible if holds(default, values | {"x": x}, model)]
        assert kept or not possible
        if len(possible) == 2 and choice is not DefaultChoice.OPEN:
            assert kept == [choice is DefaultChoice.APPROVED]
