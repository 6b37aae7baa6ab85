"""The playground: what follows of every outcome, and which further fact matters most."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from policywright.evaluate import Value, holds
from policywright.findings import FindingKind, check_claim
from policywright.findings.conditions import equals
from policywright.model import PolicyModel, Role, Rule, Variable
from policywright.playground import (
    Edge,
    Played,
    State,
    played_from_json,
    played_to_json,
)
from policywright.playground.order import outcomes_in_order
from policywright.playground.play import play
from policywright.smtlib import Fact, print_model, read
from policywright.solver import compiled
from policywright.sorts import BOOL, INT
from policywright.terms import Symbol, Term, and_, eq, ge, implies, integer, le, lt, not_, or_
from tests.policywright.generated import BASE, SEASON, assignments, models
from tests.policywright.synthetic import policy_text

TRAVEL = """
(declare-datatype Trip ((domestic) (international)))
; variable: {"role": "fact", "unit": "EUR", "phrases": {"text": "the cost"}}
(declare-const cost Real)
; variable: {"role": "fact"}
(declare-const trip Trip)
; variable: {"role": "fact"}
(declare-const signed Bool)
; variable: {"role": "fact"}
(declare-const nights Int)
; variable: {"role": "outcome"}
(declare-const allowed Bool)
; variable: {"role": "outcome", "unit": "EUR"}
(declare-const allowance Real)
; variable: {"role": "outcome"}
(declare-const insured Bool)
(assert (! (=> (and (> cost 1000) (not signed)) (not allowed)) :named dear))
(assert (! (=> (= trip international) (not allowed)) :named abroad))
(assert (! (=> (and (<= cost 1000) (= trip domestic)) allowed) :named cheap))
(assert (! (= allowance (ite (= trip international) 50.0 20.0)) :named daily))
; kind: assumption
(assert (! (>= cost 0) :named range))
"""


def policy(text: str = TRAVEL) -> PolicyModel:
    return read(text)


def of(played: Played, name: str) -> tuple[State, Value | None, tuple[str, ...]]:
    found = next(one for one in played.outcomes if one.variable == name)
    return found.state, found.value, found.rules


def test_what_follows_is_told_with_its_rules_and_what_does_not_stays_open() -> None:
    played = play(policy(), {"trip": "international"})
    assert of(played, "allowed") == (State.SETTLED, False, ("abroad",))
    assert of(played, "allowance") == (State.SETTLED, Fraction(50), ("daily",))
    assert of(played, "insured") == (State.OPEN, None, ())
    assert played.clash is None
    assert played.total == 3
    waits = {one.variable: one.waits for one in play(policy(), {}).outcomes}
    assert waits == {"allowed": True, "allowance": True, "insured": False}


def test_of_an_open_number_the_constants_around_it_are_told() -> None:
    text = TRAVEL.replace(
        "(= allowance (ite (= trip international) 50.0 20.0))",
        "(and (>= allowance 20) (=> (= trip domestic) (< allowance 50)) (<= allowance 90))",
    )
    (found,) = [one for one in play(policy(text), {}).outcomes if one.variable == "allowance"]
    assert (found.low, found.high) == (Edge(Fraction(20), False), Edge(Fraction(90), False))
    played = play(policy(text), {"trip": "domestic"})
    (found,) = [one for one in played.outcomes if one.variable == "allowance"]
    assert (found.low, found.high) == (Edge(Fraction(20), False), Edge(Fraction(50), True))


def test_facts_that_cannot_occur_are_explained_by_the_fewest_rules_and_facts() -> None:
    played = play(policy(), {"cost": Fraction(-1), "signed": True, "nights": 3})
    assert played.clash is not None
    assert (played.clash.rules, played.clash.facts) == (("range",), ("cost",))
    assert {one.state for one in played.outcomes} == {State.IMPOSSIBLE}
    assert played.matters == ()


def test_the_fact_that_matters_most_settles_most_outcomes_and_says_how() -> None:
    played = play(policy(), {})
    best = played.matters[0]
    # Abroad, both the booking and the allowance are settled; at home the allowance is.
    assert (best.variable, best.mean, best.worst) == ("trip", Fraction(3, 2), 1)
    told = {one.value: dict(one.settled) for one in best.values}
    assert told == {
        "domestic": {"allowance": Fraction(20)},
        "international": {"allowed": False, "allowance": Fraction(50)},
    }
    played = play(policy(), {"trip": "domestic"})
    best = played.matters[0]
    assert best.variable == "cost"
    told = {one.value: dict(one.settled) for one in best.values}
    assert told[Fraction(1000)] == {"allowed": True}
    assert told[Fraction("1000.01")] == {}


def test_where_no_fact_settles_anything_alone_one_that_does_with_the_fewest_others_is_named() -> (
    None
):
    model = policy(policy_with_roles(20))
    played = play(model, {}, asked=["granted1"])
    assert {one.mean for one in played.matters} == {0}
    assert played.matters[0].variable in ("paid1", "signed1", "place1", "months1")


def test_outcomes_that_the_facts_touch_come_first_and_the_rest_are_paged() -> None:
    model = policy(policy_with_roles(100))
    order = outcomes_in_order(model, ["signed7"])
    assert order[0] == "granted7"
    assert sorted(order) == sorted(outcomes_in_order(model, []))
    whole = play(model, {"signed7": True}, count=len(order))
    pages = [play(model, {"signed7": True}, start=start, count=7) for start in (0, 7)]
    told = [one for page in pages for one in page.outcomes]
    assert told == list(whole.outcomes[:14])
    assert {page.total for page in pages} == {len(order)}
    asked = play(model, {"signed7": True}, asked=["granted3", "granted7"])
    assert [one.variable for one in asked.outcomes] == ["granted7", "granted3"]


def test_an_outcome_may_be_supposed_and_is_then_not_asked() -> None:
    played = play(policy(), {"allowed": True, "trip": "international"})
    assert played.clash is not None
    assert set(played.clash.facts) == {"allowed", "trip"}
    supposed = play(policy(), {"allowed": True})
    assert "allowed" not in [one.variable for one in supposed.outcomes]


def test_derived_variables_are_told_if_asked() -> None:
    model = policy(TRAVEL.replace('"role": "outcome", "unit": "EUR"', '"role": "derived"'))
    assert "allowance" not in outcomes_in_order(model, [])
    assert "allowance" in outcomes_in_order(model, [], derived=True)
    played = play(model, {"trip": "domestic"}, derived=True)
    assert of(played, "allowance")[1] == Fraction(20)


def test_no_case_rests_on_a_quotient_by_zero() -> None:
    text = """
    ; variable: {"role": "fact"}
    (declare-const total Real)
    ; variable: {"role": "fact"}
    (declare-const claims Real)
    ; variable: {"role": "outcome"}
    (declare-const audited Bool)
    (assert (! (= audited (> (/ total claims) 100.0)) :named average))
    """
    played = play(policy(text), {"claims": Fraction(0), "total": Fraction(1)})
    assert of(played, "audited")[0] is not State.SETTLED
    assert played.limits
    played = play(policy(text), {"claims": Fraction(1), "total": Fraction(101)})
    assert of(played, "audited") == (State.SETTLED, True, ("average",))
    assert of(play(policy(text), {}), "audited")[0] is State.OPEN


def test_rules_that_clash_by_themselves_spoil_their_own_outcomes_only() -> None:
    text = TRAVEL + "(assert (! insured :named yes))\n(assert (! (not insured) :named no))\n"
    played = play(policy(text), {"trip": "international"})
    assert of(played, "insured") == (State.IMPOSSIBLE, None, ("yes", "no"))
    assert of(played, "allowed")[0] is State.SETTLED
    assert played.clash is None


HARD = """
; variable: {"role": "fact"}
(declare-const a Int)
; variable: {"role": "fact"}
(declare-const b Int)
; variable: {"role": "outcome"}
(declare-const refused Bool)
(assert (! (=> (and (> a 1) (> b 1) (= (* a b) 1000036000099)) (not refused)) :named factors))
(assert (! (=> (= (+ (* a a a) (* b b b)) 1000000000063) refused) :named cubes))
"""


def test_what_is_not_decided_is_said_and_ends_in_time() -> None:
    started = time.monotonic()
    played = play(policy(HARD), {}, rlimit=1000)
    assert of(played, "refused")[0] in (State.OPEN, State.UNDECIDED)
    late = play(policy(HARD), {"a": 1000003}, deadline_s=0)
    assert of(late, "refused")[0] is State.UNDECIDED
    assert late.limits
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("given", [{}, {"trip": "international"}, {"cost": Fraction(-1)}])
def test_what_was_found_goes_through_json_between_models_of_other_ids(
    given: dict[str, Value],
) -> None:
    model = policy()
    again = read(print_model(model))
    played = play(model, given)
    assert played_from_json(again, played_to_json(model, played)) == played


# ---- against brute force, over models of few values ----

FACTS = (
    Variable("f1", "f1", BOOL),
    Variable("f2", "f2", BOOL),
    Variable("n", "n", INT),
    Variable("s", "s", SEASON.sort),
)
OUTCOMES = (
    Variable("o1", "o1", BOOL, Role.OUTCOME),
    Variable("o2", "o2", BOOL, Role.OUTCOME),
    Variable("c", "c", SEASON.sort, Role.OUTCOME),
    Variable("d", "d", BOOL, Role.DERIVED),
)
SMALL = PolicyModel((SEASON,), (*FACTS, *OUTCOMES))
# Only comparisons with 1 and 3 are made: these stand for all whole numbers.
NUMBERS = (0, 1, 2, 3, 4)
VALUES: Mapping[str, Sequence[Value]] = {
    one.id: (True, False)
    if one.sort == BOOL
    else NUMBERS
    if one.sort == INT
    else [value.id for value in SEASON.values]
    for one in SMALL.variables
}


@st.composite
def atoms(draw: st.DrawFn) -> Term:
    variable = draw(st.sampled_from(SMALL.variables))
    if variable.sort == INT:
        compare = draw(st.sampled_from([lt, le, ge, eq]))
        return compare(Symbol("n", INT), integer(draw(st.sampled_from([1, 3]))))
    return equals(variable, draw(st.sampled_from(VALUES[variable.id])))


@st.composite
def small_policies(draw: st.DrawFn) -> PolicyModel:
    rules = []
    for number in range(draw(st.integers(1, 5))):
        parts = draw(st.lists(atoms(), min_size=1, max_size=3))
        condition = draw(st.sampled_from([and_, or_]))(*parts) if len(parts) > 1 else parts[0]
        conclusion = draw(atoms())
        term = draw(st.sampled_from([implies(condition, conclusion), or_(condition, conclusion)]))
        rules.append(Rule(f"r{number}", f"r{number}", term))
    return SMALL.with_rules(rules)


givens = st.dictionaries(st.sampled_from([one.id for one in SMALL.variables]), st.none()).flatmap(
    lambda chosen: st.fixed_dictionaries({uid: st.sampled_from(VALUES[uid]) for uid in chosen})
)


def cases(
    rules: Sequence[Rule], given: Mapping[str, Value], read_by: Sequence[str]
) -> list[dict[str, Value]]:
    """Every case of the variables with what is given, in which the rules hold."""
    choices = [[given[uid]] if uid in given else VALUES[uid] for uid in read_by]
    every = (dict(zip(read_by, values, strict=True)) for values in product(*choices))
    return [case for case in every if all(holds(rule.term, case) for rule in rules)]


def possible(
    model: PolicyModel, rules: Sequence[Rule], given: Mapping[str, Value], uid: str
) -> set[Value]:
    return {case[uid] for case in cases(rules, given, [v.id for v in model.variables])}


def rules_about(model: PolicyModel, uids: Sequence[str]) -> list[Rule]:
    """The rules connected with these variables: others may clash, and have no say."""
    symbols = [model.variable_by_id[uid].symbol for uid in uids]
    return [model.rules[number] for number in compiled(model).slice_of(symbols)]


@settings(max_examples=60, deadline=None)
@for_all(small_policies(), givens)
def test_brute_force_says_the_same_of_every_outcome(
    model: PolicyModel, given: dict[str, Value]
) -> None:
    played = play(model, given, derived=True)
    for one in played.outcomes:
        left = possible(model, rules_about(model, [*given, one.variable]), given, one.variable)
        if one.state is State.SETTLED:
            assert left == {one.value}
            rules = [model.rule_by_id[uid] for uid in one.rules]
            facts = {uid: given[uid] for uid in one.facts}
            assert possible(model, rules, facts, one.variable) == {one.value}
            for rule in rules:
                fewer = [other for other in rules if other is not rule]
                assert possible(model, fewer, given, one.variable) != {one.value}
            for uid in facts:
                fewer_facts = {other: value for other, value in facts.items() if other != uid}
                assert possible(model, rules, fewer_facts, one.variable) != {one.value}
        elif one.state is State.OPEN:
            assert left == set(one.left)
        else:
            assert one.state is State.IMPOSSIBLE
            assert left == set()
    if played.clash is not None:
        rules = [model.rule_by_id[uid] for uid in played.clash.rules]
        facts = {uid: given[uid] for uid in played.clash.facts}
        names = [v.id for v in model.variables]
        assert cases(rules, facts, names) == []
        for rule in rules:
            assert cases([other for other in rules if other is not rule], given, names)
        for uid in facts:
            assert cases(rules, {k: v for k, v in facts.items() if k != uid}, names)


@settings(max_examples=20, deadline=None)
@for_all(small_policies(), givens)
def test_brute_force_finds_no_fact_that_matters_more(
    model: PolicyModel, given: dict[str, Value]
) -> None:
    """Of the facts that were tried each count is right, and none that was not kept is higher."""
    played = play(model, given)
    open_ones = [one.variable for one in played.outcomes if one.state is State.OPEN]
    means: dict[str, Fraction] = {}
    for fact in (one for one in FACTS if one.id not in given):
        counts = []
        for value in VALUES[fact.id]:
            every = cases(model.rules, given | {fact.id: value}, [v.id for v in model.variables])
            if every:
                left = [{case[uid] for case in every} for uid in open_ones]
                counts.append(sum(len(values) == 1 for values in left))
        if len(counts) > 1:
            means[fact.id] = Fraction(sum(counts), len(counts))
    for matter in played.matters:
        for one in matter.values:
            where = given | {matter.variable: one.value}
            rules = rules_about(model, list(where))
            every = cases(rules, where, [v.id for v in model.variables])
            assert one.possible is bool(every)
            settled = {uid: {case[uid] for case in every} for uid in open_ones} if every else {}
            told = {uid: values.pop() for uid, values in settled.items() if len(values) == 1}
            # Facts that do not touch an outcome are not looked at for it.
            assert one.settled.items() <= told.items()
    if played.matters and not given:
        whole = {uid: mean for uid, mean in means.items() if uid != "n"}
        best = played.matters[0]
        assert all(best.mean >= mean for mean in whole.values())


@settings(max_examples=20, deadline=None)
@for_all(models(), assignments(), st.sets(st.sampled_from([v.id for v in BASE.variables])))
def test_a_fresh_check_of_each_outcome_says_the_same(
    model: PolicyModel, values: dict[str, Value], chosen: set[str]
) -> None:
    given = {uid: values[uid] for uid in chosen}
    facts = [Fact(uid, equals(model.variable_by_id[uid], v)) for uid, v in given.items()]
    for one in play(model, given, derived=True).outcomes:
        variable = model.variable_by_id[one.variable]
        if one.state is State.SETTLED:
            assert one.value is not None
            claim = equals(variable, one.value)
            assert check_claim(model, facts, claim).kind is FindingKind.VALID
        elif one.state is State.IMPOSSIBLE:
            claim = eq(variable.symbol, variable.symbol)
            assert check_claim(model, facts, not_(claim)).kind is FindingKind.IMPOSSIBLE
        elif one.state is State.OPEN and variable.sort == BOOL:
            kind = check_claim(model, facts, variable.symbol).kind
            assert kind in (FindingKind.SATISFIABLE, FindingKind.UNDECIDED)


def policy_with_roles(rules: int, *, shared: int = 0) -> str:
    """A synthetic policy that says what its outcomes are."""
    lines = []
    for line in policy_text(rules, shared=shared).splitlines():
        if line.startswith("(declare-const"):
            role = "outcome" if line.startswith("(declare-const granted") else "fact"
            lines.append(f'; variable: {{"role": "{role}"}}')
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.parametrize(("rules", "shared", "limit_s"), [(1467, 0, 3), (300, 8, 8)])
def test_a_large_policy_costs_what_its_page_touches(
    rules: int, shared: int, limit_s: float
) -> None:
    """With 8 variables that every section reads, the whole policy is one component."""
    model = policy(policy_with_roles(rules, shared=shared))
    play(model, {})
    started = time.process_time()
    played = play(model, {"paid3": Fraction(5000), "signed3": False})
    assert time.process_time() - started < limit_s
    assert of(played, "granted3") == (State.SETTLED, False, ("s3-ban0",))
    assert len(played.outcomes) == 20
