"""A scenario: the values of a case, a claim about it, and the finding that is expected.

It is bound to content like a rule: to its values, its claim, what is expected, and how
the variables and datatypes in it are declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.hashing import rule_content
from policywright.model import PolicyModel, Rule
from policywright.normal import canonical, normal_form
from policywright.sorts import Sort
from policywright.termjson import term_from_json
from policywright.terms import TRUE, Literal, Term, and_, eq


@dataclass(frozen=True)
class Scenario:
    """`facts` are values by variable id; a claim of None says that the case can occur."""

    facts: Mapping[str, Value]
    claim: Term | None
    expected: FindingKind

    def fact_terms(self, model: PolicyModel) -> list[Term]:
        """One equation for each fact, in the model's order.

        Raises KeyError for a variable that the model does not hold.
        """
        order = [variable.id for variable in model.variables if variable.id in self.facts]
        if len(order) < len(self.facts):
            raise KeyError(next(uid for uid in self.facts if uid not in order))
        found = [model.variable_by_id[uid] for uid in order]
        return [eq(one.symbol, Literal(self.facts[one.id], one.sort)) for one in found]


def scenario_content(model: PolicyModel, scenario: Scenario) -> dict[str, Any]:
    """What a scenario's content hash covers. Raises KeyError for a variable that is gone."""
    claim = TRUE if scenario.claim is None else scenario.claim
    said = and_(TRUE, claim, *scenario.fact_terms(model))
    declared = rule_content(model, Rule("", "", said))
    return {
        "facts": {uid: exact_text(value) for uid, value in scenario.facts.items()},
        "claim": None if scenario.claim is None else canonical(normal_form(scenario.claim)),
        "expected": scenario.expected.value,
        "symbols": declared["symbols"],
        "datatypes": declared["datatypes"],
    }


def exact_text(value: Value) -> str:
    """A value as terms spell it: `true`, `6`, `1/3`, or a value's id."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def value_of(text: str, sort: Sort) -> Value:
    """The value that an exact text spells; raises SortError where it spells none."""
    term = term_from_json(["literal", sort.key, text], {})
    assert isinstance(term, Literal)
    return term.value
