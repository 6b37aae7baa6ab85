"""Guesses the roles of variables where a file does not give them.

What a rule concludes on is decided by the policy; the rest a case supplies. A
decided number that other rules read is derived. Every result that rests on such
a guess says so; a file of roles or the owner overrides it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from policywright.model import PolicyModel, Role, Variable
from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Apply, Op, Symbol, Term, symbols


def guess_roles(model: PolicyModel) -> PolicyModel:
    """The model with a role for each variable whose role is a guess."""
    if not any(variable.role_guessed for variable in model.variables):
        return model
    decided: dict[str, None] = {}
    read: set[str] = set()
    for rule in model.rules:
        for condition, consequence in _parts(normal_form(rule.term)):
            left = _decided(condition, consequence)
            if left is not None:
                decided[left.id] = None
                read.update(s.id for s in _read_symbols(condition, consequence, left))

    def role(variable: Variable) -> Role:
        if variable.id not in decided:
            return Role.FACT
        is_number = variable.sort != BOOL
        return Role.DERIVED if is_number and variable.id in read else Role.OUTCOME

    variables = tuple(
        replace(variable, role=role(variable)) if variable.role_guessed else variable
        for variable in model.variables
    )
    return PolicyModel(model.datatypes, variables, model.definitions, model.rules)


def _parts(term: Term) -> Iterator[tuple[Term | None, Term]]:
    if isinstance(term, Apply) and term.op is Op.AND:
        for part in term.args:
            yield from _parts(part)
    elif isinstance(term, Apply) and term.op is Op.IMPLIES:
        yield term.args[0], term.args[1]
    else:
        yield None, term


def _decided(condition: Term | None, consequence: Term) -> Symbol | None:
    """The symbol that a part concludes on: a literal, or the left of an equation."""
    if isinstance(consequence, Apply) and consequence.op is Op.EQ:
        consequence = consequence.args[0]
    elif condition is None:
        return None
    if isinstance(consequence, Apply) and consequence.op is Op.NOT:
        consequence = consequence.args[0]
    return consequence if isinstance(consequence, Symbol) else None


def _read_symbols(condition: Term | None, consequence: Term, left: Symbol) -> Iterator[Symbol]:
    for term in (condition, consequence):
        if term is not None:
            yield from (symbol for symbol in symbols(term) if symbol != left)
