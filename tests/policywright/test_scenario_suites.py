"""A suite tells apart what it says it tells, by solvers that know nothing of how it was made."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from policywright.errors import EvaluationError
from policywright.evaluate import holds
from policywright.findings import FindingKind
from policywright.model import Kind, PolicyModel, Rule
from policywright.scenarios import (
    EditKind,
    Fate,
    Scenario,
    Suite,
    make_suite,
    run,
    say_question,
    say_scenario,
)
from policywright.scenarios.mutants import Group, groups_of, mutated
from policywright.scenarios.plan import Plan
from policywright.smtlib import print_model, read, read_term
from policywright.terms import Term, eq, not_, or_

from .generated import models
from .shared import shared
from .solvers import cvc5_answer, z3_answer
from .synthetic import policy_text

EDITED = [
    ("travel", "(> costEur 1000.0)", "(> costEur 1200.0)"),
    ("park", "(> ageYears 65)", "(>= ageYears 65)"),
]
GOLD = ["travel", "park", "airline-refund"]
_SAYS = {
    ("sat", "sat"): FindingKind.SATISFIABLE,
    ("sat", "unsat"): FindingKind.VALID,
    ("unsat", "sat"): FindingKind.INVALID,
    ("unsat", "unsat"): FindingKind.IMPOSSIBLE,
}


def gold(name: str) -> PolicyModel:
    return read(shared("corpus", "gold", f"{name}.smt2").read_text(encoding="utf-8"))


def with_terms(model: PolicyModel, terms: list[Term]) -> str:
    extra = tuple(Rule(f"x{n}", f"extra {n}", term) for n, term in enumerate(terms))
    return print_model(model.with_rules((*model.rules, *extra)))


def found_by(ask: object, model: PolicyModel, scenario: Scenario) -> FindingKind | None:
    """The finding of a scenario, asked of a solver with the whole policy."""
    facts = scenario.fact_terms(model)
    assert callable(ask)
    if scenario.claim is None:
        kinds = {"sat": FindingKind.SATISFIABLE, "unsat": FindingKind.IMPOSSIBLE}
        return kinds.get(ask(with_terms(model, facts)))
    sides = [ask(with_terms(model, [*facts, t])) for t in (scenario.claim, not_(scenario.claim))]
    return _SAYS.get((sides[0], sides[1]))


def group_of(model: PolicyModel) -> dict[str, Group]:
    return {group.owner: group for group in groups_of(model)}


def assert_told(model: PolicyModel, suite: Suite, ask: object, *, every: int = 1) -> int:
    groups, count = group_of(model), 0
    for telling in suite.scenarios:
        said = found_by(ask, model, telling.scenario)
        assert said is None or said is telling.scenario.expected
        for mutant in telling.tells[::every]:
            other = found_by(ask, mutated(model, groups[mutant.owner], mutant), telling.scenario)
            assert None in (said, other) or said is not other, (mutant, telling)
            count += None not in (said, other)
    return count


def differs(model: PolicyModel, new: PolicyModel) -> str:
    """The whole of one policy and not the other, as one text."""
    pairs = [(a.term, b.term) for a, b in zip(model.rules, new.rules, strict=True)]
    changed = [not_(eq(a, b)) for a, b in pairs if a != b]
    same = [replace(rule) for rule, (a, b) in zip(model.rules, pairs, strict=True) if a == b]
    whole = (
        [
            eq(
                conjunction([a for a, b in pairs if a != b]),
                conjunction([b for a, b in pairs if a != b]),
            )
        ]
        if changed
        else []
    )
    extra = Rule("x", "they differ", not_(whole[0]) if whole else not_(eq(*(2 * [TRUE_TERM]))))
    return print_model(model.with_rules((*same, extra)))


def conjunction(terms: list[Term]) -> Term:
    return not_(or_(*(not_(term) for term in terms)))


TRUE_TERM = read("(assert (! true :named t))").rules[0].term


@pytest.mark.parametrize("name", GOLD)
def test_each_mutant_told_apart_is_told_by_its_scenario_in_z3(name: str) -> None:
    model = gold(name)
    assert assert_told(model, make_suite(model), z3_answer, every=9) > 20


def test_each_mutant_told_apart_is_told_by_its_scenario_in_cvc5() -> None:
    model = gold("travel")
    assert assert_told(model, make_suite(model), cvc5_answer, every=6) > 20


@pytest.mark.parametrize("name", GOLD)
def test_each_mutant_called_equivalent_is_so_in_cvc5(name: str) -> None:
    model = gold(name)
    groups = group_of(model)
    suite = make_suite(model)
    same = [m for part in suite.parts for m, fate in part.fates if fate is Fate.EQUIVALENT]
    assert len(same) == suite.tally.equivalent > 0
    for mutant in same[::3]:
        new = mutated(model, groups[mutant.owner], mutant)
        assert cvc5_answer(differs(model, new)) == "unsat", mutant


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(models())
def test_any_small_policy_is_told_from_its_slips(model: PolicyModel) -> None:
    suite = make_suite(model, tiers=1, rlimit=500_000)
    tally = suite.tally
    assert tally.mutants == tally.equivalent + tally.killed + tally.undecided
    assert suite.limits or not tally.undecided
    if z3_answer(print_model(model)) != "sat":
        return  # what contradicts itself in one place says nothing as a whole
    assert_told(model, suite, z3_answer, every=8)
    groups = group_of(model)
    for part in suite.parts:
        same = [m for m, fate in part.fates if fate is Fate.EQUIVALENT]
        for mutant in same[::10]:
            assert z3_answer(differs(model, mutated(model, groups[mutant.owner], mutant))) != "sat"


@pytest.mark.parametrize("name", GOLD)
def test_running_a_suite_finds_what_it_says(name: str) -> None:
    model = gold(name)
    suite = make_suite(model)
    ran = list(run(model, [one.scenario for one in suite.scenarios]))
    assert [one.holds for one in ran] == [True] * len(ran)
    assert all(one.rules or one.found is FindingKind.SATISFIABLE for one in ran)


def test_a_scenario_that_fixes_all_but_its_claim_is_borne_out_by_evaluation() -> None:
    model = gold("travel")
    replayed = 0
    for telling in make_suite(model).scenarios:
        scenario = telling.scenario
        open_ = [v for v in model.variables if v.id not in scenario.facts]
        if len(open_) > 2 or any(v.sort.is_number for v in open_):
            continue
        cases = [dict(scenario.facts)]
        for v in open_:
            cases = [{**case, v.id: value} for case in cases for value in (True, False)]
        try:
            admitted = [c for c in cases if all(holds(r.term, c, model) for r in model.rules)]
        except EvaluationError:
            continue
        assert scenario.claim is not None
        said = {holds(scenario.claim, case, model) for case in admitted}
        assert _SAYS["sat" if True in said else "unsat", "sat" if False in said else "unsat"] is (
            scenario.expected
        )
        replayed += 1
    assert replayed >= 5


def test_the_same_policy_gets_the_same_suite() -> None:
    assert make_suite(gold("park")).scenarios == make_suite(gold("park")).scenarios


def test_a_travel_policy_needs_few_scenarios() -> None:
    suite = make_suite(gold("travel"), tiers=1)
    assert len(suite.scenarios) <= 10
    assert suite.tally.score == 1.0


SENIOR = """
; variable: {"role": "fact", "unit": "years", "phrases": {"text": "the age"}}
(declare-const age Int)
; variable: {"role": "outcome", "phrases": {"text": "the senior rate applies"}}
(declare-const senior Bool)
(assert (! (= senior (>= age 60)) :named senior-rate))
"""


def test_fr_65_scenarios_stand_at_59_60_and_61_and_a_swap_is_caught() -> None:
    model = read(SENIOR)
    suite = make_suite(model)
    ages = {value for one in suite.scenarios for value in one.scenario.facts.values()}
    assert ages == {59, 60, 61}
    for wrong in ("(> age 60)", "(>= age 61)", "(>= age 59)", "(<= age 60)"):
        swapped = read(SENIOR.replace("(>= age 60)", wrong))
        ran = run(swapped, [one.scenario for one in suite.scenarios])
        assert not all(one.holds for one in ran), wrong


def test_values_are_near_those_that_the_rules_name() -> None:
    model = gold("travel")
    cost = next(v.id for v in model.variables if v.name == "costEur")
    tenure = next(v.id for v in model.variables if v.name == "tenureMonths")
    for one in make_suite(model).scenarios:
        assert -1 <= one.scenario.facts.get(cost, 0) <= 1001
        assert -1 <= one.scenario.facts.get(tenure, 0) <= 7


def test_a_default_follows_the_rules_and_is_not_edited_itself() -> None:
    text = """
    ; variable: {"role": "fact", "phrases": {"text": "it is late"}}
    (declare-const late Bool)
    ; variable: {"role": "outcome", "phrases": {"text": "entry is granted"}}
    (declare-const granted Bool)
    (assert (! (=> late (not granted)) :named late-rule))
    """
    model = read(text)
    from policywright.defaults import generate_default
    from policywright.model import DefaultChoice

    outcome = model.variables[1].id
    made = generate_default(model, outcome, DefaultChoice.APPROVED)
    default = Rule(
        "d", "default", made.term, Kind.DEFAULT, (), outcome, DefaultChoice.APPROVED, made.rests_on
    )
    closed = model.with_rules((*model.rules, default))
    groups = list(groups_of(closed))
    assert [group.owner for group in groups] == [model.rules[0].id]
    assert groups[0].rules == (0, 1)
    left_out = next(i for i, m in enumerate(groups[0].mutants) if m.kind is EditKind.LEFT_OUT)
    assert groups[0].changed[left_out][1] == read_term("granted", model)
    assert make_suite(closed).tally.score == 1.0


def test_after_an_edit_only_the_components_that_it_touches_are_remade() -> None:
    text = policy_text(24)
    before = read(text)
    suite = make_suite(before, tiers=1)
    after = read(text.replace("(> paid2 ", "(>= paid2 ", 1))
    remade = make_suite(after, tiers=1, previous=suite)
    kept = [part for part in remade.parts if any(part is old for old in suite.parts)]
    assert 0 < len(remade.parts) - len(kept) < len(suite.parts)
    assert remade.tally == make_suite(after, tiers=1).tally
    assert remade.scenarios == make_suite(after, tiers=1, previous=suite).scenarios


NARROW = """(declare-datatype Place ((home) (abroad)))
; variable: {"role": "fact"}
(declare-const weight Real)
; variable: {"role": "fact"}
(declare-const late Bool)
; variable: {"role": "outcome"}
(declare-const sent Bool)
(define-fun where () Place (ite late home abroad))
(assert (! (= sent (and (= where home) (> weight 10))) :named r))
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(abroad))", "(abroad) (moon))"),
        ("(assert", "(define-fun heavy () Bool (> weight 10.005))(assert"),
    ],
    ids=["a value that only a definition's list has", "a step that only an unused definition has"],
)
def test_what_edits_rest_on_far_from_the_rules_makes_a_part_again(before: str, after: str) -> None:
    edited = read(NARROW.replace(before, after))
    kept = make_suite(edited, previous=make_suite(read(NARROW)))
    whole = make_suite(edited)
    fates = [[fate for part in one.parts for fate in part.fates] for one in (kept, whole)]
    assert fates[0] == fates[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (":named r)", ":named dispatch)"),
        (
            '"fact"}\n(declare-const late',
            '"fact", "phrases": {"text": "it is late"}}\n(declare-const late',
        ),
        ("(abroad)", "(elsewhere)"),
    ],
    ids=["a rule's name", "a phrase", "a value's name"],
)
def test_words_that_edits_are_said_in_make_a_part_again(before: str, after: str) -> None:
    changed = NARROW.replace(before, after).replace(
        "abroad", "elsewhere" if "else" in after else "abroad"
    )
    assert changed != NARROW
    old, new = Plan(read(NARROW)), Plan(read(changed))
    assert not set(old.keys) & set(new.keys)


