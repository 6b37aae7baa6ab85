"""Repairs: the edits of a policy with which it would find what a person said of a case.

The edits that the case tells apart come first, since one of them is the slip if there is
one; then the edits of the rules by which the case was found, and of those near it. Of each
that would do it is counted how many of the other agreed answers would still hold.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from policywright.finding_kinds import FindingKind
from policywright.model import Kind, PolicyModel
from policywright.scenarios.ground import Ground
from policywright.scenarios.mutants import Mutant, edited, groups_of
from policywright.scenarios.running import run
from policywright.scenarios.saying import concluded
from policywright.scenarios.scenario import Scenario
from policywright.solver import compiled
from policywright.terms import TRUE, Term, symbols

MAX_REPAIRS = 24
"""How many are looked for: nobody reads more."""


@dataclass(frozen=True)
class Repair:
    """`term` is the owner's whole term with the edit; `keeps` of `of` other answers hold."""

    owner: str
    term: Term
    mutant: Mutant | None
    keeps: int
    of: int


def repairs(
    model: PolicyModel,
    scenario: Scenario,
    said: FindingKind,
    *,
    tried_first: Sequence[tuple[str, Term]] = (),
    others: Sequence[Scenario] = (),
    within_s: float,
) -> list[Repair]:
    """Those that keep most of the other answers first, of these the rule left out last.

    What was not reached in time is not in it.

    `tried_first` are owners with their whole terms. `others` have the findings that people
    agreed on. Raises KeyError for a variable that the model does not hold.
    """
    end = time.monotonic() + within_s
    small, numbers = _touched(model, scenario)
    near = [one for one in others if _reads(model, one) == numbers]
    apart = sum(one.holds is True for one in run(model, [o for o in others if o not in near]))
    ground = Ground(small)
    found: list[Repair] = []
    whole = 0  # What breaks another answer takes no place from what breaks none.
    seen: set[tuple[str, Term]] = set()
    for owner, term, mutant in chain(
        ((owner, term, None) for owner, term in tried_first),
        _candidates(small, ground, scenario),
    ):
        if time.monotonic() > end or whole == MAX_REPAIRS:
            break
        if (owner, term) in seen:
            continue
        seen.add((owner, term))
        changed = _changed(small, owner, term)
        if changed is None or next(run(changed, [scenario])).found is not said:
            continue
        keeps = sum(one.holds is True for one in run(changed, near))
        found.append(Repair(owner, term, mutant, keeps + apart, len(others)))
        whole += keeps + apart == len(others)
    # A rule that goes altogether mends the most cases and is meant the least.
    return sorted(found, key=lambda one: (-one.keeps, one.term == TRUE))[:MAX_REPAIRS]


def _touched(model: PolicyModel, scenario: Scenario) -> tuple[PolicyModel, tuple[int, ...]]:
    """The policy with only the rules that the scenario touches, and their numbers."""
    numbers = _reads(model, scenario)
    return model.with_rules(tuple(model.rules[n] for n in numbers)), numbers


def _reads(model: PolicyModel, scenario: Scenario) -> tuple[int, ...]:
    claim = [] if scenario.claim is None else [scenario.claim]
    return compiled(model).slice_of([*scenario.fact_terms(model), *claim])


def _changed(model: PolicyModel, owner: str, term: Term) -> PolicyModel | None:
    if owner not in model.rule_by_id and owner not in model.definition_by_id:
        return None
    return edited(model, owner, term)


def _candidates(
    model: PolicyModel, ground: Ground, scenario: Scenario
) -> Iterator[tuple[str, Term, Mutant]]:
    for owner in _owners(model, scenario):
        for group in groups_of(model, ground, {owner}):
            for mutant in group.mutants:
                yield owner, mutant.edit.apply(ground.term(owner)), mutant


def _owners(model: PolicyModel, scenario: Scenario) -> list[str]:
    """Ids of the rules by which it is found, of those that decide its claim, of its readers."""
    by_name = {rule.name: rule for rule in model.rules}
    behind = [by_name[name] for name in next(run(model, [scenario])).rules]
    claim = scenario.claim
    about = set() if claim is None else {one.id for one in symbols(claim)}
    deciding = [
        rule for rule in model.rules if about & {one.id for one in concluded(model, rule.term)}
    ]
    reading = [
        rule
        for number, rule in enumerate(model.rules)
        if (about or scenario.facts.keys()) & compiled(model).rule_symbols[number]
    ]
    found: dict[str, None] = {}
    for rule in (*behind, *deciding, *reading):
        found |= dict.fromkeys(_edited_with(model, rule.id))
    return list(found)


def _edited_with(model: PolicyModel, uid: str) -> Iterable[str]:
    """The rule; of a default those that it rests on; the definitions that it uses."""
    rule = model.rule_by_id[uid]
    yield from rule.rests_on if rule.kind is Kind.DEFAULT else (uid,)
    for symbol in compiled(model).symbols(rule.term):
        if symbol in model.definition_by_id:
            yield symbol
