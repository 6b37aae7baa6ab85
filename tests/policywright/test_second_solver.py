"""cvc5 agrees with what lint and suites say of small policies: cores, cases, mutants.

Each question is put as text, to a solver that knows nothing of how the answer was found. What
it does not decide in its time is counted, so that no test passes by silence.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest

from benchmarks.synthetic import Synthetic
from policywright.evaluate import Value, holds
from policywright.findings import FindingKind
from policywright.lint import Diagnostic, lint
from policywright.model import PolicyModel, Rule
from policywright.normal import canonical, normal_form
from policywright.roles import guess_roles
from policywright.scenarios import Fate, Scenario, make_suite
from policywright.scenarios.edits import EditKind, edits
from policywright.scenarios.ground import Ground
from policywright.scenarios.mutants import groups_of, mutated
from policywright.smtlib import print_model, read
from policywright.sorts import BOOL
from policywright.terms import Literal, Term, and_, eq, not_, symbols
from policywright.witness import Rounded

from .small_policies import small_policy
from .solvers import cvc5_answer

_FINDING = {
    ("sat", "sat"): FindingKind.SATISFIABLE,
    ("sat", "unsat"): FindingKind.VALID,
    ("unsat", "sat"): FindingKind.INVALID,
    ("unsat", "unsat"): FindingKind.IMPOSSIBLE,
}


def answer(model: PolicyModel, rules: Sequence[Rule], terms: Sequence[Term]) -> str:
    extra = [Rule(f"extra-{n}", f"extra {n}", term) for n, term in enumerate(terms)]
    return cvc5_answer(print_model(model.with_rules([*rules, *extra])))


# Lint


def equations(model: PolicyModel, case: Mapping[str, Value | Rounded]) -> list[Term]:
    exact = {uid: value for uid, value in case.items() if not isinstance(value, Rounded)}
    by_id = model.variable_by_id
    return [eq(by_id[uid].symbol, Literal(v, by_id[uid].sort)) for uid, v in exact.items()]


def fixed_with(model: PolicyModel, found: Diagnostic) -> list[Term] | None:
    """What a diagnostic's core clashes with; None if it has no core of this kind."""
    if found.code == "contradiction":
        return []
    if found.code == "conflict":
        return equations(model, found.witness or {})
    if found.code == "implied":
        return [not_(model.rule_by_id[found.rules[0]].term)]
    if found.code == "one-value":
        return [not_(term) for term in equations(model, found.witness or {})]
    if found.code == "idle-part":
        rule, shorter = model.rule_by_id[found.rules[0]], found.fixes[0].rules[0]
        return [not_(eq(rule.term, shorter.term))]
    return None


AT_ODDS = (
    "(declare-const a Bool)(declare-const n Int)(assert (! (=> a (> n 3)) :named r1))"
    "(assert (! (=> (not a) (> n 5)) :named r2))(assert (! (< n 3) :named r3))",
    "(declare-const a Bool)(declare-const n Int)(assert (! (=> a (> n 3)) :named r1))"
    "(assert (! (=> (not a) (> n 5)) :named r2))(assert (! (=> (> n 2) a) :named r3))",
)
"""Three rules that contradict each other; three that force a fact to one value."""


def cores_confirmed(model: PolicyModel) -> dict[str, int]:
    """By code how many cores are unsatisfiable alone in cvc5, and none less a rule."""
    confirmed: dict[str, int] = {}
    for found in lint(model).diagnostics:
        fixed = fixed_with(model, found)
        if fixed is None:
            continue
        rules = [model.rule_by_id[uid] for uid in found.core]
        assert answer(model, rules, fixed) == "unsat", found
        for left_out in rules:
            rest = [rule for rule in rules if rule is not left_out]
            assert answer(model, rest, fixed) == "sat", (found, left_out.name)
        confirmed[found.code] = confirmed.get(found.code, 0) + 1
    return confirmed


