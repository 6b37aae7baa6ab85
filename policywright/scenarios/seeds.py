"""Scenarios of an earlier suite as cases of a component that is made again.

A person has answered them: they stay the same cases as long as they tell something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from policywright.evaluate import Value
from policywright.model import PolicyModel, Variable
from policywright.scenarios.claims import Claimed, Claims
from policywright.scenarios.scenario import Scenario
from policywright.scenarios.telling import Telling
from policywright.scenarios.trials import Probe, Trials
from policywright.sorts import BOOL, INT
from policywright.terms import symbols


def fitting(
    claims: Claims, trials: Trials, seeds: Sequence[Telling]
) -> Iterator[tuple[Telling, Probe]]:
    """Those that the component can still be asked about, each as a case of it."""
    model = claims.model
    for seed in seeds:
        claimed = _claimed(claims, seed.scenario)
        if claimed is None:
            continue
        whole = {**seed.case, **seed.scenario.facts}
        case = {v.id: whole[v.id] for v in trials.variables if _has(model, v, whole.get(v.id))}
        gone = seed.scenario.facts.keys() - case.keys()
        about = claimed.variable
        probe = None
        if not gone and (about is None or about.id in case):
            probe = trials.probe(case, claimed)
        if probe is not None:
            yield seed, probe


def _claimed(claims: Claims, scenario: Scenario) -> Claimed | None:
    """What the claim is about. Facts stay facts: what lies between is open where it was."""
    if scenario.claim is None:
        return Claimed(None)
    about = [claims.model.variable_by_id.get(one.id) for one in symbols(scenario.claim)]
    if len(about) != 1 or about[0] is None:
        return None
    between = claims.about(about[0]).between
    return Claimed(about[0], tuple(one for one in between if one.id not in scenario.facts))


def _has(model: PolicyModel, variable: Variable, value: Value | None) -> bool:
    """Whether a value is one that the variable can have."""
    if variable.sort.is_enumeration:
        return value in model.value_ids[variable.sort.key]
    if variable.sort == BOOL or isinstance(value, bool):
        return variable.sort == BOOL and isinstance(value, bool)
    return isinstance(value, int) or (variable.sort != INT and isinstance(value, Fraction))
