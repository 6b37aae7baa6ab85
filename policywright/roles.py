"""Guesses the roles of variables where a file does not give them.

What a rule concludes on is decided by the policy; the rest a case supplies. A
decided number that other rules read is derived. Every result that rests on such
a guess says so; a file of roles or the owner overrides it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from policywright.model import Role, Rule, Variable
from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Apply, Literal, Op, Symbol, Term, subterms


def guess_roles(variables: Sequence[Variable], rules: Iterable[Rule]) -> tuple[Variable, ...]:
    """The variables with a role for each whose role is a guess."""
    if not any(variable.role_guessed for variable in variables):
        return tuple(variables)
    decided: dict[str, None] = {}
    read: set[str] = set()
    for rule in rules:
        for condition, consequence in _parts(rule.term):
            left = _decided(condition, consequence)
            if left is not None:
                decided[left.id] = None
                read.update(_read_ids(condition, consequence, left))

    def role(variable: Variable) -> Role:
        if variable.id not in decided:
            return Role.FACT
        is_number = variable.sort != BOOL
        return Role.DERIVED if is_number and variable.id in read else Role.OUTCOME

    def with_role(variable: Variable) -> Variable:
        guessed = role(variable) if variable.role_guessed else variable.role
        return variable if guessed is variable.role else replace(variable, role=guessed)

    return tuple(with_role(variable) for variable in variables)


def _parts(term: Term) -> Iterator[tuple[Term | None, Term]]:
    """The term as conditions and what follows from them; None: without condition."""
    if isinstance(term, Apply) and term.op is Op.AND:
        for part in term.args:
            yield from _parts(part)
    elif isinstance(term, Apply) and term.op is Op.IMPLIES:
        yield term.args[0], term.args[1]
    elif isinstance(term, Apply) and _is_roundabout(term):
        inner = normal_form(term)
        if isinstance(inner, Apply) and inner.op in (Op.AND, Op.IMPLIES):
            yield from _parts(inner)
        else:
            yield None, inner
    else:
        yield None, term


def _decided(condition: Term | None, consequence: Term) -> Symbol | None:
    """The symbol that a part concludes on: a literal, or the left of an equation."""
    if isinstance(consequence, Apply) and _is_roundabout(consequence):
        consequence = normal_form(consequence)
    if isinstance(consequence, Apply) and consequence.op is Op.EQ:
        consequence = consequence.args[0]
    elif condition is None:
        return None
    if isinstance(consequence, Apply) and consequence.op is Op.NOT:
        consequence = consequence.args[0]
    return consequence if isinstance(consequence, Symbol) else None


def _is_roundabout(term: Apply) -> bool:
    """Whether the normal form may begin otherwise: `(= x true)`, `(not (not x))`, `xor`."""
    if term.op is Op.NOT or term.op is Op.EQ:
        return not all(isinstance(arg, Symbol) for arg in term.args[:1]) or any(
            isinstance(arg, Literal) and arg.sort == BOOL for arg in term.args
        )
    return term.op in (Op.XOR, Op.DISTINCT)


def _read_ids(condition: Term | None, consequence: Term, left: Symbol) -> Iterator[str]:
    for term in (condition, consequence):
        if term is not None:
            for node in subterms(term):
                if isinstance(node, Symbol) and node.id != left.id:
                    yield node.id
