"""The normal form of a term: what approvals are bound to and what the English says.

Equal normal forms mean the same rule written in another way, not merely
equivalent rules: order of conditions stays, arithmetic is not rearranged.
Brought together are: nested `and` and `or`, `not not`, a negated comparison and
its opposite, `=` or `distinct` with true or false, `distinct` of two, `xor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policywright.sorts import BOOL
from policywright.terms import (
    FALSE,
    TRUE,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    and_,
    fold,
    not_,
    or_,
    rebuild,
)

_OPPOSITE = {Op.LT: Op.GE, Op.GE: Op.LT, Op.GT: Op.LE, Op.LE: Op.GT}


def normal_form(term: Term) -> Term:
    return fold(term, _normal)


def canonical(term: Term) -> Any:
    """The term as nested lists of strings, the same on every machine, for hashing."""
    return fold(term, _canonical)


def negate(term: Term) -> Term:
    """The normal form of the negation of a term in normal form."""
    return _normal(not_(term), (term,))


def _normal(node: Term, args: Sequence[Term]) -> Term:
    if not isinstance(node, Apply):
        return node
    if node.op is Op.NOT:
        return _negated(args[0])
    if node.op in (Op.AND, Op.OR):
        return _flat(node.op, args)
    if node.op is Op.EQ and args[0].sort == BOOL:
        return _boolean_equality(args[0], args[1])
    if node.op is Op.XOR:
        return _negated(_boolean_equality(args[0], args[1]))
    if node.op is Op.DISTINCT and len(args) == 2:
        if args[0].sort == BOOL:
            return _negated(_boolean_equality(args[0], args[1]))
        return Apply(Op.NOT, (Apply(Op.EQ, tuple(args), BOOL),), BOOL)
    return rebuild(node, args)


def _negated(term: Term) -> Term:
    if term == TRUE:
        return FALSE
    if term == FALSE:
        return TRUE
    if isinstance(term, Apply):
        if term.op is Op.NOT:
            return term.args[0]
        if term.op in _OPPOSITE:
            return Apply(_OPPOSITE[term.op], term.args, BOOL)
    return not_(term)


def _boolean_equality(left: Term, right: Term) -> Term:
    for constant, other in ((left, right), (right, left)):
        if constant == TRUE:
            return other
        if constant == FALSE:
            return _negated(other)
    return Apply(Op.EQ, (left, right), BOOL)


def _flat(op: Op, args: Sequence[Term]) -> Term:
    flat: list[Term] = []
    for arg in args:
        flat.extend(arg.args if isinstance(arg, Apply) and arg.op is op else (arg,))
    return and_(*flat) if op is Op.AND else or_(*flat)


def _canonical(node: Term, args: Sequence[Any]) -> Any:
    if isinstance(node, Symbol):
        return ["symbol", node.id]
    if isinstance(node, Literal):
        value = str(node.value).lower() if node.sort == BOOL else str(node.value)
        return ["literal", node.sort.key, value]
    return [node.op.value, *args]
