"""Conditions as words: one handler for each operator of the normal form.

Two plain conditions are joined in one sentence; three or more, or any nesting,
become a list whose head says all, any or none, so that no reader has to guess
how far an `and` or `or` reaches. Inside arithmetic, where no list can stand,
brackets do the same.
"""

from __future__ import annotations

from policywright.english.amounts import amount_text, is_bare, unit_of
from policywright.english.layout import Block, inline, joined, listed
from policywright.english.sayings import UNTRUE, Sayings
from policywright.english.words import join_words
from policywright.model import Role
from policywright.sorts import BOOL
from policywright.terms import (
    FALSE,
    ORDERINGS,
    TRUE,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    subterms,
)

_NUMBERS = {
    Op.GT: "is more than", Op.GE: "is at least", Op.LT: "is less than", Op.LE: "is at most",
}  # fmt: skip
_DATES = {
    Op.GT: "is after", Op.GE: "is on or after", Op.LT: "is before", Op.LE: "is on or before",
}  # fmt: skip
_HEADS = {
    (Op.AND, True): "all of the following hold",
    (Op.OR, True): "any of the following holds",
    (Op.AND, False): "not all of the following hold",
    (Op.OR, False): "none of the following holds",
}


class Conditions:
    """Says the conditions of one policy model; terms must be in normal form."""

    def __init__(self, sayings: Sayings) -> None:
        self.sayings = sayings
        self.model = sayings.model

    def block(self, term: Term) -> Block:
        """A condition as a statement of its own."""
        plain = self.plain(term)
        if plain is not None:
            return inline(plain)
        assert isinstance(term, Apply)
        if term.op in (Op.AND, Op.OR):
            return self.junction(term, True)
        if term.op is Op.IMPLIES:
            return self.implication(term)
        if term.op is Op.EQ:
            return joined(self.left(term.args[0]), "exactly if", self.part(term.args[1]))
        if term.op is Op.ITE:
            condition, then, otherwise = (self.part(arg) for arg in term.args)
            return joined("if", condition, ", then", then, ", and otherwise", otherwise)
        assert term.op is Op.NOT
        return self.negation(term.args[0])

    def part(self, term: Term) -> Block:
        """A condition as a part of a sentence: one clause, two joined ones, or a list."""
        if self.plain(term) is None and not self.makes_list(term):
            return listed("the following holds", (self.block(term),))
        return self.block(term)

    def left(self, term: Term) -> Block:
        """As `part`, where words follow that belong to the whole."""
        plain = self.plain(term)
        if plain is not None and not plain.startswith(UNTRUE):
            return inline(plain)
        assert isinstance(term, Apply)
        if term.op is Op.NOT and isinstance(term.args[0], Symbol):
            return self.negation(term.args[0])
        if term.op in (Op.AND, Op.OR):
            return self.listed_junction(term, True)
        return self.part(term)

    def makes_list(self, term: Term) -> bool:
        if not isinstance(term, Apply):
            return False
        inner = term.args[0] if term.op is Op.NOT else term
        return isinstance(inner, Apply) and inner.op in (Op.AND, Op.OR)

    def junction(self, term: Apply, positive: bool) -> Block:
        texts = [self.plain(arg) for arg in term.args]
        if positive and len(texts) == 2 and all(_joins(text) for text in texts):
            word = "and" if term.op is Op.AND else "or"
            return inline(f"{texts[0]} {word} {texts[1]}")
        return self.listed_junction(term, positive)

    def listed_junction(self, term: Apply, positive: bool) -> Block:
        head = _HEADS[term.op, positive]
        return listed(head, tuple(self.item(arg) for arg in term.args))

    def item(self, term: Term) -> Block:
        """A condition in a list: an `and` or `or` in it is a list too, however short."""
        if isinstance(term, Apply) and term.op in (Op.AND, Op.OR):
            return self.listed_junction(term, True)
        return self.block(term)

    def implication(self, term: Apply) -> Block:
        condition, result = term.args
        if self.says_only_if(condition, result):
            assert isinstance(condition, Symbol)
            return joined(self.sayings.clause(condition), "only if", self.part(result))
        return joined("if", self.part(condition), ", then", self.part(result))

    def says_only_if(self, condition: Term, result: Term) -> bool:
        """An outcome that rests on facts; where it fixes an amount, `if` reads better."""
        if not isinstance(condition, Symbol) or not self.is_outcome(condition):
            return False
        found = (node for node in subterms(result) if isinstance(node, Symbol))
        return not any(self.is_outcome(node) and node.sort != BOOL for node in found)

    def is_outcome(self, symbol: Symbol) -> bool:
        variable = self.model.variable_by_id.get(symbol.id)
        return variable is not None and variable.role is Role.OUTCOME

    def negation(self, term: Term) -> Block:
        if isinstance(term, Apply) and term.op in (Op.AND, Op.OR):
            return self.listed_junction(term, False)
        if isinstance(term, Apply) and term.op is Op.EQ:
            texts = [self.plain(arg) for arg in term.args]
            if all(_joins(text) for text in texts):
                return inline(f"either {texts[0]} or {texts[1]}, but not both")
            return listed(
                "exactly one of the following holds", tuple(self.item(arg) for arg in term.args)
            )
        return listed("the following does not hold", (self.block(term),))

    def plain(self, term: Term) -> str | None:
        """A condition that is one clause without a connective; None for any other."""
        if isinstance(term, Symbol):
            return self.sayings.clause(term)
        if isinstance(term, Literal):
            return {TRUE: "this always holds", FALSE: "this never holds"}[term]
        if term.op in ORDERINGS or (term.op is Op.EQ and term.args[0].sort != BOOL):
            return self.comparison(term)
        if term.op is Op.DISTINCT:
            return self.distinct(term, "are all different")
        if term.op is not Op.NOT:
            return None
        inner = term.args[0]
        if isinstance(inner, Symbol):
            return self.sayings.negative(inner)
        if isinstance(inner, Apply) and inner.op is Op.EQ and inner.args[0].sort != BOOL:
            return self.comparison(inner, "is not")
        if isinstance(inner, Apply) and inner.op is Op.DISTINCT:
            return self.distinct(inner, "are not all different")
        return None

    def comparison(self, term: Apply, equal: str = "is") -> str:
        left, right = term.args
        unit = unit_of(self.model, left) or unit_of(self.model, right)
        words = _DATES if unit == "date" else _NUMBERS
        verb = equal if term.op is Op.EQ else words[term.op]
        bare = all(is_bare(arg) for arg in term.args)
        return f"{self.amount(left, unit, bare)} {verb} {self.amount(right, unit, bare)}"

    def distinct(self, term: Apply, words: str) -> str:
        unit = next((unit for arg in term.args if (unit := unit_of(self.model, arg))), "")
        bare = all(is_bare(arg) for arg in term.args)
        return f"{join_words([self.amount(arg, unit, bare) for arg in term.args])} {words}"

    def amount(self, term: Term, unit: str, bare: bool = False) -> str:
        if term.sort == BOOL:
            return self.within(term)
        text = amount_text(self.sayings, term, unit, self.within, tells_sort=bare)
        return f"({text})" if isinstance(term, Apply) and term.op is Op.ITE else text

    def within(self, term: Term) -> str:
        """A condition inside arithmetic: in one line, brackets around what is joined."""
        plain = self.plain(term)
        if plain is not None:
            return plain if _joins(plain) else f"({plain})"
        assert isinstance(term, Apply)
        if term.op is Op.NOT:
            return f"(it is not true that {self.within(term.args[0])})"
        texts = [self.within(arg) for arg in term.args]
        if term.op in (Op.AND, Op.OR):
            return f"({f' {term.op.value} '.join(texts)})"
        if term.op is Op.IMPLIES:
            return f"(if {texts[0]}, then {texts[1]})"
        if term.op is Op.ITE:
            return f"(if {texts[0]}, then {texts[1]}, and otherwise {texts[2]})"
        assert term.op is Op.EQ
        return f"({texts[0]} exactly if {texts[1]})"


def _joins(clause: str | None) -> bool:
    """Whether `and`, `or` may follow a clause; a 'not' in front might reach behind them."""
    return clause is not None and not clause.startswith(UNTRUE)
