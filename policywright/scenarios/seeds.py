"""Scenarios of an earlier suite as cases of a component that is made again.

A person has answered them: they stay the same cases as long as they tell something. What
they leave open takes other values where the rules ask for that now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from policywright.evaluate import Value
from policywright.findings.conditions import equals
from policywright.model import PolicyModel, Variable
from policywright.scenarios.claims import Claimed
from policywright.scenarios.scenario import Scenario
from policywright.scenarios.search import Search
from policywright.scenarios.telling import Telling
from policywright.scenarios.trials import Probe
from policywright.solver import Session, Status, compiled
from policywright.sorts import BOOL, INT
from policywright.terms import symbols

MAX_BROKEN = 4
"""So many rules that do not admit a case are tried as the only one."""


def fitting(search: Search, seeds: Sequence[Telling]) -> Iterator[tuple[Telling, Probe]]:
    """Those that the component can still be asked about, each as cases of it."""
    for seed in seeds:
        claimed = _claimed(search, seed.scenario)
        if claimed is None:
            continue
        whole = {**seed.case, **seed.scenario.facts}
        known = [v for v in search.trials.variables if _has(search.model, v, whole.get(v.id))]
        case = {v.id: whole[v.id] for v in known}
        about = claimed.variable
        if seed.scenario.facts.keys() <= case.keys() and (about is None or about.id in case):
            probe = search.trials.probe(_place(search, claimed), case, claimed)
            if probe is not None:
                yield seed, probe
            if probe is None or len(probe.failing[0]):
                broken = frozenset[int]() if probe is None else probe.failing[0]
                yield from ((seed, one) for one in _moved(search, seed, claimed, case, broken))


def _moved(
    search: Search,
    seed: Telling,
    claimed: Claimed,
    case: dict[str, Value],
    broken: frozenset[int],
) -> Iterator[Probe]:
    """Cases with the same facts: one that the rules admit, and ones that only one rule does not.

    `broken` are the rules that do not admit the case itself.
    """
    by_id, about = search.model.variable_by_id, claimed.variable
    facts = [equals(by_id[uid], value) for uid, value in seed.scenario.facts.items()]
    claim = [] if about is None else [equals(about, case[about.id])]
    rest = [v for uid in case if uid not in seed.scenario.facts and (v := by_id[uid]) != about]
    values = [equals(v, case[v.id]) for v in rest]
    single = sorted(broken)[:MAX_BROKEN] if len(broken) > 1 else []
    with search.asking.opened([*facts, *claim, *values]) as (session, numbers):
        held, open_ = numbers[: len(facts) + len(claim)], numbers[len(facts) + len(claim) :]
        tried = [(search.rules, held)]
        tried += [(tuple(n for n in search.rules if n != one), held) for one in single]
        if about is not None and about.sort == BOOL:
            tried.append((search.rules, held[: len(facts)]))
        for rules, fixed in tried:
            found = _nearest(session, [*rules, *fixed], open_)
            if found is not None:
                kept = {} if about is None else {about.id: case[about.id]}
                probe = search.trials.probe(_place(search, claimed), {**found, **kept}, claimed)
                if probe is not None:
                    yield probe


def _nearest(
    session: Session, held: Sequence[int], open_: Sequence[int]
) -> dict[str, Value] | None:
    """A case with what is held, and with as much of the rest as does not clash with it."""
    kept = set(open_)
    while True:
        status = session.check([*held, *sorted(kept)])
        if status is Status.SAT:
            witness = session.witness()
            return witness.assignment() if witness.exact else None
        clashing = session.core() & kept if status is Status.UNSAT else frozenset()
        if not clashing:
            return None
        kept -= clashing


def _place(search: Search, claimed: Claimed) -> int:
    """The first group of which a rule speaks of what is claimed."""
    if claimed.variable is None:
        return 0
    readers = compiled(search.model).readers_of.get(claimed.variable.id, frozenset())
    groups = enumerate(search.groups)
    return next((place for place, group in groups if not readers.isdisjoint(group.rules)), 0)


def _claimed(search: Search, scenario: Scenario) -> Claimed | None:
    """What the claim is about. Facts stay facts: what lies between is open where it was."""
    if scenario.claim is None:
        return Claimed(None)
    about = [search.model.variable_by_id.get(one.id) for one in symbols(scenario.claim)]
    if len(about) != 1 or about[0] is None:
        return None
    if about[0].id not in compiled(search.model).rules_of:
        return None  # no rule speaks of it any more
    between = search.claims.about(about[0]).between
    return Claimed(about[0], tuple(one for one in between if one.id not in scenario.facts))


def _has(model: PolicyModel, variable: Variable, value: Value | None) -> bool:
    """Whether a value is one that the variable can have."""
    if variable.sort.is_enumeration:
        return value in model.value_ids[variable.sort.key]
    if variable.sort == BOOL or isinstance(value, bool):
        return variable.sort == BOOL and isinstance(value, bool)
    return isinstance(value, int) or (variable.sort != INT and isinstance(value, Fraction))
