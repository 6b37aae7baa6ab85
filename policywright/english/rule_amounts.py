"""Amounts in a rule's tree as terms.

Whether a comparison is one of whole numbers or of Reals is settled for the whole
of it: where anything can only be Real, every whole number becomes `to_real`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from policywright.english.amounts import added_unit
from policywright.english.joints import Readings, RuleNotReadError
from policywright.english.lattice import RuleToken
from policywright.english.rule_trees import RuleTree, amount_parts, own_tokens, subtrees
from policywright.english.rule_units import TreeUnits, counted
from policywright.model import PolicyModel
from policywright.sorts import INT, REAL, Sort
from policywright.terms import (
    Term,
    add,
    div,
    integer,
    ite,
    mul,
    neg,
    real,
    sub,
    to_int,
    to_real,
)

ReadCondition = Callable[[RuleTree], Readings]
HALF = real(Fraction(1, 2))


class _NeedsRealError(Exception):
    """Something in a comparison can only be Real."""


class AmountReader:
    """Reads the amounts of one text; `read_condition` reads what stands behind an `if`."""

    def __init__(
        self, model: PolicyModel, tokens: list[RuleToken], read_condition: ReadCondition
    ) -> None:
        self.model = model
        self.tokens = tokens
        self.read_condition = read_condition
        self.units = TreeUnits(model, tokens)

    def read(self, trees: Sequence[RuleTree]) -> list[Term]:
        """The amounts of one comparison, brought to one sort."""
        unit = next((unit for tree in trees if (unit := self.units.unit(tree))), "")
        values = next((sort for tree in trees if (sort := self._list_sort(tree))), None)
        whole = _Comparison(self, INT, unit, values)
        try:
            terms = [whole.build(tree, unit) for tree in trees]
            if not whole.shows_point or whole.has_variable:
                return terms
        except _NeedsRealError:
            pass
        exact = _Comparison(self, REAL, unit, values)
        return [exact.build(tree, unit) for tree in trees]

    def token(self, tree: RuleTree) -> RuleToken:
        """The first token of a tree's own."""
        return self.tokens[own_tokens(tree)[0].start_pos or 0]

    def only(self, tree: RuleTree) -> Term:
        """What the phrase of a tree stands for."""
        (term,) = self.token(tree).terms
        return term

    def _list_sort(self, tree: RuleTree) -> Sort | None:
        """The list that the values in an amount are of, where something tells it."""
        if tree.data in ("symbol", "value"):
            terms = self.token(tree).terms
            return terms[0].sort if len(terms) == 1 and terms[0].sort.is_enumeration else None
        found = (self._list_sort(part) for part in amount_parts(tree))
        return next((sort for sort in found if sort), None)


