"""A policy model as it would be with two of its symbols merged, worked out in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from policywright.defaults import generate_default
from policywright.errors import DefaultNotPossibleError
from policywright.model import Datatype, DefaultChoice, Kind, PolicyModel, Rule, Value, Variable
from policywright.sorts import enumeration
from policywright.terms import TRUE, Literal, Symbol, subterms
from translation.renaming import rename_ids


@dataclass(frozen=True)
class Merged:
    """`lost` are the names of defaults that could not be made any more, each with the reason."""

    model: PolicyModel
    lost: tuple[tuple[str, str], ...] = ()


def merged_model(
    model: PolicyModel, from_id: str, into_id: str, values: Mapping[str, str] | None = None
) -> Merged:
    """The model with one variable, datatype or value standing for another of its kind.

    `values` maps values of a datatype that is merged; the others stay values of their own.
    """
    ids = {from_id: into_id, **(values or {})}
    datatypes = tuple(_datatype(one, model, ids) for one in model.datatypes if one.id not in ids)
    variables = tuple(_variable(one, ids) for one in model.variables if one.id not in ids)
    base = PolicyModel(datatypes, variables)
    rules = [
        replace(rule, term=rename_ids(rule.term, ids))
        for rule in model.rules
        if rule.kind is not Kind.DEFAULT
    ]
    return _with_defaults(base.with_rules(rules), model, ids)


def _with_defaults(merged: PolicyModel, model: PolicyModel, ids: Mapping[str, str]) -> Merged:
    rules, lost = list(merged.rules), []
    for rule in model.rules:
        if rule.kind is not Kind.DEFAULT or rule.choice is None:
            continue
        outcome = ids.get(rule.outcome, rule.outcome)
        try:
            made = generate_default(merged, outcome, rule.choice)
        except DefaultNotPossibleError as error:
            lost.append((rule.name, str(error)))
            continue
        term = TRUE if rule.choice is DefaultChoice.OPEN else made.term
        rules.append(replace(rule, term=term, outcome=outcome, rests_on=made.rests_on))
    return Merged(merged.with_rules(rules), tuple(lost))


def _variable(variable: Variable, ids: Mapping[str, str]) -> Variable:
    if not variable.sort.is_enumeration or variable.sort.key not in ids:
        return variable
    return replace(variable, sort=enumeration(ids[variable.sort.key]))


def _datatype(datatype: Datatype, model: PolicyModel, ids: Mapping[str, str]) -> Datatype:
    joined = [one for one in model.datatypes if ids.get(one.id) == datatype.id]
    taken: set[str] = set()
    values = tuple(
        Value(value.id, free_name(value.name, taken), value.phrase)
        for one in (datatype, *joined)
        for value in one.values
        if value.id not in ids
    )
    return replace(datatype, values=values)


def free_name(name: str, taken: set[str]) -> str:
    """The name, or the first free one with a number; it is taken from then on."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}{number}"
    taken.add(free)
    return free


def ids_in(rule: Rule) -> frozenset[str]:
    """The ids of all variables, datatypes and values that a rule speaks of."""
    found: set[str] = set()
    for node in subterms(rule.term):
        if isinstance(node, Symbol):
            found |= {node.id, node.sort.key}
        elif isinstance(node, Literal) and node.sort.is_enumeration:
            found |= {str(node.value), node.sort.key}
    return frozenset(found)
