"""A term with values put in, and what is then known worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from policywright.evaluate import evaluate
from policywright.terms import (
    FALSE,
    TRUE,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    and_,
    boolean,
    fold,
    not_,
    or_,
    rebuild,
)


def reduced(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with symbols replaced by id; conditions that are then decided are left out."""

    def visit(node: Term, args: Sequence[Term]) -> Term:
        if isinstance(node, Symbol):
            return values.get(node.id, node)
        if isinstance(node, Literal):
            return node
        if node.op in (Op.AND, Op.OR):
            return _junction(node.op, args)
        if node.op is Op.NOT:
            return _negated(args[0])
        if node.op is Op.IMPLIES:
            return _junction(Op.OR, (_negated(args[0]), args[1]))
        if node.op is Op.ITE and isinstance(args[0], Literal):
            return args[1] if args[0] == TRUE else args[2]
        known = node.sort.key == "Bool" and all(isinstance(arg, Literal) for arg in args)
        made = rebuild(node, args)
        return boolean(evaluate(made, {}) is True) if known else made

    return fold(term, visit)


def _junction(op: Op, args: Sequence[Term]) -> Term:
    neutral, final = (TRUE, FALSE) if op is Op.AND else (FALSE, TRUE)
    if final in args:
        return final
    left = [arg for arg in args if arg != neutral]
    if not left:
        return neutral
    return and_(*left) if op is Op.AND else or_(*left)


def _negated(term: Term) -> Term:
    if isinstance(term, Literal):
        return boolean(term == FALSE)
    return term.args[0] if isinstance(term, Apply) and term.op is Op.NOT else not_(term)