def test_a_case_about_an_outcome_that_no_rule_decides_any_more_is_dropped() -> None:
    before = NARROW.replace("(define", "(define-fun unused () Bool late)(define", 1)
    suite = make_suite(read(before))
    none = read(before).with_rules(())
    assert make_suite(none, previous=suite).scenarios == ()
    role = '; variable: {"role": "outcome"}\n'
    declared = f"{role}(declare-const sent Bool)\n"
    both = before.replace(declared, declared + declared.replace("sent", "kept"))
    other = both.replace("= sent", "= kept")
    remade = make_suite(read(other), previous=suite)
    assert remade.tally == make_suite(read(other)).tally


@pytest.mark.parametrize(("name", "before", "after"), EDITED)
def test_most_cases_stay_the_same_cases_after_an_edit(name: str, before: str, after: str) -> None:
    text = shared("corpus", "gold", f"{name}.smt2").read_text(encoding="utf-8")
    assert before in text
    edited = read(text.replace(before, after, 1))
    suite = make_suite(read(text))
    remade = make_suite(edited, previous=suite)
    old, new = asked_in(suite), asked_in(remade)
    assert len(old & new) >= 0.6 * len(old)
    fresh = make_suite(edited)
    assert remade.tally == fresh.tally
    assert len(new) <= 1.25 * len(fresh.scenarios)
    ran = run(edited, [one.scenario for one in remade.scenarios])
    assert all(one.holds for one in ran)