def added_up(counts: Iterator[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for count in counts:
        for code, number in count.items():
            total[code] = total.get(code, 0) + number
    return total


def of_sections(rules: int, seed: int) -> PolicyModel:
    model = Synthetic(rules, seed).model()
    guessed = guess_roles(model.variables, model.rules)
    return PolicyModel(model.datatypes, guessed, model.definitions, model.rules)


def test_each_core_is_unsatisfiable_alone_and_minimal_in_cvc5() -> None:
    made = [*map(small_policy, range(24)), *map(read, AT_ODDS)]
    found = added_up(map(cores_confirmed, made))
    assert {"conflict", "contradiction", "implied", "one-value", "idle-part"} <= found.keys()


@pytest.mark.slow
def test_each_core_of_larger_policies_is_so_too() -> None:
    small = added_up(cores_confirmed(small_policy(seed)) for seed in range(40, 140))
    assert sum(small.values()) > 40
    assert sum(cores_confirmed(of_sections(60, 8)).values()) > 5


def worlds(model: PolicyModel, case: Mapping[str, Value], used: set[str]) -> Iterator[Mapping]:
    """The case with every value of the variables that are used and not in it."""
    open_ = [model.variable_by_id[uid] for uid in sorted(used - case.keys())]
    values = [
        (True, False)
        if v.sort == BOOL
        else tuple(value.id for value in model.datatype_by_id[v.sort.key].values)
        for v in open_
    ]
    for chosen in product(*values):
        yield {**case, **{v.id: value for v, value in zip(open_, chosen, strict=True)}}


def test_each_case_of_a_conflict_is_ruled_out_by_evaluation() -> None:
    replayed = 0
    for seed in range(120):
        model = small_policy(seed)
        for found in lint(model).diagnostics:
            if found.code != "conflict":
                continue
            assert found.witness is not None
            case = {uid: v for uid, v in found.witness.items() if not isinstance(v, Rounded)}
            rules = [model.rule_by_id[uid] for uid in found.core]
            read = {one.id for rule in rules for one in symbols(rule.term)}
            for world in worlds(model, case, read & model.variable_by_id.keys()):
                assert not all(holds(rule.term, world) for rule in rules), (seed, world)
            replayed += 1
    assert replayed > 10


# Suites


def finding(model: PolicyModel, scenario: Scenario) -> FindingKind:
    facts = scenario.fact_terms(model)
    if scenario.claim is None:
        can = answer(model, model.rules, facts)
        return {"sat": FindingKind.SATISFIABLE, "unsat": FindingKind.IMPOSSIBLE}[can]
    sides = [
        answer(model, model.rules, [*facts, term])
        for term in (scenario.claim, not_(scenario.claim))
    ]
    return _FINDING[sides[0], sides[1]]


def confirmed_in_cvc5(model: PolicyModel, every: int) -> tuple[int, int]:
    """How many mutants it finds told apart by their scenario, and how many the same."""
    groups = {group.owner: group for group in groups_of(model)}
    suite, told, same = make_suite(model), 0, 0
    assert not suite.tally.undecided
    for telling in suite.scenarios:
        assert finding(model, telling.scenario) is telling.scenario.expected
        for mutant in telling.tells[::every]:
            other = finding(mutated(model, groups[mutant.owner], mutant), telling.scenario)
            assert other is not telling.scenario.expected, mutant
            told += 1
    whole = and_(*(rule.term for rule in model.rules))
    for part in suite.parts:
        for mutant in [one for one, fate in part.fates if fate is Fate.EQUIVALENT][::every]:
            new = mutated(model, groups[mutant.owner], mutant)
            differs = not_(eq(whole, and_(*(rule.term for rule in new.rules))))
            assert answer(model, (), [differs]) == "unsat", mutant
            same += 1
    return told, same


def sound(seeds: range) -> Iterator[PolicyModel]:
    return (model for seed in seeds if not lint(model := small_policy(seed)).errors)


def test_mutants_are_told_apart_or_the_same_in_cvc5() -> None:
    counts = [confirmed_in_cvc5(model, 12) for model in sound(range(20))]
    assert sum(told for told, _ in counts) > 60
    assert sum(same for _, same in counts) > 5


@pytest.mark.slow
def test_every_mutant_of_many_policies_is_told_apart_or_the_same_in_cvc5() -> None:
    counts = [confirmed_in_cvc5(model, 4) for model in sound(range(20, 34))]
    assert sum(told for told, _ in counts) > 100
    assert sum(same for _, same in counts) > 20


def unordered(term: Term) -> object:
    """The normal form without the order of what is joined or equated."""

    def sort(node: object) -> object:
        if not isinstance(node, list):
            return node
        parts = [sort(one) for one in node]
        if parts[0] in ("and", "or", "="):
            parts[1:] = sorted(parts[1:], key=repr)
        return parts

    return repr(sort(canonical(normal_form(term))))


def assert_undone(model: PolicyModel, at_most: int, chance: random.Random) -> int:
    """A rule is among the mutants of its mutants; how many were looked at."""
    ground, count = Ground(model), 0
    for rule in model.rules:
        before = ground.term(rule.id)
        every = [e for e in edits(before, ground, rule.id) if e.kind is not EditKind.LEFT_OUT]
        for edit in chance.sample(every, min(at_most, len(every))):
            after = edit.apply(before)
            back = {unordered(one.apply(after)) for one in edits(after, ground, rule.id)}
            assert unordered(before) in back, (rule.name, edit)
            count += 1
    return count


def test_what_an_edit_of_any_small_rule_makes_an_edit_undoes() -> None:
    chance = random.Random(1)
    assert sum(assert_undone(small_policy(seed), 12, chance) for seed in range(12)) > 200


@pytest.mark.slow
def test_what_any_edit_of_many_rules_makes_an_edit_undoes() -> None:
    chance = random.Random(2)
    assert sum(assert_undone(small_policy(seed), 10_000, chance) for seed in range(12, 40)) > 1_000