class _Comparison:
    """Builds the amounts of one comparison at one sort; `unit` is what the whole is counted in."""

    def __init__(self, reader: AmountReader, sort: Sort, unit: str, values: Sort | None) -> None:
        self.reader = reader
        self.sort = sort
        self.unit = unit
        self.values = values
        self.shows_point = False
        self.has_variable = False

    def build(self, tree: RuleTree, unit: str, *, factor: bool = False) -> Term:
        """The term of an amount; `unit` is what a constant in it is counted in."""
        parts = amount_parts(tree)
        if tree.data not in ("symbol", "value", "literal"):
            unit = self.reader.units.unit(tree) or unit
        match tree.data:
            case "symbol":
                return self.symbol(self.reader.only(tree))
            case "value":
                return self.value(self.reader.token(tree))
            case "literal":
                return self.literal(self.reader.token(tree), unit, factor)
            case "whole":
                return self.build(parts[0], unit, factor=factor)
            case "picked":
                return self.picked(tree, unit)
            case "as_number" | "picked_number":
                self.need_real()
                return to_real(self.number(tree, parts, unit))
            case "rounded":
                return self.rounded(tree, parts[0], unit)
            case "times":
                return mul(*(self.build(part, "", factor=True) for part in parts))
            case "divided":
                self.need_real()
                above = "" if self.reader.units.unit(parts[1]) else unit
                return div(self.build(parts[0], above), self.build(parts[1], "", factor=True))
            case "part_of":
                self.need_real()
                percent = self.reader.token(tree).quantity
                assert percent is not None
                return mul(real(percent.value), self.build(parts[0], "", factor=True))
            case "negative":
                return neg(self.build(parts[0], unit))
        assert tree.data == "sum", tree.data
        return self.sum(tree, parts, unit)

    def symbol(self, term: Term) -> Term:
        if term.sort == REAL:
            self.need_real()
        self.has_variable = True
        return self.at_sort(term)

    def value(self, token: RuleToken) -> Term:
        """A value, by the list of what it is compared with."""
        fitting = [term for term in token.terms if term.sort == self.values]
        if len(fitting) != 1:
            reason = f"it is not clear which list `{token.text}` belongs to"
            raise RuleNotReadError(reason, [token.word])
        return fitting[0]

    def literal(self, token: RuleToken, unit: str, factor: bool) -> Term:
        value = counted(token, unit, self.unit, factor=factor)
        if self.sort == REAL:
            return real(value)
        if value.denominator != 1:
            self.need_real()
        assert token.quantity is not None
        self.shows_point |= token.shows_point and token.quantity.kind != "PERCENT"
        return integer(int(value))

    def picked(self, tree: RuleTree, unit: str) -> Term:
        parts = subtrees(tree)
        conditions = self.reader.read_condition(parts[1])
        if len(conditions) != 1:
            raise RuleNotReadError("a condition in brackets has two readings; write it as a rule")
        return ite(conditions[0], self.build(parts[0], unit), self.build(parts[2], unit))

    def number(self, tree: RuleTree, parts: Sequence[RuleTree], unit: str) -> Term:
        """A whole number that is used as a Real."""
        inner = _Comparison(self.reader, INT, self.unit, self.values)
        try:
            if tree.data == "picked_number":
                return inner.picked(tree, unit)
            return inner.build(parts[0], unit)
        except _NeedsRealError:
            token = self.reader.token(tree)
            raise RuleNotReadError(
                "what stands behind `the number` is no whole number", [token.word]
            ) from None

    def rounded(self, tree: RuleTree, part: RuleTree, unit: str) -> Term:
        """`floor(x)`, `-floor(-x)` or `floor(x + 1/2)`."""
        inner = _Comparison(self.reader, REAL, self.unit, self.values).build(part, unit)
        way = own_tokens(tree)[0].type
        if way == "DOWN":
            return self.at_sort(to_int(inner))
        if way == "UP":
            return self.at_sort(neg(to_int(neg(inner))))
        return self.at_sort(to_int(add(inner, HALF)))

    def sum(self, tree: RuleTree, parts: Sequence[RuleTree], unit: str) -> Term:
        """From the left; several `+` in a row are one sum. To a date days are added.

        `a - 100 + b` is a sum of `a - 100` and `b`: the constant is counted in what
        its own difference is counted in.
        """
        signs = [token.type for token in own_tokens(tree)]
        groups = _groups(parts, signs)
        units, so_far = [], self.reader.units.unit(parts[0])
        for sign, members in groups:
            for part in members:
                if part is not parts[0]:
                    other = self.reader.units.unit(part)
                    so_far = added_unit(so_far, other, subtracted=sign == "MINUS")
            units.append(so_far)
        for index in reversed(range(len(units))):
            unit = units[index] = units[index] or unit
        terms: list[Term] = []
        for (sign, members), counted_in in zip(groups, units, strict=True):
            terms += [self.build(part, self.unit_in_sum(part, counted_in)) for part in members]
            terms = [sub(*terms) if sign == "MINUS" else add(*terms)]
        return terms[0]

    def unit_in_sum(self, part: RuleTree, unit: str) -> str:
        if unit != "date" or part.data != "literal":
            return unit
        quantity = self.reader.token(part).quantity
        return "date" if quantity is not None and quantity.unit == "date" else "days"

    def at_sort(self, term: Term) -> Term:
        return to_real(term) if self.sort == REAL and term.sort == INT else term

    def need_real(self) -> None:
        if self.sort != REAL:
            raise _NeedsRealError


def _groups(parts: Sequence[RuleTree], signs: Sequence[str]) -> list[tuple[str, list[RuleTree]]]:
    """The sums and differences of a row, the innermost first; each is the first of the next."""
    groups: list[tuple[str, list[RuleTree]]] = [(signs[0], [parts[0], parts[1]])]
    for sign, part in zip(signs[1:], parts[2:], strict=True):
        if sign == "PLUS" and groups[-1][0] == "PLUS":
            groups[-1][1].append(part)
        else:
            groups.append((sign, [part]))
    return groups
