"""Numeric terms as words: `75% of the regular fee`, `4 × the fare`, `a - (b + c)`.

A constant takes the unit of what it is added to or compared with. Brackets
keep the tree: a reader, and the grammar, can tell which operation comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from policywright.english.phrases import phrases_of, value_phrase
from policywright.english.values import has_decimals, number_text, quantity_text
from policywright.model import Definition, PolicyModel, Variable
from policywright.sorts import REAL
from policywright.terms import ARITHMETIC, Apply, Literal, Op, Symbol, Term

_SUMS = frozenset({Op.ADD, Op.SUB})
_NOT_CHOICE = frozenset(ARITHMETIC)
_PRODUCTS = frozenset({Op.MUL, Op.DIV})
SayCondition = Callable[[Term], str]


def amount_text(
    model: PolicyModel,
    term: Term,
    unit: str,
    say_condition: SayCondition,
    *,
    tells_sort: bool = False,
) -> str:
    """A term that is not a condition; `unit` is what a bare constant is counted in.

    With `tells_sort`, a constant says of which sort it is: `1.0`, `low of Season`.
    """
    return _Amounts(model, say_condition, tells_sort).say(term, unit)


def is_bare(term: Term) -> bool:
    """Whether nothing but constants tells its sort: no variable stands in it as it is."""
    if isinstance(term, Symbol):
        return False
    if isinstance(term, Literal) or term.op in (Op.TO_REAL, Op.TO_INT):
        return True
    args = term.args[1:] if term.op is Op.ITE else term.args
    return all(is_bare(arg) for arg in args)


def unit_of(model: PolicyModel, term: Term) -> str:
    """What a numeric term is counted in; empty where nothing says so."""
    if isinstance(term, Symbol):
        return _declared_unit(model, model.declared(term.id))
    if isinstance(term, Literal):
        return ""
    if term.op is Op.MUL:
        return _product_unit([unit_of(model, arg) for arg in term.args])
    if term.op is Op.DIV:
        above, below = (unit_of(model, arg) for arg in term.args)
        return "" if below else above
    args = term.args[1:] if term.op is Op.ITE else term.args
    return next((unit for arg in args if (unit := unit_of(model, arg))), "")


def _declared_unit(model: PolicyModel, declared: Variable | Definition) -> str:
    return declared.unit if isinstance(declared, Variable) else unit_of(model, declared.term)


def _product_unit(units: list[str]) -> str:
    """A share of an amount is an amount; other products have no simple unit."""
    known = [unit for unit in units if unit]
    without_shares = [unit for unit in known if unit != "share"]
    if not without_shares:
        return "share" if len(known) == 1 else ""
    return without_shares[0] if len(without_shares) == 1 else ""


class _Amounts:
    def __init__(self, model: PolicyModel, say_condition: SayCondition, tells_sort: bool) -> None:
        self.model = model
        self.say_condition = say_condition
        self.tells_sort = tells_sort

    def say(self, term: Term, unit: str) -> str:
        if isinstance(term, Literal):
            return self.literal(term, unit)
        if isinstance(term, Symbol):
            return phrases_of(self.model, term.id).text
        return self.apply(term, unit)

    def literal(self, literal: Literal, unit: str) -> str:
        if literal.sort.is_enumeration:
            datatype = self.model.datatype_by_id[literal.sort.key]
            text = value_phrase(datatype.value(str(literal.value)))
            return f"{text} of {datatype.name}" if self.tells_sort else text
        assert isinstance(literal.value, (int, Fraction))
        if self.tells_sort and not unit and literal.sort == REAL:
            text = quantity_text(literal.value, unit)
            return text if literal.value.denominator != 1 else f"{text}.0"
        return quantity_text(literal.value, unit)

    def apply(self, term: Apply, unit: str) -> str:
        unit = unit_of(self.model, term) or unit
        match term.op:
            case Op.ADD | Op.SUB:
                return self.sum(term, unit)
            case Op.MUL:
                return self.product(term)
            case Op.DIV:
                below = unit_of(self.model, term.args[1])
                above = self.factor(term.args[0], "" if below else unit)
                return f"{above} ÷ {self.factor(term.args[1], '')}"
            case Op.NEG:
                return f"minus {self.factor(term.args[0], unit)}"
            case Op.TO_REAL:
                whole = self.say(term.args[0], unit)
                plain = isinstance(term.args[0], Symbol) and not self.tells_sort
                return whole if plain else f"the number ({whole})"
            case Op.TO_INT:
                inner = _Amounts(self.model, self.say_condition, is_bare(term.args[0]))
                return f"{inner.factor(term.args[0], unit)} rounded down"
            case Op.ITE:
                condition, then, otherwise = term.args
                texts = [self.bracketed(arg, unit, _NOT_CHOICE) for arg in (then, otherwise)]
                return f"{texts[0]} if {self.say_condition(condition)}, otherwise {texts[1]}"
        raise AssertionError(f"{term.op} is not arithmetic")

    def sum(self, term: Apply, unit: str) -> str:
        sign = " + " if term.op is Op.ADD else " - "
        first, *rest = term.args
        # Read from the left: `a + b - c` is `(a + b) - c`, but `(a + b) + c` is not `a + b + c`.
        keeps = _PRODUCTS | (_SUMS - {Op.ADD} if term.op is Op.ADD else _SUMS)
        texts = [self.bracketed(first, unit, keeps)]
        texts += [self.bracketed(arg, unit, _PRODUCTS) for arg in rest]
        return sign.join(texts)

    def product(self, term: Apply) -> str:
        first, *rest = term.args
        if len(rest) == 1 and _is_part(first):
            assert isinstance(first, Literal)
            assert isinstance(first.value, Fraction)
            return f"{number_text(first.value * 100)}% of {self.factor(rest[0], '')}"
        return " × ".join(self.factor(arg, "") for arg in term.args)

    def factor(self, term: Term, unit: str) -> str:
        return self.bracketed(term, unit, frozenset())

    def bracketed(self, term: Term, unit: str, without: frozenset[Op]) -> str:
        text = self.say(term, unit)
        plain = not isinstance(term, Apply) or term.op in without
        plain = plain or (isinstance(term, Apply) and _sounds_like_symbol(term))
        return text if plain else f"({text})"


def _sounds_like_symbol(term: Apply) -> bool:
    return term.op is Op.TO_REAL


def _is_part(term: Term) -> bool:
    """A constant between 0 and 1 in front of a product is said as a percentage."""
    if not isinstance(term, Literal) or not isinstance(term.value, Fraction):
        return False
    return 0 < term.value < 1 and has_decimals(term.value)
