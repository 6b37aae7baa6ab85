"""What the page of a suite claims: a slip of the listed kinds meets an answer that disagrees.

A policy is taken for what somebody meant, each mutant of it for the rules that were drafted.
The suite is made of the draft alone, and answered by what was meant.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from policywright.lint import lint
from policywright.model import PolicyModel
from policywright.scenarios import EditKind, Mutant, Suite, make_suite, run
from policywright.scenarios.ground import Ground
from policywright.scenarios.mutants import edited, groups_of, mutated
from policywright.scenarios.repairs import MAX_REPAIRS, repairs
from policywright.solver import Status, ask
from policywright.terms import Term, and_, eq, not_

from .small_policies import small_policy

NOT_IN_THE_LIST = {EditKind.LEFT_OUT, EditKind.DROPPED, EditKind.CONCLUSION}
"""What these take away no edit puts back where the rest of the policy does not mention it."""


def same(one: PolicyModel, other: PolicyModel) -> bool:
    """Whether two policies over the same declarations admit the very same cases."""
    wholes = [and_(*(rule.term for rule in model.rules)) for model in (one, other)]
    status = ask(one.with_rules(()), [not_(eq(*wholes))])
    assert status is not Status.UNKNOWN
    return status is Status.UNSAT


def is_edit_of(draft: PolicyModel, meant: PolicyModel) -> bool:
    """Whether a single edit of the draft says what was meant."""
    return any(
        same(mutated(draft, group, mutant), meant)
        for group in groups_of(draft)
        for mutant in group.mutants
    )


def with_edit(draft: PolicyModel, mutant: Mutant) -> tuple[str, Term]:
    return mutant.owner, mutant.edit.apply(Ground(draft).term(mutant.owner))


def drafts(meant: PolicyModel, seed: int, count: int) -> Iterator[tuple[Mutant, PolicyModel]]:
    """Some of the slips, each with the policy that holds it; of those that lint lets pass."""
    every = [(group, mutant) for group in groups_of(meant) for mutant in group.mutants]
    random.Random(seed).shuffle(every)
    for group, mutant in every[:count]:
        draft = mutated(meant, group, mutant)
        if not lint(draft).errors:
            yield mutant, draft


def assert_promise(meant: PolicyModel, slip: Mutant, draft: PolicyModel, suite: Suite) -> str:
    """What came of it in a word, if the page's claim holds."""
    answers = run(meant, [one.scenario for one in suite.scenarios])
    answered = list(zip(suite.scenarios, answers, strict=True))
    disagreement = next(((one, said) for one, said in answered if not said.holds), None)
    if same(draft, meant):
        assert disagreement is None, slip
        return "same"
    if disagreement is None:
        assert not is_edit_of(draft, meant), slip
        assert slip.kind in NOT_IN_THE_LIST
        return "not in the list"
    telling, said = disagreement
    told = [with_edit(draft, mutant) for mutant in telling.tells]
    if any(same(edited(draft, *edit), meant) for edit in told):
        return "led back"
    if not is_edit_of(draft, meant):
        assert slip.kind in NOT_IN_THE_LIST
        return "noticed"
    agreed = [one.scenario for one, said in answered if said.holds]
    offered = repairs(
        draft, telling.scenario, said.found, tried_first=told, others=agreed, within_s=60
    )
    if any(same(edited(draft, one.owner, one.term), meant) for one in offered):
        return "led back"
    # More edits than anybody reads keep every answer; those shown are all of that sort.
    assert len(offered) == MAX_REPAIRS, slip
    assert all(one.keeps == one.of for one in offered)
    return "noticed"


def outcomes_of(seeds: range, count: int) -> list[str]:
    found = []
    for seed in seeds:
        meant = small_policy(seed)
        if lint(meant).errors:
            continue
        for slip, draft in drafts(meant, seed, count):
            suite = make_suite(draft)
            assert not suite.tally.undecided
            found.append(assert_promise(meant, slip, draft, suite))
    return found


def test_a_slip_meets_an_answer_that_disagrees_and_is_led_back() -> None:
    found = outcomes_of(range(12), 3)
    assert found.count("led back") >= 12


@pytest.mark.slow
@pytest.mark.parametrize("first", range(12, 84, 12))
def test_many_slips_meet_an_answer_that_disagrees_and_are_led_back(first: int) -> None:
    found = outcomes_of(range(first, first + 12), 6)
    assert found.count("led back") > 12
