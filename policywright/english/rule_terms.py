"""Trees of `rule.lark` as terms.

Whether a comparison is one of whole numbers or of Reals is settled for the
whole of it: any Real in it makes every whole number `to_real`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lark import Tree

from policywright.english.amounts import unit_of
from policywright.english.drafts import Word
from policywright.english.rule_tokens import RuleToken
from policywright.errors import PolicywrightError
from policywright.model import PolicyModel
from policywright.sorts import INT, REAL, Sort
from policywright.terms import (
    FALSE,
    TRUE,
    Term,
    add,
    and_,
    distinct,
    div,
    eq,
    ge,
    gt,
    implies,
    integer,
    ite,
    le,
    lt,
    mul,
    neg,
    not_,
    or_,
    real,
    sub,
    symbols,
    to_int,
    to_real,
)

RuleTree = Tree[RuleToken]
_RELATIONS: dict[str, Callable[[Term, Term], Term]] = {
    "MORE": gt, "ATLEAST": ge, "LESS": lt, "ATMOST": le, "IS": eq,
    "ISNOT": lambda left, right: not_(eq(left, right)),
}  # fmt: skip


class RuleNotReadError(PolicywrightError):
    """A text that is no rule of the model; `words` are those that were not understood.

    `near` holds, for the first of them, known phrases that resemble what stands there.
    """

    def __init__(
        self, reason: str, words: Sequence[Word] = (), near: Sequence[tuple[str, ...]] = ()
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.words = tuple(words)
        self.near = tuple(near)


class RuleTerms:
    """Reads the trees of one model."""

    def __init__(self, model: PolicyModel) -> None:
        self.model = model

    def condition(self, tree: RuleTree) -> Term:
        parts = [child for child in tree.children if isinstance(child, Tree)]
        match tree.data:
            case "start":
                return self.condition(parts[0])
            case "fact":
                return _only(_token(tree))
            case "constant":
                return TRUE if _token(tree).type == "ALWAYS" else FALSE
            case "comparison":
                return self.comparison(parts)
            case "distinct":
                words = [c.type for c in tree.children if isinstance(c, RuleToken)]
                term = distinct(*self.amounts(parts))
                return term if words[-1] == "DIFFERENT" else not_(term)
            case "list":
                return self.listed(parts)
        terms = [self.condition(part) for part in parts]
        match tree.data:
            case "all_of":
                return and_(*terms)
            case "any_of":
                return or_(*terms)
            case "implication":
                return implies(*terms)
            case "choice":
                return ite(*terms)
            case "equality":
                return eq(*terms)
            case "exclusive":
                return not_(eq(*terms))
        assert tree.data == "untrue", tree.data
        return not_(terms[0])

    def listed(self, parts: Sequence[RuleTree]) -> Term:
        head = _token(parts[0]).type
        terms = [self.condition(part) for part in parts[1:]]
        if head in ("HOLDS", "HOLDSNOT") and len(terms) != 1:
            raise RuleNotReadError("this list has one item", [_token(parts[0]).word])
        if head == "ONEOF" and len(terms) != 2:
            raise RuleNotReadError("this list has two items", [_token(parts[0]).word])
        match head:
            case "ALLOF":
                return and_(*terms)
            case "ANYOF":
                return or_(*terms)
            case "NOTALLOF":
                return not_(and_(*terms))
            case "NONEOF":
                return not_(or_(*terms))
            case "ONEOF":
                return not_(eq(*terms))
        return terms[0] if head == "HOLDS" else not_(terms[0])

    def comparison(self, parts: Sequence[RuleTree]) -> Term:
        left, relation, right = parts
        return _RELATIONS[_token(relation).type](*self.amounts([left, right]))

    def amounts(self, trees: Sequence[RuleTree]) -> list[Term]:
        """Amounts that stand in one comparison, brought to one sort."""
        units = {unit for tree in trees for unit in self.units(tree)}
        scale = 100 if "percent" in units and "share" not in units else 1
        sort = REAL if any(_is_real(tree, scale) for tree in trees) else INT
        lists = [term.sort for tree in trees for term in _telling(tree)]
        amounts = Amounts(self, sort, units, scale, next(iter(lists), None))
        return [amounts.build(tree) for tree in trees]

    def units(self, tree: RuleTree) -> set[str]:
        tokens = tree.scan_values(lambda value: isinstance(value, RuleToken))
        terms = [term for token in tokens for term in token.terms]
        return {unit for term in terms for s in symbols(term) if (unit := unit_of(self.model, s))}


class Amounts:
    """Builds the amounts of one comparison at one sort."""

    def __init__(
        self, terms: RuleTerms, sort: Sort, units: set[str], scale: int, values: Sort | None
    ) -> None:
        self.terms = terms
        self.sort = sort
        self.units = units
        self.scale = scale
        self.values = values

    def build(self, tree: RuleTree) -> Term:
        parts = [child for child in tree.children if isinstance(child, Tree)]
        match tree.data:
            case "symbol":
                return self.at_sort(_only(_token(tree)))
            case "value":
                return self.value(_token(tree))
            case "literal":
                return self.literal(_token(tree))
            case "bracketed":
                return self.build(parts[0])
            case "picked":
                then, condition, otherwise = parts
                chosen = self.build(then), self.build(otherwise)
                return ite(self.terms.condition(condition), *chosen)
            case "as_number":
                return to_real(self.of_sort(INT).build(parts[0]))
            case "rounded":
                return self.at_sort(to_int(self.of_sort(REAL).build(parts[0])))
            case "part_of":
                percent = _token(tree).quantity
                assert percent is not None
                return mul(real(percent.value), self.build(parts[0]))
        built = [self.build(part) for part in parts]
        match tree.data:
            case "times":
                return mul(*built)
            case "divided":
                return div(*built)
            case "negative":
                return neg(built[0])
        assert tree.data == "sum", tree.data
        return _sum(built, [c.type for c in tree.children if isinstance(c, RuleToken)])

    def of_sort(self, sort: Sort) -> Amounts:
        return Amounts(self.terms, sort, self.units, self.scale, self.values)

    def value(self, token: RuleToken) -> Term:
        """A value, by the list of what it is compared with."""
        fitting = [term for term in token.terms if term.sort == self.values]
        if len(fitting) != 1:
            raise RuleNotReadError(f"which list `{token.text}` belongs to", [token.word])
        return fitting[0]

    def at_sort(self, term: Term) -> Term:
        return to_real(term) if self.sort == REAL and term.sort == INT else term

    def literal(self, token: RuleToken) -> Term:
        quantity = token.quantity
        assert quantity is not None
        value = quantity.value
        if quantity.unit and self.units and quantity.unit not in self.units | {"share"}:
            known = " and ".join(sorted(self.units))
            raise RuleNotReadError(f"`{token.text}` meets an amount in {known}", [token.word])
        if quantity.kind == "PERCENT":
            value *= self.scale
        if self.sort == REAL:
            return real(value)
        return integer(int(value))


def _sum(terms: Sequence[Term], signs: Sequence[str]) -> Term:
    """From the left; several `+` in a row are one sum."""
    group = [terms[0]]
    for sign, term in zip(signs, terms[1:], strict=True):
        if sign == "PLUS":
            group.append(term)
        else:
            group = [sub(add(*group), term)]
    return add(*group)


def _is_real(tree: RuleTree, scale: int) -> bool:
    """Whether something in an amount can only be Real; percentages count times `scale`."""
    if tree.data in ("divided", "part_of", "as_number"):
        return True
    if tree.data == "rounded":
        return False
    if tree.data == "symbol":
        return _token(tree).terms[0].sort == REAL
    if tree.data == "literal":
        token = _token(tree)
        assert token.quantity is not None
        factor = scale if token.quantity.kind == "PERCENT" else 1
        return token.shows_point or (token.quantity.value * factor).denominator != 1
    return any(_is_real(part, scale) for part in _amount_parts(tree))


def _telling(tree: RuleTree) -> list[Term]:
    """What in an amount tells which list its values are of."""
    if tree.data in ("symbol", "value"):
        terms = _token(tree).terms
        return list(terms) if len(terms) == 1 and terms[0].sort.is_enumeration else []
    return [term for part in _amount_parts(tree) for term in _telling(part)]


def _amount_parts(tree: RuleTree) -> list[RuleTree]:
    """The amounts in an amount; of a choice not its condition."""
    parts = [child for child in tree.children if isinstance(child, Tree)]
    return [parts[0], parts[2]] if tree.data == "picked" else parts


def _token(tree: RuleTree) -> RuleToken:
    return next(child for child in tree.children if isinstance(child, RuleToken))


def _only(token: RuleToken) -> Term:
    if len(token.terms) != 1:
        raise RuleNotReadError(f"`{token.text}` is said of more than one variable", [token.word])
    return token.terms[0]
