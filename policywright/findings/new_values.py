"""What takes the place of variables when a case is turned into one of the other side.

A fee that a rule equates with a sum changes with the parts of the sum, in every case
by another amount. So it is replaced by what the rule says it equals, and only what no
rule defines by the value it was seen to have.
"""

from __future__ import annotations

from collections.abc import Mapping

from policywright.evaluate import Value
from policywright.findings.questions import Questions
from policywright.solver import compiled
from policywright.terms import Apply, Literal, Op, Symbol, Term, substitute

MAX_DEPTH = 4
"""Definitions within definitions that are followed; what is deeper keeps its value."""


def new_values(inner: Questions, changed: Mapping[str, Value]) -> dict[str, Term]:
    """A term for each variable that changes, also for those that change with it."""
    prepared, by_id = compiled(inner.model), inner.model.variable_by_id
    definitions = _definitions(inner)
    moved = set(changed)
    while more := {
        symbol_id
        for symbol_id, term in definitions.items()
        if symbol_id not in moved and prepared.symbols(term) & moved
    }:
        moved |= more

    def resolved(symbol_id: str, within: tuple[str, ...]) -> Term:
        term = definitions.get(symbol_id)
        if term is not None and symbol_id not in within and len(within) < MAX_DEPTH:
            inside = prepared.symbols(term) & moved
            return substitute(term, {i: resolved(i, (*within, symbol_id)) for i in sorted(inside)})
        if symbol_id in changed:
            return Literal(changed[symbol_id], by_id[symbol_id].sort)
        return by_id[symbol_id].symbol

    return {symbol_id: resolved(symbol_id, ()) for symbol_id in sorted(moved)}


def _definitions(inner: Questions) -> dict[str, Term]:
    """Of each variable that is no fact what the first rule that is an equation equates it with."""
    prepared, others = compiled(inner.model), {v.id for v in inner.others}
    found: dict[str, Term] = {}
    for rule in inner.terms[: len(inner.session.rules)]:
        if not isinstance(rule, Apply) or rule.op is not Op.EQ:
            continue
        for one, other in (rule.args, rule.args[::-1]):
            if not isinstance(one, Symbol) or one.id not in others or one.id in found:
                continue
            if not prepared.symbols(other) & {one.id, *inner.model.definition_by_id}:
                found[one.id] = other
                break
    return found
