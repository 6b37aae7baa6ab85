"""Fixes as data: rules, datatypes and variables as they would be; never applied by lint.

A person takes a fix over like any edit, and approves what it changed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from policywright.defaults import generate_default
from policywright.model import (
    Datatype,
    DefaultChoice,
    Kind,
    PolicyModel,
    Rule,
    Value,
    Variable,
)
from policywright.normal import negate, normal_form
from policywright.per_model import PerModel
from policywright.terms import TRUE, Apply, Op, Term, and_, implies

_Part = TypeVar("_Part", Rule, Datatype, Variable)


class FixKind(StrEnum):
    EXCEPTION = "exception"
    NARROWER = "narrower condition"
    REMOVAL = "rule left out"
    PART_REMOVAL = "part left out"
    ASSUMPTION = "assumption"
    DEFAULT = "default"
    VALUE = "further value"
    DECLARATION = "declaration"
    NEW_FACT = "further fact"


@dataclass(frozen=True)
class Fix:
    """`rules` with the id of a rule replace it, others are added; so for datatypes, variables.

    `needs` says what a person has to find first; such a fix changes nothing by itself.
    """

    kind: FixKind
    label: str
    rules: tuple[Rule, ...] = ()
    removed: tuple[str, ...] = ()
    datatypes: tuple[Datatype, ...] = ()
    variables: tuple[Variable, ...] = ()
    default: tuple[str, DefaultChoice] | None = None
    needs: str = ""


def proposed(model: PolicyModel, fix: Fix) -> PolicyModel:
    """The model as it would be with a fix; generated defaults are generated again.

    Raises ModelError where a declaration would no longer fit the rules that use it,
    DefaultNotPossibleError where a default cannot be generated.
    """
    rules = [rule for rule in _merged(model.rules, fix.rules) if rule.id not in fix.removed]
    changed = PolicyModel(
        _merged(model.datatypes, fix.datatypes),
        _merged(model.variables, fix.variables),
        model.definitions,
        tuple(rules),
    )
    if fix.default is not None:
        outcome, choice = fix.default
        name = _free_name(changed, f"default-{model.name_of(outcome)}")
        rules.append(Rule(name, name, TRUE, Kind.DEFAULT, outcome=outcome, choice=choice))
    return changed.with_rules([_generated(changed, rule) for rule in rules])


def limited(rule: Rule, exception: Sequence[Term]) -> Rule:
    """The rule where the exception's conditions do not all hold."""
    outside = negate(normal_form(and_(*exception)))
    if isinstance(rule.term, Apply) and rule.term.op is Op.IMPLIES:
        condition, consequence = rule.term.args
        return replace(rule, term=implies(normal_form(and_(condition, outside)), consequence))
    return replace(rule, term=implies(outside, rule.term))


def lower_bound(model: PolicyModel, variable: Variable, term: Term, taken: Collection[str]) -> Rule:
    """A new assumption about a number, under a name that is free beside others `taken`."""
    free = _free_name(model, range_name(variable.name), taken)
    return Rule(free, free, term, Kind.ASSUMPTION)


def range_name(variable_name: str) -> str:
    """What an assumption about the range of a variable is called, but for a number behind it."""
    return f"range-{variable_name}"


def with_value(model: PolicyModel, datatype: Datatype, name: str) -> Datatype:
    """The datatype with one more value."""
    taken = {value.name for other in model.datatypes for value in other.values}
    taken |= {symbol.name for symbol in model.symbols}
    free = name if name not in taken else f"{name}_{datatype.name}"
    value_id = next(uid for uid in (free, f"{datatype.id}-{free}") if not _holds(datatype, uid))
    return replace(datatype, values=(*datatype.values, Value(value_id, free, "something else")))


def _holds(datatype: Datatype, value_id: str) -> bool:
    return any(value.id == value_id for value in datatype.values)


def _generated(model: PolicyModel, rule: Rule) -> Rule:
    if rule.choice is None or not rule.outcome:
        return rule
    made = generate_default(model, rule.outcome, rule.choice)
    return replace(rule, term=made.term, rests_on=made.rests_on)


def _merged(old: Sequence[_Part], new: Sequence[_Part]) -> tuple[_Part, ...]:
    merged = {part.id: part for part in old}
    for part in new:
        merged[part.id] = part
    return tuple(merged.values())


def _names(model: PolicyModel) -> frozenset[str]:
    named = (*model.rules, *model.symbols, *model.datatypes)
    return frozenset([*(part.name for part in named), *(rule.id for rule in model.rules)])


taken_names = PerModel(_names)
"""Names that a new rule cannot have."""


def _free_name(model: PolicyModel, name: str, also: Collection[str] = ()) -> str:
    taken = taken_names(model).union(also) if also else taken_names(model)
    if name not in taken:
        return name
    return next(free for n in range(2, len(taken) + 3) if (free := f"{name}-{n}") not in taken)
