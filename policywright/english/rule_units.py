"""What the constants of a comparison are counted in, by the units around them.

Follows `amounts.unit_of`, but on trees, where the constants are still words.
"""

from __future__ import annotations

from fractions import Fraction

from policywright.english.amounts import added_unit, product_unit, unit_of
from policywright.english.joints import RuleNotReadError
from policywright.english.lattice import RuleToken
from policywright.english.quantities import measure_named
from policywright.english.rule_trees import RuleTree, amount_parts, own_tokens
from policywright.english.values import unit_word
from policywright.model import PolicyModel

IN_WEEKS = {"days": 7, "day": 7}


class TreeUnits:
    """The unit of each amount in a tree."""

    def __init__(self, model: PolicyModel, tokens: list[RuleToken]) -> None:
        self.model = model
        self.tokens = tokens
        self._known: dict[int, str] = {}

    def unit(self, tree: RuleTree) -> str:
        """The unit of an amount; empty where nothing says so."""
        if id(tree) not in self._known:
            self._known[id(tree)] = self._find(tree)
        return self._known[id(tree)]

    def _find(self, tree: RuleTree) -> str:
        parts = amount_parts(tree)
        if tree.data == "symbol":
            token = self.tokens[own_tokens(tree)[0].start_pos or 0]
            return unit_of(self.model, token.terms[0])
        if tree.data == "times":
            return product_unit([self.unit(part) for part in parts])
        if tree.data == "part_of":
            return product_unit([self.unit(parts[0])])
        if tree.data == "divided":
            above, below = (self.unit(part) for part in parts)
            return "" if below else above
        if tree.data in ("picked", "picked_number"):
            return self.unit(parts[0]) or self.unit(parts[1])
        if tree.data == "sum":
            return self._sum(tree, parts)
        return self.unit(parts[0]) if parts else ""

    def _sum(self, tree: RuleTree, parts: list[RuleTree]) -> str:
        signs = [token.type for token in own_tokens(tree)]
        unit = self.unit(parts[0])
        for sign, part in zip(signs, parts[1:], strict=True):
            unit = added_unit(unit, self.unit(part), subtracted=sign == "MINUS")
        return unit


def counted(token: RuleToken, unit: str, outer: str, *, factor: bool) -> Fraction:
    """The value of a constant that is counted in `unit`.

    `outer` is the unit of the comparison, in which a part of a product may be given
    too (`EUR 5 × the nights`). Raises RuleNotReadError where the units do not meet.
    """
    quantity = token.quantity
    assert quantity is not None
    value = quantity.value
    if quantity.kind == "PERCENT":
        if unit == "percent" and not factor:
            return value * 100
        if unit in ("share", ""):
            return value
    elif not quantity.unit:
        if unit in ("share", "percent") and value != 0 and not factor:
            raise RuleNotReadError(f"`{token.text}` needs its `%`", [token.word])
        if unit != "date":
            return value
    elif _same(quantity.unit, unit) or (not unit and _same(quantity.unit, outer)):
        return value
    elif quantity.unit == "weeks" and unit in IN_WEEKS:
        return value * IN_WEEKS[unit]
    elif quantity.unit == "days" and unit == "weeks":
        return value / 7
    known = {"": "an amount without a unit", "date": "a date"}.get(unit, f"an amount in {unit}")
    raise RuleNotReadError(f"`{token.text}` meets {known}", [token.word])


def _same(given: str, unit: str) -> bool:
    unit = " ".join(unit.split())
    return bool(unit) and _plain(given) == _plain(unit)


def _plain(unit: str) -> str:
    return unit_word(measure_named(unit_word(unit, 1).lower()), 1)
