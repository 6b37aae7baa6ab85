"""Policy models as JSON by stable id: for a process that is asked about one, and for rows.

Unlike SMT-LIB it keeps ids, sources and what each default rests on, so that what comes
back can be put beside the rows of a draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from policywright.model import (
    Datatype,
    DefaultChoice,
    Definition,
    Kind,
    Phrases,
    PolicyModel,
    Role,
    Rule,
    Source,
    Value,
    Variable,
)
from policywright.sorts import Sort
from policywright.termjson import parse_sort, term_from_json, term_to_json


def model_to_json(model: PolicyModel) -> dict[str, Any]:
    return {
        "datatypes": [datatype_to_json(one) for one in model.datatypes],
        "variables": [variable_to_json(one) for one in model.variables],
        "definitions": [
            {**_without_term(one), "term": term_to_json(one.term), "sort": one.sort.key}
            for one in model.definitions
        ],
        "rules": [rule_to_json(one) for one in model.rules],
    }


def model_from_json(data: Mapping[str, Any]) -> PolicyModel:
    """Raises SortError or ModelError where the parts do not fit together."""
    variables = tuple(variable_from_json(one) for one in data["variables"])
    sorts = {variable.id: variable.sort for variable in variables}
    sorts |= {one["id"]: parse_sort(one["sort"]) for one in data["definitions"]}
    return PolicyModel(
        tuple(datatype_from_json(one) for one in data["datatypes"]),
        variables,
        tuple(_definition(one, sorts) for one in data["definitions"]),
        tuple(rule_from_json(one, sorts) for one in data["rules"]),
    )


def datatype_to_json(datatype: Datatype) -> dict[str, Any]:
    return asdict(datatype)


def datatype_from_json(data: Mapping[str, Any]) -> Datatype:
    return Datatype(**{**data, "values": tuple(Value(**value) for value in data["values"])})


def variable_to_json(variable: Variable) -> dict[str, Any]:
    phrases = asdict(variable.phrases)
    return {
        "id": variable.id,
        "name": variable.name,
        "sort": variable.sort.key,
        "role": variable.role.value,
        "unit": variable.unit,
        "description": variable.description,
        "phrases": phrases,
        "role_guessed": variable.role_guessed,
    }


def variable_from_json(data: Mapping[str, Any]) -> Variable:
    typed = {
        "sort": parse_sort(data["sort"]),
        "role": Role(data["role"]),
        "phrases": Phrases(**data["phrases"]),
    }
    return Variable(**{**data, **typed})


def rule_to_json(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.name,
        "term": term_to_json(rule.term),
        "kind": rule.kind.value,
        "sources": [asdict(source) for source in rule.sources],
        "outcome": rule.outcome,
        "choice": None if rule.choice is None else rule.choice.value,
        "rests_on": list(rule.rests_on),
    }


def rule_from_json(data: Mapping[str, Any], sorts: Mapping[str, Sort]) -> Rule:
    """`sorts` gives each symbol's sort by id; raises SortError where the term does not fit."""
    typed = {
        "term": term_from_json(data["term"], sorts),
        "kind": Kind(data["kind"]),
        "sources": tuple(
            Source(**{**source, "context": tuple(source["context"])}) for source in data["sources"]
        ),
        "choice": None if data["choice"] is None else DefaultChoice(data["choice"]),
        "rests_on": tuple(data["rests_on"]),
    }
    return Rule(**{**data, **typed})


def _without_term(definition: Definition) -> dict[str, Any]:
    return {
        "id": definition.id,
        "name": definition.name,
        "description": definition.description,
        "phrases": asdict(definition.phrases),
    }


def _definition(data: Mapping[str, Any], sorts: Mapping[str, Sort]) -> Definition:
    return Definition(
        data["id"],
        data["name"],
        term_from_json(data["term"], sorts),
        data["description"],
        Phrases(**data["phrases"]),
    )
