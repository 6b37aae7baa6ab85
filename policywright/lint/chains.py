"""What supports a condition: the rules that give its variables their values, one by one.

A condition on a derived variable is met in a case of facts where a rule concludes it, whose
own conditions are met, and so on, up to a number of rules. What is met in another way (by
cases, by contraposition) is not seen here; what is seen is confirmed by a solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from policywright.errors import EvaluationError
from policywright.evaluate import holds
from policywright.lint.boxes import interval_of
from policywright.lint.pieces import Piece, Way, conjuncts
from policywright.normal import normal_form
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
    or_,
    symbols,
)

MAX_CHAIN = 4
"""Rules one behind another."""

MAX_SIZE = 2_000
"""Of what supports one condition, written out; further ways to it are left aside."""


class Chains:
    """Support by the pieces of a policy; `by_variable` are those that decide each variable."""

    def __init__(self, by_variable: Mapping[str, Sequence[Piece]], decided: frozenset[str]) -> None:
        self._by_variable, self._decided = by_variable, decided
        self._known: dict[tuple[Term, int], Term] = {}

    def deciding(self, variable_id: str) -> Sequence[Piece]:
        return self._by_variable.get(variable_id, ())

    def support(self, parts: Iterable[Term], left: int = MAX_CHAIN - 1) -> Term:
        """When all parts are met through rules; TRUE where they speak of facts alone."""
        found: dict[Term, None] = {}
        for part in parts:
            term = self._of_part(part, left)
            if term == FALSE:
                return FALSE
            if term != TRUE:
                found[term] = None
        return and_(*found) if found else TRUE

    def _of_part(self, part: Term, left: int) -> Term:
        if not any(symbol.id in self._decided for symbol in symbols(part)):
            return TRUE
        key = part, left
        if key not in self._known:
            self._known[key] = FALSE  # No chain runs through itself.
            self._known[key] = self._made(part, left)
        return self._known[key]

    def _made(self, part: Term, left: int) -> Term:
        if isinstance(part, Apply) and part.op is Op.AND:
            return self.support(conjuncts(part), left)
        if isinstance(part, Apply) and part.op is Op.OR:
            ways = [_both(arg, self._of_part(arg, left)) for arg in part.args]
            return _any(ways)
        terms = []
        for symbol in symbols(part):
            if symbol.id in self._decided:
                terms.append(self._of_symbol(symbol, part, left))
        return FALSE if FALSE in terms else _all(terms)

    def _of_symbol(self, symbol: Symbol, part: Term, left: int) -> Term:
        if left == 0:
            return FALSE
        ways: list[Term] = []
        size = 0
        for piece in self._by_variable.get(symbol.id, ()):
            if not _gives(piece, symbol, part):
                continue
            below = self.support(piece.conditions, left - 1)
            if below == FALSE:
                continue
            way = _all([*piece.conditions, below])
            size += fold(way, lambda _, sizes: 1 + sum(sizes))
            if size > MAX_SIZE and ways:
                break
            ways.append(way)
        return _any(ways)


def _gives(piece: Piece, symbol: Symbol, part: Term) -> bool:
    """Whether a piece makes the part true by what it says of the symbol, or may."""
    if piece.consequence == part:
        return True
    if piece.way is Way.VALUE and piece.value is not None:
        if symbols(part) != (symbol,) or not isinstance(piece.value, Literal):
            return True
        try:
            return holds(part, {symbol.id: piece.value.value})
        except EvaluationError:
            return True
    if piece.way is Way.BOUND:
        told, asked = interval_of(piece.consequence), interval_of(part)
        return told is not None and asked is not None and told[1].meet(asked[1]) == told[1]
    return False


def _both(one: Term, other: Term) -> Term:
    return FALSE if other == FALSE else one if other == TRUE else and_(one, other)


def _all(terms: Sequence[Term]) -> Term:
    listed = list(dict.fromkeys(term for term in terms if term != TRUE))
    return normal_form(and_(*listed)) if listed else TRUE


def _any(ways: Sequence[Term]) -> Term:
    if TRUE in ways:
        return TRUE
    listed = list(dict.fromkeys(way for way in ways if way != FALSE))
    return normal_form(or_(*listed)) if listed else FALSE