def asked_in(suite: Suite) -> set[tuple[object, ...]]:
    """What its cases fix and claim: what a person answered."""
    return {(*sorted(one.scenario.facts.items()), one.scenario.claim) for one in suite.scenarios}


def test_rules_that_contradict_each_other_tell_nothing_and_that_is_said() -> None:
    model = read(
        "(declare-const x Bool) (declare-const y Bool)"
        "(assert (! x :named a)) (assert (! (not x) :named b)) (assert (! (=> y y) :named c))"
    )
    suite = make_suite(model)
    assert suite.tally.undecided > 0
    assert "`a`, `b` contradict each other" in suite.limits[0]
    assert suite.tally.score < 1


def test_a_policy_without_rules_has_no_scenarios() -> None:
    suite = make_suite(PolicyModel())
    assert suite.scenarios == ()
    assert suite.tally.mutants == 0


def test_a_rule_of_thousands_of_conditions_ends_and_says_what_was_not_looked_at() -> None:
    conditions = " ".join(f"(> x{n} {n})" for n in range(2_000))
    declared = " ".join(f"(declare-const x{n} Int)" for n in range(2_000))
    model = read(
        f"{declared} (declare-const ok Bool)(assert (! (=> (and {conditions}) ok) :named long))"
    )
    suite = make_suite(model, tiers=1)
    assert suite.tally.mutants > 8_000
    assert suite.tally.undecided > 0
    assert "`long` is so long" in suite.limits[0]


