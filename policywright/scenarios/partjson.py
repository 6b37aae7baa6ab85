"""Parts of a suite as JSON by stable id, for whoever keeps them and shows them.

BODY: `{"scenarios": [...], "tally": {TIER: {KIND: {"mutants", "equivalent", "killed",
"undecided"}}}, "limits": [sentences]}`, tiers from "1" on. A scenario is `{"facts": {id:
exact text}, "claim": term or null, "expected", "tier": from 0 on, "tells": [EDIT], "case":
{id: exact text}}`. EDIT is `{"owner", "kind", "english", "term"}`, the term that of the
owner with the edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policywright.errors import SortError
from policywright.evaluate import Value
from policywright.finding_kinds import FindingKind
from policywright.model import PolicyModel
from policywright.per_model import PerModel
from policywright.scenarios.edits import EditKind
from policywright.scenarios.fates import Fate
from policywright.scenarios.ground import Ground
from policywright.scenarios.mutants import Mutant
from policywright.scenarios.part import Part
from policywright.scenarios.scenario import Scenario, exact_text, value_of
from policywright.scenarios.tally import Tally
from policywright.scenarios.telling import Telling
from policywright.scenarios.words import say_mutant
from policywright.sorts import BOOL, Sort
from policywright.termjson import term_from_json, term_to_json


def _sorts(model: PolicyModel) -> Mapping[str, Sort]:
    variables = {one.id: one.sort for one in model.variables}
    return variables | {one.id: one.sort for one in model.definitions}


sorts_of = PerModel(_sorts)
"""Of each variable and definition its sort, by id."""


def counts_to_json(counts: Mapping[tuple[int, EditKind], int], tiers: int) -> dict[str, Any]:
    """`{TIER: {KIND: number}}`, kinds in their order; a tier without edits is empty."""
    return {
        str(tier + 1): {
            kind.value: counts[tier, kind] for kind in EditKind if counts.get((tier, kind))
        }
        for tier in range(tiers)
    }


def part_to_json(model: PolicyModel, part: Part, ground: Ground) -> dict[str, Any]:
    """The BODY of a part."""
    return {
        "scenarios": [_telling(model, one, ground) for one in part.scenarios],
        "tally": _tally(part),
        "limits": list(part.limits),
    }


def edit_to_json(model: PolicyModel, mutant: Mutant, ground: Ground) -> dict[str, Any]:
    term = mutant.edit.apply(ground.term(mutant.owner))
    return {
        "owner": mutant.owner,
        "kind": mutant.kind.value,
        "english": say_mutant(model, mutant, ground),
        "term": term_to_json(term),
    }


def scenario_to_json(scenario: Scenario) -> dict[str, Any]:
    claim = scenario.claim
    return {
        "facts": _values(scenario.facts),
        "claim": None if claim is None else term_to_json(claim),
        "expected": scenario.expected.value,
    }


def scenario_from_json(model: PolicyModel, data: Mapping[str, Any]) -> Scenario:
    """The scenario over a model's declarations; `expected` may be left out.

    Raises SortError where a variable, a value or a term does not fit them.
    """
    facts: dict[str, Value] = {}
    for uid, text in data["facts"].items():
        variable = model.variable_by_id.get(uid)
        if variable is None:
            raise SortError(f"`{uid}` is not declared")
        facts[uid] = value_of(text, variable.sort)
        if variable.sort.is_enumeration and text not in model.value_ids[variable.sort.key]:
            raise SortError(f"`{variable.name}` has no such value any more")
    claim = data.get("claim")
    term = None if claim is None else term_from_json(claim, sorts_of(model))
    if term is not None and term.sort != BOOL:
        raise SortError("the claim is no condition any more")
    return Scenario(facts, term, FindingKind(data.get("expected", FindingKind.UNDECIDED)))


def seed_from_json(model: PolicyModel, data: Mapping[str, Any]) -> Telling | None:
    """A scenario of a BODY, to be tried again; None where it does not fit any more."""
    try:
        scenario = scenario_from_json(model, data)
    except SortError:
        return None
    case: dict[str, Value] = {}
    for uid, text in data["case"].items():
        variable = model.variable_by_id.get(uid)
        if variable is not None:
            try:
                case[uid] = value_of(text, variable.sort)
            except SortError:
                continue  # its sort is another one now: any value does
    return Telling(scenario, data["tier"], (), case)


def _telling(model: PolicyModel, one: Telling, ground: Ground) -> dict[str, Any]:
    return {
        **scenario_to_json(one.scenario),
        "tier": one.tier,
        "tells": [edit_to_json(model, mutant, ground) for mutant in one.tells],
        "case": _values(one.case),
    }


def _values(values: Mapping[str, Value]) -> dict[str, str]:
    return {uid: exact_text(value) for uid, value in values.items()}


def _tally(part: Part) -> dict[str, dict[str, dict[str, int]]]:
    found: dict[tuple[int, EditKind], Tally] = {}
    for mutant, fate in part.fates:
        key = mutant.tier, mutant.kind
        found[key] = found.get(key, Tally()).plus(fate)
    for (kind, tier), count in part.not_built.items():
        found[tier, kind] = found.get((tier, kind), Tally()).plus(Fate.UNDECIDED, count)
    return {
        str(tier + 1): {
            kind.value: {
                "mutants": tally.mutants,
                "equivalent": tally.equivalent,
                "killed": tally.killed,
                "undecided": tally.undecided,
            }
            for kind in EditKind
            if (tally := found.get((tier, kind))) is not None
        }
        for tier in sorted({tier for tier, _ in found})
    }
