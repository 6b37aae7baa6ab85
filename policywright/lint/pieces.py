"""A rule taken apart into pieces: under which conditions it concludes what of which variable.

`(=> (and a b) y)` is one piece. `(= y phi)` is two: y where phi holds, not y where it does
not. `(=> y fact)`, 'only if', decides y as well: not y where the fact fails. Definitions
are written out, terms in normal form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from policywright.definitions import written_out
from policywright.errors import EvaluationError
from policywright.evaluate import holds
from policywright.model import PolicyModel, Role
from policywright.normal import negate, normal_form
from policywright.sorts import BOOL
from policywright.terms import (
    ORDERINGS,
    TRUE,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    boolean,
    not_,
    substitute,
    symbols,
)

MAX_PIECES = 400
"""Of one rule; what is beyond is not looked at for conflicts and thresholds."""


class Way(Enum):
    """How a consequence decides its variable."""

    VALUE = "a value"
    NOT = "not this value"
    BOUND = "a bound"
    NONE = "nothing"


@dataclass(frozen=True)
class Piece:
    """`decides` is the variable concluded on, None if there is none; `value` what it is given."""

    number: int
    conditions: tuple[Term, ...]
    consequence: Term
    decides: str | None = None
    way: Way = Way.NONE
    value: Term | None = None


class PieceReader:
    """Takes the rules of one model apart."""

    def __init__(self, model: PolicyModel) -> None:
        self.model = model
        self._others = {v.id for v in model.variables if v.role is not Role.FACT}

    def read(self, number: int) -> tuple[Piece, ...]:
        term = normal_form(written_out(self.model, self.model.rules[number].term))
        found: list[Piece] = []
        for conditions, consequence in implications(term):
            for more, concluded in self._turned(conditions, consequence):
                found.append(self._piece(number, more, concluded))
                if len(found) >= MAX_PIECES:
                    return tuple(found)
        return tuple(found)

    def speaks_of_facts_alone(self, term: Term) -> bool:
        return not any(symbol.id in self._others for symbol in symbols(term))

    def _turned(
        self, conditions: tuple[Term, ...], consequence: Term
    ) -> Iterator[tuple[tuple[Term, ...], Term]]:
        """Equations of conditions as two implications, 'only if' the other way round."""
        if _is_equation_of_conditions(consequence):
            assert isinstance(consequence, Apply)
            left, right = consequence.args
            if self._is_decidable(right) and not self._is_decidable(left):
                left, right = right, left
            yield (*conditions, *conjuncts(right)), left
            yield (*conditions, *conjuncts(negate(right))), negate(left)
            return
        decided = [part for part in conditions if self._is_decidable(part)]
        if len(decided) == 1 and self.speaks_of_facts_alone(consequence):
            rest = tuple(part for part in conditions if part is not decided[0])
            yield (*rest, *conjuncts(negate(consequence))), negate(decided[0])
            return
        yield conditions, consequence

    def _piece(self, number: int, conditions: tuple[Term, ...], consequence: Term) -> Piece:
        conditions = tuple(dict.fromkeys(part for part in conditions if part != TRUE))
        decided = self._decided(consequence)
        return Piece(number, conditions, consequence, *(decided or ()))

    def _decided(self, term: Term) -> tuple[str, Way, Term | None] | None:
        positive = not (isinstance(term, Apply) and term.op is Op.NOT)
        inner = term if positive or not isinstance(term, Apply) else term.args[0]
        if isinstance(inner, Symbol):
            return (inner.id, Way.VALUE, boolean(positive)) if inner.id in self._others else None
        if not isinstance(inner, Apply) or inner.op not in ORDERINGS | {Op.EQ}:
            return None
        for one, other in (inner.args, inner.args[::-1]):
            lone = isinstance(one, Symbol) and one.id in self._others
            if lone and isinstance(one, Symbol) and one not in symbols(other):
                if inner.op in ORDERINGS:
                    return one.id, Way.BOUND, None
                return (one.id, Way.VALUE, other) if positive else (one.id, Way.NOT, None)
        return None

    def _is_decidable(self, term: Term) -> bool:
        return self._decided(term) is not None


def implications(term: Term) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """A term in normal form as (conditions, one consequence); what follows always has none."""
    stack: list[tuple[tuple[Term, ...], Term]] = [((), term)]
    while stack:
        conditions, node = stack.pop()
        if isinstance(node, Apply) and node.op is Op.AND:
            stack.extend((conditions, part) for part in reversed(node.args))
        elif isinstance(node, Apply) and node.op is Op.IMPLIES:
            stack.append(((*conditions, *conjuncts(node.args[0])), node.args[1]))
        elif isinstance(node, Apply) and node.op is Op.ITE and node.sort == BOOL:
            condition, then, otherwise = node.args
            stack.append(((*conditions, *conjuncts(negate(condition))), otherwise))
            stack.append(((*conditions, *conjuncts(condition)), then))
        else:
            yield conditions, node


def conjuncts(term: Term) -> tuple[Term, ...]:
    """What a term in normal form asks for, one by one; `not (a or b)` asks for both denials."""
    if isinstance(term, Apply) and term.op is Op.AND:
        return tuple(part for arg in term.args for part in conjuncts(arg))
    if isinstance(term, Apply) and term.op is Op.NOT:
        inner = term.args[0]
        if isinstance(inner, Apply) and inner.op is Op.OR:
            return tuple(part for arg in inner.args for part in conjuncts(negate(arg)))
    return () if term == TRUE else (term,)


def clash_of(one: Piece, other: Piece) -> Term | None:
    """When the consequences of two pieces about one variable exclude each other; None: never."""
    if one.value is None and other.value is not None:
        one, other = other, one
    if one.value is not None:
        assert one.decides is not None
        return _denied_with(other.consequence, one.decides, one.value)
    if one.way is Way.BOUND and other.way is Way.BOUND:
        return _bounds_clash(one, other)
    return None


def _denied_with(consequence: Term, variable_id: str, value: Term) -> Term | None:
    if any(symbol.id == variable_id for symbol in symbols(value)):
        return None
    denied = not_(substitute(consequence, {variable_id: value}))
    folded = _known(denied)
    return None if folded is False else TRUE if folded else normal_form(denied)


def _known(term: Term) -> bool | None:
    """The truth of a term without variables; None if it has some."""
    if symbols(term):
        return None
    try:
        return holds(term, {})
    except EvaluationError:
        return None


def _bounds_clash(one: Piece, other: Piece) -> Term | None:
    low, high = _bound(one), _bound(other)
    if low[0] == high[0]:
        return None
    if not low[0]:
        low, high = high, low
    strict = low[2] or high[2]
    op = Op.GE if strict else Op.GT
    clash = Apply(op, (low[1], high[1]), BOOL)
    folded = _known(clash)
    return None if folded is False else TRUE if folded else clash


def _bound(piece: Piece) -> tuple[bool, Term, bool]:
    """(whether it is a lower bound, the other side, whether it is strict)."""
    term = piece.consequence
    assert isinstance(term, Apply)
    left, right = term.args
    is_left = isinstance(left, Symbol) and left.id == piece.decides
    greater = term.op in (Op.GT, Op.GE)
    return greater is is_left, right if is_left else left, term.op in (Op.GT, Op.LT)


def _is_equation_of_conditions(term: Term) -> bool:
    return (
        isinstance(term, Apply)
        and term.op is Op.EQ
        and term.args[0].sort == BOOL
        and not any(isinstance(arg, Literal) for arg in term.args)
    )
