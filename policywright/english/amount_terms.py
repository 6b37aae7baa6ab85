"""Amounts as terms with their unit: a constant, a part of an amount, sums, the lesser of two.

An amount that no sentence before names takes the unit of what it is added to or
compared with, or the one currency of the policy; where neither tells it, it is
not understood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from policywright.english.lexemes import Lexeme
from policywright.english.measures import literal
from policywright.english.nouns import NotUnderstoodError
from policywright.english.parse import Node
from policywright.english.quantities import Quantity
from policywright.english.trees import child, lexemes_of, noun_of, subtrees
from policywright.sorts import REAL
from policywright.terms import Term, add, gt, ite, lt, mul, real, sub

if TYPE_CHECKING:
    from policywright.english.sizes import Sizes

Amount = tuple[Term, str]


class AmountTerms:
    """Reads the amounts of one sentence; each comes with the unit it is counted in."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes

    def read(self, tree: Node, unit: str = "") -> Amount:
        """`unit` is what the amount stands beside is counted in, empty if nothing tells.

        Raises NotUnderstoodError where the unit cannot be told or units differ.
        """
        match str(tree.data):
            case "amount" | "amount_term":
                return self.read(subtrees(tree)[0], unit)
            case "sum":
                return self.sum(tree, unit)
            case "reduced":
                return self.reduced(tree)
            case "chosen" | "chosen_size":
                return self.chosen(tree, unit)
            case "capped" | "floored":
                return self.limited(tree, unit)
            case "constant" | "named_constant":
                quantity = _quantity(tree)
                return literal(quantity, REAL), quantity.unit
        symbol = self.sizes.amount(noun_of(child(tree, "words")), unit)
        found = self.sizes.vocabulary.variable(symbol).unit
        if tree.data == "part":
            return mul(real(_quantity(tree).value), symbol), found
        return symbol, found

    def together(self, trees: list[Node], unit: str = "") -> tuple[list[Term], str]:
        """Amounts of one unit: those that have one tell it to the others."""
        units = {_constant_unit(tree) for tree in trees} - {""}
        amounts = [self.read(tree, unit or (min(units) if units else "")) for tree in trees]
        found = {unit for _, unit in amounts}
        if len(found) != 1:
            raise NotUnderstoodError("amounts of different units stand together")
        return [term for term, _ in amounts], found.pop()

    def sum(self, tree: Node, unit: str) -> Amount:
        signs = [x.type for x in tree.children if isinstance(x, Lexeme) and x.type != "COMMA"]
        (result, *rest), unit = self.together(subtrees(tree), unit)
        for sign, term in zip(signs, rest, strict=True):
            result = add(result, term) if sign == "PLUS" else sub(result, term)
        return result, unit

    def reduced(self, tree: Node) -> Amount:
        """`the fee reduced by the discount`: less a share of it, or less an amount."""
        whole, less = (self.sizes.amount(noun_of(words)) for words in subtrees(tree))
        unit, unit_less = (self.sizes.vocabulary.variable(s).unit for s in (whole, less))
        if unit_less == "share" and unit != "share":
            return mul(whole, sub(real(1), less)), unit
        if unit_less != unit:
            raise NotUnderstoodError("amounts of different units are subtracted")
        return sub(whole, less), unit

    def chosen(self, tree: Node, unit: str) -> Amount:
        """`the lesser of A and B`; `A or B, whichever is greater`."""
        (first, second), unit = self.together(subtrees(tree), unit)
        lesser = any(lexeme.type in ("LESSER", "WHICHLESS") for lexeme in lexemes_of(tree))
        return ite((lt if lesser else gt)(first, second), first, second), unit

    def limited(self, tree: Node, unit: str) -> Amount:
        """`40% of the fare with a maximum of $675`."""
        (amount, limit), unit = self.together(subtrees(tree), unit)
        beyond = gt if tree.data == "capped" else lt
        return ite(beyond(amount, limit), limit, amount), unit


def _constant_unit(tree: Node) -> str:
    """The unit that an amount has by itself; a percentage beside money has none."""
    constants = ["constant", "named_constant"]
    if tree.data not in (*constants, "amount_term", "amount", "sum"):
        return ""
    found = [_quantity(t).unit for name in constants for t in tree.find_data(name)]
    return found[0] if found else ""


def _quantity(tree: Node) -> Quantity:
    return next(x.quantity for x in lexemes_of(tree) if x.quantity)
