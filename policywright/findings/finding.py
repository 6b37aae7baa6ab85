"""What a check says, as data: names for people, exact values, nothing of the solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from policywright.evaluate import Value
from policywright.finding_kinds import FindingKind
from policywright.model import PolicyModel
from policywright.smtlib.printer import exact_decimal
from policywright.witness import Rounded, Witness


@dataclass(frozen=True, slots=True)
class Scenarios:
    """One case in which the claim holds and one in which it fails, by variable id."""

    holds: Witness
    fails: Witness


@dataclass(frozen=True)
class Finding:
    """`rules` and `facts` are names, minimal and sorted; the rest by kind.

    `scenarios`, `depends_on` (names) and `silent` belong to SATISFIABLE, `excluded`
    to UNDECIDED. `notes` are sentences that a reader must see beside the finding.
    """

    kind: FindingKind
    rules: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    scenarios: Scenarios | None = None
    depends_on: tuple[str, ...] = ()
    silent: bool = False
    excluded: tuple[FindingKind, ...] = ()
    rules_clash: bool = False
    notes: tuple[str, ...] = field(default=())

    def to_json(self, model: PolicyModel, english: str = "") -> dict[str, Any]:
        """The JSON of the command line: names, exact values as text where not whole."""
        data: dict[str, Any] = {
            "finding": self.kind.value,
            "rules": list(self.rules),
            "facts": list(self.facts),
        }
        if self.scenarios is not None:
            data["scenarios"] = {
                "holds": witness_to_json(model, self.scenarios.holds),
                "fails": witness_to_json(model, self.scenarios.fails),
            }
            data["depends_on"] = list(self.depends_on)
            data["silent"] = self.silent
        if self.kind is FindingKind.UNDECIDED:
            data["excluded"] = [kind.value for kind in self.excluded]
        data["english"] = english
        data["notes"] = list(self.notes)
        return data


def witness_to_json(model: PolicyModel, witness: Witness) -> dict[str, Any]:
    """Values by variable name; a variable for which any value would do is left out."""
    values: Mapping[str, Value | Rounded] = witness.values
    return {
        variable.name: value_to_json(model, variable.sort.key, values[variable.id])
        for variable in model.variables
        if variable.id in values and variable.id not in witness.free
    }


def value_to_json(model: PolicyModel, sort_key: str, value: Value | Rounded) -> Any:
    if isinstance(value, Rounded):
        return f"about {value.text}"
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return value.numerator
        return exact_decimal(value) or f"{value.numerator}/{value.denominator}"
    if isinstance(value, str):
        return model.datatype_by_id[sort_key].value(value).name
    return value
