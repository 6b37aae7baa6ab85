"""What the playground found, as data; and as JSON, between a solver process and its caller.

A process reads a policy from text, where what it holds has no ids: JSON names variables,
values and rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from policywright.evaluate import Value
from policywright.model import PolicyModel, Rule, Variable

A_PAGE = 20
"""Outcomes that are looked at unless another number is asked for."""
DEADLINE_S = 6.0


class State(StrEnum):
    """What follows of an outcome from the rules and the facts given."""

    SETTLED = "settled"
    OPEN = "open"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Edge:
    """An end of what is left of a number; `beyond` says that the end itself is not."""

    at: Fraction
    beyond: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """`rules` (ids) and `facts` (ids of variables) are the fewest behind a settled `value`.

    Of an open choice `left` are the values that it can still have; of an open number `low`
    and `high` are constants of the rules between which it must lie, None for no such end.
    `waits` says that facts which were not given lie behind an open outcome.
    """

    variable: str
    state: State
    value: Value | None = None
    rules: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    left: tuple[Value, ...] = ()
    low: Edge | None = None
    high: Edge | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Clash:
    """Why the facts cannot occur: the fewest rules and facts that cannot all hold."""

    rules: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settling:
    """A value that a fact could have, whether it can, and what each outcome would be then."""

    value: Value
    possible: bool
    settled: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Matter:
    """A fact not given: what each of its values would settle of the open outcomes.

    `mean` and `worst` count outcomes over the values that are possible.
    """

    variable: str
    values: tuple[Settling, ...]
    mean: Fraction
    worst: int


@dataclass(frozen=True, slots=True)
class Played:
    """`total` counts the outcomes asked about; `outcomes` are those that were looked at.

    `clash` is set where the facts cannot occur; every outcome is then impossible.
    `matters` holds few facts, the one that matters most first. `limits` are sentences on
    what was not looked at or not decided.
    """

    total: int
    outcomes: tuple[Outcome, ...]
    clash: Clash | None = None
    matters: tuple[Matter, ...] = ()
    limits: tuple[str, ...] = ()


def played_to_json(model: PolicyModel, played: Played) -> dict[str, Any]:
    """By names; numbers as exact text."""
    write = _Writer(model)
    return {
        "total": played.total,
        "outcomes": [
            {
                "variable": model.name_of(one.variable),
                "state": one.state.value,
                "value": write.value(one.variable, one.value),
                "rules": write.rules(one.rules),
                "facts": write.names(one.facts),
                "left": [write.value(one.variable, value) for value in one.left],
                "low": _edge_to_json(one.low),
                "high": _edge_to_json(one.high),
                "waits": one.waits,
            }
            for one in played.outcomes
        ],
        "clash": played.clash
        and {"rules": write.rules(played.clash.rules), "facts": write.names(played.clash.facts)},
        "matters": [
            {
                "variable": model.name_of(one.variable),
                "values": [
                    {
                        "value": write.value(one.variable, settling.value),
                        "possible": settling.possible,
                        "settled": {
                            model.name_of(uid): write.value(uid, value)
                            for uid, value in settling.settled.items()
                        },
                    }
                    for settling in one.values
                ],
                "mean": str(one.mean),
                "worst": one.worst,
            }
            for one in played.matters
        ],
        "limits": list(played.limits),
    }


def given_to_json(model: PolicyModel, given: Mapping[str, Value]) -> dict[str, bool | str | None]:
    """Values by variable id, as JSON of names; KeyError for an id that there is not."""
    write = _Writer(model)
    return {model.variable_by_id[uid].name: write.value(uid, v) for uid, v in given.items()}


def played_from_json(model: PolicyModel, data: Mapping[str, Any]) -> Played:
    """What was found of a policy with the same names, by the ids of this one."""
    read = Names(model)
    return Played(
        data["total"],
        tuple(read.outcome(one) for one in data["outcomes"]),
        data["clash"] and Clash(read.rules(data["clash"]["rules"]), read.ids(data["clash"])),
        tuple(read.matter(one) for one in data["matters"]),
        tuple(data["limits"]),
    )


class _Writer:
    def __init__(self, model: PolicyModel) -> None:
        self.model = model

    def value(self, uid: str, value: Value | None) -> bool | str | None:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            sort = self.model.variable_by_id[uid].sort
            return self.model.datatype_by_id[sort.key].value(value).name
        return str(value)

    def rules(self, uids: Sequence[str]) -> list[str]:
        return [self.model.rule_by_id[uid].name for uid in uids]

    def names(self, uids: Sequence[str]) -> list[str]:
        return [self.model.name_of(uid) for uid in uids]


class Names:
    """Finds what a model holds by its names."""

    def __init__(self, model: PolicyModel) -> None:
        self.model = model
        self._variables: Mapping[str, Variable] = {one.name: one for one in model.variables}
        self._rules: Mapping[str, Rule] = {one.name: one for one in model.rules}

    def variable(self, name: str) -> Variable:
        return self._variables[name]

    def value(self, variable: Variable, written: bool | str) -> Value:
        """The value that JSON holds for one of a variable; KeyError for one that it has not."""
        if isinstance(written, bool):
            return written
        if variable.sort.is_enumeration:
            values = self.model.datatype_by_id[variable.sort.key].values
            return {one.name: one.id for one in values}[written]
        number = Fraction(written)
        return number if variable.sort.key == "Real" else int(number)

    def rules(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._rules[name].id for name in names)

    def ids(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(self._variables[name].id for name in data["facts"])

    def outcome(self, data: Mapping[str, Any]) -> Outcome:
        variable = self.variable(data["variable"])
        return Outcome(
            variable.id,
            State(data["state"]),
            None if data["value"] is None else self.value(variable, data["value"]),
            self.rules(data["rules"]),
            self.ids(data),
            tuple(self.value(variable, one) for one in data["left"]),
            _edge_from_json(data["low"]),
            _edge_from_json(data["high"]),
            data["waits"],
        )

    def matter(self, data: Mapping[str, Any]) -> Matter:
        variable = self.variable(data["variable"])
        values = tuple(
            Settling(
                self.value(variable, one["value"]),
                one["possible"],
                {
                    (settled := self.variable(name)).id: self.value(settled, value)
                    for name, value in one["settled"].items()
                },
            )
            for one in data["values"]
        )
        return Matter(variable.id, values, Fraction(data["mean"]), data["worst"])


def _edge_to_json(edge: Edge | None) -> list[Any] | None:
    return None if edge is None else [str(edge.at), edge.beyond]


def _edge_from_json(data: Sequence[Any] | None) -> Edge | None:
    return None if data is None else Edge(Fraction(data[0]), bool(data[1]))