def test_what_the_solver_cannot_decide_is_said_and_counts_as_not_told() -> None:
    model = read(
        "(declare-const a Int) (declare-const b Int) (declare-const c Int) (declare-const ok Bool)"
        "(assert (! (=> (= (+ (* a a a) (* b b b)) (* c c c)) ok) :named cubes))"
        "(assert (! (and (> a 2) (> b 2) (> c 2)) :named positive))"
    )
    suite = make_suite(model, tiers=1, rlimit=200_000)
    assert suite.tally.undecided > 0
    assert suite.tally.killed > 0
    assert any("`cubes`" in limit and "not decided" in limit for limit in suite.limits)


def test_a_divisor_that_may_be_zero_makes_no_scenario() -> None:
    model = read(
        "(declare-const part Real) (declare-const whole Real) (declare-const ok Bool)"
        "(assert (! (=> (> (/ part whole) 0.5) ok) :named half))"
    )
    suite = make_suite(model)
    whole = model.variables[1].id
    assert suite.tally.killed > 0
    assert all(one.scenario.facts.get(whole) != 0 for one in suite.scenarios)


def test_a_scenario_is_asked_and_said_in_english() -> None:
    model = read(SENIOR)
    scenario = Scenario({model.variables[0].id: 60}, model.variables[1].symbol, FindingKind.VALID)
    assert say_scenario(model, scenario) == (
        "Given that the age is 60 years: the senior rate applies."
    )
    assert say_question(model, scenario.facts, scenario.claim) == (
        "If the age is 60 years: is it so that the senior rate applies?"
    )


def test_a_large_component_is_told_near_each_rule_and_is_told_by_z3(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = make_suite(gold("airline-refund"), tiers=1)
    for module in ("asking", "search", "trials"):
        monkeypatch.setattr(f"policywright.scenarios.{module}.LARGE", 5)
    monkeypatch.setattr("policywright.scenarios.trials.MAX_AWAY", 3)
    model = gold("airline-refund")
    suite = make_suite(model, tiers=1)
    assert suite.tally == whole.tally
    assert len(suite.scenarios) <= 2 * len(whole.scenarios)
    assert assert_told(model, suite, z3_answer, every=5) > 20
    remade = make_suite(model, tiers=2, previous=suite)
    assert len(asked_in(suite) & asked_in(remade)) >= 0.75 * len(asked_in(suite))
    assert remade.tally.undecided == 0


@pytest.mark.parametrize("name", ["travel", "park"])
def test_whoever_goes_on_to_the_next_tiers_keeps_every_case(name: str) -> None:
    first = make_suite(gold(name), tiers=1)
    assert asked_in(first) <= asked_in(make_suite(gold(name), previous=first))


def test_no_question_is_asked_twice() -> None:
    for name in GOLD:
        suite = make_suite(gold(name), tiers=1)
        assert len(asked_in(suite)) == len(suite.scenarios)
