"""What a condition is made of: its parts, its comparisons, and the bounds in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeGuard

from policywright.evaluate import Value
from policywright.model import Variable
from policywright.sorts import BOOL, INT
from policywright.terms import (
    CONNECTIVES,
    FALSE,
    FLIPPED,
    ORDERINGS,
    TRUE,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    eq,
    not_,
    symbols,
)

_OPPOSITE = {Op.LT: Op.GE, Op.LE: Op.GT}


def conditions(side: Term, outcome: str) -> Iterator[tuple[Term, bool]]:
    """The parts of a side, each with whether it is a condition that may be met.

    Of `(=> condition outcome)` those of the condition, of `(=> outcome needed)` what is needed.
    """
    for rule in _parts(side):
        if not isinstance(rule, Apply) or rule.op is not Op.IMPLIES:
            yield rule, False
            continue
        for half in rule.args:
            speaks = any(symbol.id == outcome for symbol in symbols(half))
            for part in _parts(half):
                yield part, bool(outcome) and not speaks


def atoms(term: Term) -> dict[Term, Term]:
    """The conditions without connectives in a term, by a form that a negation shares."""
    found: dict[Term, Term] = {}
    pending = [term]
    while pending:
        node = pending.pop()
        if isinstance(node, Apply) and (node.op in CONNECTIVES or node.args[0].sort == BOOL):
            pending.extend(reversed(node.args))
        elif node.sort == BOOL and node not in (TRUE, FALSE):
            found.setdefault(_shared_form(node), node)
    return found


def compares_numbers(atom: Term) -> TypeGuard[Apply]:
    return (
        isinstance(atom, Apply) and atom.op in ORDERINGS | {Op.EQ} and atom.args[0].sort.is_number
    )


def bound_in(atom: Apply) -> tuple[str, Fraction] | None:
    """The id of the variable and the constant that an atom compares, if that is all it does."""
    one, other = atom.args
    if isinstance(other, Symbol):
        one, other = other, one
    if not isinstance(one, Symbol) or not isinstance(other, Literal):
        return None
    assert isinstance(other.value, (int, Fraction))
    return one.id, Fraction(other.value)


def equals(variable: Variable, value: Value) -> Term:
    if isinstance(value, bool):
        return variable.symbol if value else not_(variable.symbol)
    return eq(variable.symbol, Literal(value, variable.sort))


def as_number(variable: Variable, value: Fraction) -> Value:
    return int(value) if variable.sort == INT else value


def _parts(term: Term) -> Sequence[Term]:
    return term.args if isinstance(term, Apply) and term.op is Op.AND else (term,)


def _shared_form(atom: Term) -> Term:
    if not isinstance(atom, Apply) or atom.op not in ORDERINGS:
        return atom
    left, right = atom.args
    op = atom.op
    if isinstance(left, Literal):
        left, right, op = right, left, FLIPPED[op]
    return Apply(_OPPOSITE.get(op, op), (left, right), BOOL)
