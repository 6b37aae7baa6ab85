"""Suites end in bounded work: what there was no work left for is undecided, and is said."""

from __future__ import annotations

import pytest

from policywright.model import PolicyModel
from policywright.scenarios import make_suite, run
from policywright.scenarios.budget import LEAST, MOST, work_for
from policywright.scenarios.fates import Fate
from policywright.scenarios.mutants import groups_of, mutated
from policywright.scenarios.plan import Plan
from policywright.smtlib import read
from policywright.solver import LazySession, Session, Status, compiled
from policywright.terms import not_
from tests.policywright.test_hostile_policies import chain, of_outcomes, of_thresholds


class Counting(LazySession):
    turns = 0

    def _fixes(self, asked: frozenset[int], active: frozenset[int]) -> list[int]:
        self.turns += 1
        return super()._fixes(asked, active)


@pytest.fixture(scope="module")
def thresholds() -> PolicyModel:
    return read(of_thresholds(12))


def test_without_work_nothing_is_decided_and_one_sentence_says_so(thresholds: PolicyModel) -> None:
    suite = make_suite(thresholds, tiers=1, work=0)
    assert suite.scenarios == ()
    assert suite.tally.undecided == suite.tally.mutants == 96
    assert suite.limits == (
        "`r0`, `r1`, `r2`, `r3`, `r4` and 7 more: their cases cost more work than is done at "
        "once, so 96 edits were not decided.",
    )


def test_with_some_work_some_is_decided_and_what_is_told_is_told(thresholds: PolicyModel) -> None:
    suite = make_suite(thresholds, tiers=1, work=150_000)
    tally = suite.tally
    assert 0 < tally.undecided < tally.mutants
    assert tally.killed == sum(len(one.tells) for one in suite.scenarios) > 0
    assert f"so {tally.undecided:,} edits were not decided." in suite.limits[0]
    told = [mutant for part in suite.parts for mutant, fate in part.fates if fate is Fate.TOLD]
    assert sorted(map(repr, told)) == sorted(
        repr(mutant) for one in suite.scenarios for mutant in one.tells
    )


def test_the_same_work_decides_the_same(thresholds: PolicyModel) -> None:
    first, again = (make_suite(read(of_thresholds(12)), tiers=1, work=150_000) for _ in range(2))
    assert first == again


def test_the_first_tier_has_the_work_first(thresholds: PolicyModel) -> None:
    one, every = (make_suite(thresholds, tiers=tiers, work=150_000) for tiers in (1, 3))
    assert {scenario.tier for scenario in every.scenarios} == {0}
    assert one.tally.mutants < every.tally.mutants
    assert every.tally.killed > 0


def test_work_that_is_enough_changes_nothing(thresholds: PolicyModel) -> None:
    suite = make_suite(thresholds, tiers=1)
    assert suite.tally.undecided == 0
    assert suite.limits == ()
    assert suite.scenarios == make_suite(thresholds, tiers=1, work=10 * MOST).scenarios


def test_a_part_that_other_work_was_put_in_is_another_part(thresholds: PolicyModel) -> None:
    assert Plan(thresholds).keys == Plan(thresholds, work=work_for(12)).keys
    assert Plan(thresholds).keys != Plan(thresholds, work=1).keys


def test_more_rules_may_cost_more_up_to_a_limit() -> None:
    assert LEAST < work_for(6) < work_for(300) <= work_for(100_000) == MOST


def test_an_outcome_of_a_long_list_is_asked_about_like_a_number() -> None:
    model = read(of_outcomes(26))
    suite = make_suite(model, tiers=1)
    assert suite.tally.undecided == 0
    assert suite.tally.score == 1.0
    groups = {group.owner: group for group in groups_of(model)}
    for one in suite.scenarios[:12]:
        (found,) = run(model, [one.scenario])
        assert found.holds
        for mutant in (one.tells[0], one.tells[-1]):
            (other,) = run(mutated(model, groups[mutant.owner], mutant), [one.scenario])
            assert other.holds is False


def test_what_follows_along_a_chain_is_loaded_in_few_turns() -> None:
    model = read(chain(400))
    first, last = model.variables[0].symbol, model.variables[-1].symbol
    numbers = range(400)
    session = Counting(compiled(model), numbers, [first, not_(last)], rlimit=1_000_000)
    assert session.check([*numbers, *session.added]) is Status.UNSAT
    assert session.core() == {*numbers, *session.added}
    assert session.turns < 20
    whole = Session(compiled(model), numbers, [first, last], rlimit=1_000_000)
    assert whole.check([*numbers, *whole.added]) is Status.SAT
