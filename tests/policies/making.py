"""Makes rows for tests: variables, rules, documents, in a line each."""

from __future__ import annotations

from typing import Any

from policies.models import Policy, Rule, Variable


def make_variable(policy: Policy, name: str, sort: str = "Bool", **fields: Any) -> Variable:
    fields.setdefault("role", "fact")
    return Variable.objects.create(policy=policy, name=name, sort=sort, **fields)


def make_rule(policy: Policy, name: str, term: Any = None, **fields: Any) -> Rule:
    """A rule with a term as JSON by uid; `true` where none is given."""
    term = ["literal", "Bool", "true"] if term is None else term
    return Rule.objects.create(policy=policy, name=name, term=term, **fields)
