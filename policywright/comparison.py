"""What comparing two sets of conditions says: the same, in which case they differ, or undecided.

Plain values, as they go to and from a solver process; `policywright.findings.comparing`
makes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from policywright.evaluate import Value
from policywright.finding_kinds import FindingKind
from policywright.model import PolicyModel
from policywright.normal import canonical, normal_form
from policywright.termjson import term_from_json, term_to_json
from policywright.terms import TRUE, Apply, Literal, Op, Term


@dataclass(frozen=True)
class TellingCase:
    """A case, what it asks, and what each of two conditions alone says of that.

    `facts` are values by variable id, all that matters and no more. `shown` are those that
    make the difference, `exact` those of them at a bound; the rest of the facts are in
    order: what the conditions ask for besides. `claim` is the outcome in question, or
    that it has a value; None where no outcome is concerned: then SATISFIABLE says that the
    case may be, and IMPOSSIBLE that it may not.
    """

    facts: Mapping[str, Value]
    shown: tuple[str, ...]
    exact: frozenset[str]
    claim: Term | None
    first: FindingKind
    second: FindingKind


@dataclass(frozen=True, slots=True)
class Same:
    pass


@dataclass(frozen=True, slots=True)
class Differ:
    case: TellingCase


@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither the same nor told apart; `reason` is a clause."""

    reason: str


Comparison: TypeAlias = Same | Differ | Undecided


def written_alike(first: Sequence[Term], second: Sequence[Term]) -> bool:
    """Whether both are the same conditions up to their order, by normal form: no solver needed."""
    return set(_written(first)) == set(_written(second))


def comparison_to_json(model: PolicyModel, comparison: Comparison) -> dict[str, Any]:
    """`{"same": true}`, `{"undecided": REASON}`, or the telling case over ids."""
    if isinstance(comparison, Same):
        return {"same": True}
    if isinstance(comparison, Undecided):
        return {"undecided": comparison.reason}
    case = comparison.case
    values = ((model.variable_by_id[uid], value) for uid, value in case.facts.items())
    return {
        "facts": {v.id: term_to_json(Literal(value, v.sort)) for v, value in values},
        "shown": list(case.shown),
        "exact": sorted(case.exact),
        "claim": None if case.claim is None else term_to_json(case.claim),
        "first": case.first.value,
        "second": case.second.value,
    }


def comparison_from_json(model: PolicyModel, data: Mapping[str, Any]) -> Comparison:
    if "same" in data:
        return Same()
    if "undecided" in data:
        return Undecided(data["undecided"])
    sorts = {variable.id: variable.sort for variable in model.variables}
    facts = {uid: term_from_json(value, {}) for uid, value in data["facts"].items()}
    return Differ(
        TellingCase(
            {uid: one.value for uid, one in facts.items() if isinstance(one, Literal)},
            tuple(data["shown"]),
            frozenset(data["exact"]),
            None if data["claim"] is None else term_from_json(data["claim"], sorts),
            FindingKind(data["first"]),
            FindingKind(data["second"]),
        )
    )


def _written(terms: Sequence[Term]) -> Iterator[str]:
    for term in terms:
        normal = normal_form(term)
        parts = normal.args if isinstance(normal, Apply) and normal.op is Op.AND else (normal,)
        yield from (json.dumps(canonical(part)) for part in parts if part != TRUE)
