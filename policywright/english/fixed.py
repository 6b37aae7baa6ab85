"""Amounts that a policy fixes: a fee, a part of another amount, a rate, a charge."""

from __future__ import annotations

import re

from policywright.english.lexicon import AMOUNTS
from policywright.english.measures import literal
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.scope import Effect, Scope
from policywright.english.tokens import Lexeme
from policywright.english.trees import child, lexemes_of, noun_of, subtrees
from policywright.sorts import REAL
from policywright.terms import Symbol, Term, add, mul, real, sub

_SEASON = re.compile(r" in the (\w+) season$")


class FixedAmounts:
    """One method for each rule of the grammar that says how much something is."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.vocabulary = scope.vocabulary

    def amount_is(self, tree: Node) -> Effect:
        """`the fee is $50`, `the fee in the low season is 75% of the regular fee`."""
        noun_tree, amount = subtrees(tree)
        noun = noun_of(noun_tree)
        if not noun.is_definite:
            raise NotUnderstoodError(f"which `{noun.kind}` is meant", noun.words)
        term, unit = self.amount(subtrees(amount)[0] if amount.data == "amount" else amount)
        name = noun.full
        season = _SEASON.search(name)
        if season:
            name = name[: season.start()]
            low = season.group(1)
            self.scope.where.append(
                self.vocabulary.fact(f"it is the {low} season", f"it is not the {low} season")
            )
        return Effect("is", self.vocabulary.decided_number(name, unit), term)

    def grant_rate(self, tree: Node) -> Effect:
        """`visitors over 65 qualify for a discount of 40%`."""
        subject, rate = subtrees(tree)
        self.scope.restrict(self.scope.subject(subject))
        if not self.scope.where:
            raise NotUnderstoodError("it grants a rate and no condition says to whom")
        return self.charge(child(rate, "words"), rate)

    def flat_charge(self, tree: Node) -> Effect:
        """`a $10 processing fee applies`."""
        return self.charge(child(tree, "words"), tree)

    def charge(self, name: Node, tree: Node) -> Effect:
        quantity = next(x.quantity for x in lexemes_of(tree) if x.quantity)
        symbol = self.vocabulary.decided_number(_the(noun_of(name)), quantity.unit)
        return Effect("is", symbol, literal(quantity, REAL))

    def share_charge(self, tree: Node) -> Effect:
        """`a tax of 10% applies to the final fee`: the tax is 10% of it."""
        charge, base = (noun_of(words) for words in subtrees(tree))
        quantity = next(x.quantity for x in lexemes_of(tree) if x.quantity)
        base = base if base.is_definite else base.one
        self.scope.where += self.scope.predicates.facts.described(base)
        symbol = self.base(base.undescribed)
        unit = self.vocabulary.variable(symbol).unit
        amount = self.vocabulary.decided_number(_the(charge), unit)
        return Effect("is", amount, mul(literal(quantity, REAL), symbol))

    def amount(self, tree: Node) -> tuple[Term, str]:
        """A constant, a part of an amount, a known amount or a sum; with its unit."""
        if tree.data == "sum":
            return self.sum(tree)
        if tree.data == "reduced":
            return self.reduced(tree)
        quantity = next((x.quantity for x in lexemes_of(tree) if x.quantity), None)
        if tree.data == "constant":
            assert quantity is not None
            return literal(quantity, REAL), quantity.unit
        symbol = self.scope.predicates.sizes.amount(noun_of(child(tree, "words")))
        unit = self.vocabulary.variable(symbol).unit
        if tree.data == "part":
            assert quantity is not None
            return mul(real(quantity.value), symbol), unit
        return symbol, unit

    def reduced(self, tree: Node) -> tuple[Term, str]:
        """`the fee reduced by the discount`: less a share of it, or less an amount."""
        sizes = self.scope.predicates.sizes
        whole, less = (sizes.amount(noun_of(words)) for words in subtrees(tree))
        unit, unit_less = (self.vocabulary.variable(symbol).unit for symbol in (whole, less))
        if unit_less == "share" and unit != "share":
            return mul(whole, sub(real(1), less)), unit
        if unit_less != unit:
            raise NotUnderstoodError("amounts of different units are subtracted")
        return sub(whole, less), unit

    def sum(self, tree: Node) -> tuple[Term, str]:
        signs = [x.type for x in tree.children if isinstance(x, Lexeme) and x.type != "COMMA"]
        parts = [self.amount(part) for part in subtrees(tree)]
        units = {unit for _, unit in parts}
        if len(units) != 1:
            raise NotUnderstoodError("amounts of different units are added")
        result = parts[0][0]
        for sign, (term, _) in zip(signs, parts[1:], strict=True):
            result = add(result, term) if sign == "PLUS" else sub(result, term)
        return result, units.pop()

    def base(self, noun: Noun) -> Symbol:
        """What a percentage is taken of; the amount of a thing may be new."""
        if noun.head in AMOUNTS:
            return self.scope.predicates.sizes.amount(noun)
        if not noun.is_definite:
            self.scope.restrict(noun)
        name = f"the amount of {noun.full if noun.is_definite else f'the {noun.head}'}"
        return self.vocabulary.known_number(name) or self.vocabulary.number(name, REAL, "")


def _the(noun: Noun) -> str:
    """An amount that the policy fixes is one thing: `the processing fee`."""
    words = noun.full.removeprefix("the ")
    return words if noun.describing and noun.describing[0] in ("your", "our") else f"the {words}"
