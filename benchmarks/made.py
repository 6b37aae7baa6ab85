"""The policies of `synthetic.py` as files bring them: a source for each rule, roles as guessed.

What sections share everywhere (`hubs`) are facts.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.synthetic import Synthetic
from policywright.model import PolicyModel, Role, Source
from policywright.roles import guess_roles
from policywright.smtlib import print_model, read

HUBS = 8
"""So many join 95% of 1,500 rules into one component."""


def made(size: int, hubs: int) -> PolicyModel:
    """A policy as a file brings it, read anew."""
    policy = Synthetic(size, hubs=hubs)
    rules = [
        replace(rule, sources=(Source("Handbook", "1", 100 * i, 100 * i + 60, _sentence(i)),))
        for i, rule in enumerate(policy.rules)
    ]
    shared = {variable.id for variable in policy.variables[:hubs]}
    open_ = [replace(variable, role_guessed=True) for variable in policy.variables]
    roles = [
        replace(variable, role=Role.FACT if variable.id in shared else variable.role)
        for variable in guess_roles(open_, rules)
    ]
    known = tuple(replace(variable, role_guessed=False) for variable in roles)
    return read(print_model(PolicyModel(tuple(policy.datatypes), known, (), tuple(rules))))


def _sentence(number: int) -> str:
    return f"This is sentence {number} of the handbook, which one rule states."
