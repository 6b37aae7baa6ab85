"""Defaults of outcomes: the closed world, generated from the rules that decide them.

'Approved unless forbidden' asserts the outcome where no rule forbids it;
'refused unless granted' asserts its negation where no rule grants it. The
assertion is never written by hand, so it cannot fall behind the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policywright.errors import DefaultNotPossibleError
from policywright.model import DefaultChoice, Kind, PolicyModel, Role, Rule, Variable
from policywright.normal import negate, normal_form
from policywright.sorts import BOOL
from policywright.terms import (
    TRUE,
    Apply,
    Op,
    Symbol,
    Term,
    implies,
    not_,
    or_,
    symbols,
)


@dataclass(frozen=True, slots=True)
class Generated:
    """A default's assertion and the ids of the rules it rests on, in document order."""

    term: Term
    rests_on: tuple[str, ...]


def generate_default(model: PolicyModel, outcome_id: str, choice: DefaultChoice) -> Generated:
    """The assertion of a default; `open` asserts nothing and rests on nothing.

    Raises DefaultNotPossibleError where a rule decides the outcome in a form
    whose condition cannot be read off, or already decides it both ways.
    """
    variable = model.variable_by_id[outcome_id]
    if variable.sort != BOOL:
        raise DefaultNotPossibleError(
            f"`{variable.name}` is not a yes-or-no outcome, so it has no default"
        )
    if choice is DefaultChoice.OPEN:
        return Generated(TRUE, ())
    forbids = choice is DefaultChoice.APPROVED
    deciding: dict[str, list[Term]] = {}
    for rule in model.rules:
        if rule.kind in (Kind.RULE, Kind.DEFINITION) and _mentions(rule.term, outcome_id):
            decided = _decides(model, rule, variable)
            found = [condition for grants, condition in decided if grants is not forbids]
            if found:
                deciding[rule.id] = found
    # By id, not by place: moving a rule must not void the default's approval.
    conditions = [condition for rule_id in sorted(deciding) for condition in deciding[rule_id]]
    consequence = variable.symbol if forbids else not_(variable.symbol)
    if not conditions:
        return Generated(consequence, ())
    none_applies = negate(normal_form(or_(*conditions)))
    return Generated(implies(none_applies, consequence), tuple(deciding))


def _mentions(term: Term, outcome_id: str) -> bool:
    return any(symbol.id == outcome_id for symbol in symbols(term))


def _decides(model: PolicyModel, rule: Rule, outcome: Variable) -> Iterator[tuple[bool, Term]]:
    """(whether it grants, under which condition) for each way the rule decides the outcome.

    `(= x term)` and `(=> x term)` with an outcome or derived `x` on the left decide
    `x` ('exactly if', 'only if') and merely read what stands on the right.
    """
    for condition, consequence in _implications(normal_form(rule.term)):
        left = _decided_on_the_left(model, condition, consequence)
        if left == outcome.id:
            yield from _definition(rule, condition, consequence, outcome)
        elif left is None:
            sign = _literal(consequence, outcome)
            if sign is None and _mentions(consequence, outcome.id):
                raise _unreadable(rule, outcome)
            if sign is not None:
                if _mentions(condition, outcome.id):
                    raise _unreadable(rule, outcome)
                yield sign, condition


def _decided_on_the_left(model: PolicyModel, condition: Term, consequence: Term) -> str | None:
    equation = isinstance(consequence, Apply) and consequence.op is Op.EQ and condition == TRUE
    left = consequence.args[0] if equation and isinstance(consequence, Apply) else condition
    if isinstance(left, Symbol):
        variable = model.variable_by_id.get(left.id)
        if variable is not None and variable.role is not Role.FACT:
            return left.id
    return None


def _definition(
    rule: Rule, condition: Term, consequence: Term, outcome: Variable
) -> Iterator[tuple[bool, Term]]:
    if condition == outcome.symbol:
        if _mentions(consequence, outcome.id):
            raise _unreadable(rule, outcome)
        yield False, negate(consequence)
        return
    assert isinstance(consequence, Apply)
    right = consequence.args[1]
    if _mentions(right, outcome.id):
        raise _unreadable(rule, outcome)
    yield True, right
    yield False, negate(right)


def _implications(term: Term) -> Iterator[tuple[Term, Term]]:
    """The term as implications: a bare consequence has the condition `true`."""
    if isinstance(term, Apply) and term.op is Op.AND:
        for part in term.args:
            yield from _implications(part)
    elif isinstance(term, Apply) and term.op is Op.IMPLIES:
        condition, consequence = term.args
        parts: Sequence[Term] = (consequence,)
        if isinstance(consequence, Apply) and consequence.op is Op.AND:
            parts = consequence.args
        for part in parts:
            yield condition, part
    else:
        yield TRUE, term


def _literal(term: Term, outcome: Variable) -> bool | None:
    if isinstance(term, Symbol) and term.id == outcome.id:
        return True
    if term == Apply(Op.NOT, (outcome.symbol,), BOOL):
        return False
    return None


def _unreadable(rule: Rule, outcome: Variable) -> DefaultNotPossibleError:
    return DefaultNotPossibleError(
        f"rule `{rule.name}` decides `{outcome.name}` in a form from which no default can be "
        "made; write it as 'if ..., then', or leave the outcome open"
    )
