"""Numeric terms as words: `75% of the regular fee`, `4 × the fare`, `a - (b + c)`.

A constant takes the unit of what it is added to or compared with. Brackets
keep the tree: a reader, and the grammar, can tell which operation comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial, reduce

from policywright.english.sayings import Sayings
from policywright.english.values import has_decimals, number_text, quantity_text
from policywright.model import PolicyModel, Variable
from policywright.sorts import REAL
from policywright.terms import ARITHMETIC, Apply, Literal, Op, Symbol, Term, fold

_SUMS = frozenset({Op.ADD, Op.SUB})
_NOT_CHOICE = frozenset(ARITHMETIC)
_PRODUCTS = frozenset({Op.MUL, Op.DIV})
SayCondition = Callable[[Term], str]


def amount_text(
    sayings: Sayings,
    term: Term,
    unit: str,
    say_condition: SayCondition,
    *,
    tells_sort: bool = False,
) -> str:
    """A term that is not a condition; `unit` is what a bare constant is counted in.

    With `tells_sort`, a constant says of which sort it is: `1.0`, `low of Season`.
    """
    return _Amounts(sayings, say_condition, tells_sort).say(term, unit)


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
    found: str = fold(term, partial(_unit, model, {}))
    return found


def _unit(model: PolicyModel, known: dict[str, str], term: Term, units: Sequence[str]) -> str:
    """The unit of a node by those of its arguments; `known` holds the definitions met."""
    if isinstance(term, Symbol):
        declared = model.declared(term.id)
        if isinstance(declared, Variable):
            return declared.unit
        if term.id not in known:
            known[term.id] = fold(declared.term, partial(_unit, model, known))
        return known[term.id]
    if isinstance(term, Literal):
        return ""
    if term.op is Op.MUL:
        return product_unit(units)
    if term.op is Op.DIV:
        return "" if units[1] else units[0]
    if term.op in _SUMS:
        subtracted = term.op is Op.SUB
        return reduce(lambda one, other: added_unit(one, other, subtracted=subtracted), units)
    counted = units[1:] if term.op is Op.ITE else units
    return next((unit for unit in counted if unit), "")


def added_unit(one: str, other: str, *, subtracted: bool) -> str:
    """The unit of a sum or difference of two; between two dates lie days."""
    if subtracted and one == other == "date":
        return "days"
    if not subtracted and "date" in (one, other):
        return "date"
    return one or other


def product_unit(units: Sequence[str]) -> str:
    """A share of an amount is an amount; other products have no simple unit."""
    known = [unit for unit in units if unit]
    without_shares = [unit for unit in known if unit != "share"]
    if not without_shares:
        return "share" if len(known) == 1 else ""
    return without_shares[0] if len(without_shares) == 1 else ""


class _Amounts:
    def __init__(self, sayings: Sayings, say_condition: SayCondition, tells_sort: bool) -> None:
        self.sayings = sayings
        self.model = sayings.model
        self.say_condition = say_condition
        self.tells_sort = tells_sort

    def say(self, term: Term, unit: str) -> str:
        if isinstance(term, Literal):
            return self.literal(term, unit)
        if isinstance(term, Symbol):
            return self.sayings.clause(term)
        return self.apply(term, unit)

    def literal(self, literal: Literal, unit: str) -> str:
        if literal.sort.is_enumeration:
            return self.sayings.value(literal, of_list=self.tells_sort)
        assert isinstance(literal.value, (int, Fraction))
        if self.tells_sort and not unit and literal.sort == REAL:
            text = quantity_text(literal.value, unit)
            return text if literal.value.denominator != 1 else f"{text}.0"
        return quantity_text(literal.value, unit)

    def apply(self, term: Apply, unit: str) -> str:
        unit = unit_of(self.model, term) or unit
        rounded = _rounding(term)
        if rounded is not None:
            inner = _Amounts(self.sayings, self.say_condition, is_bare(rounded[0]))
            return f"{inner.factor(rounded[0], unit)} {rounded[1]}"
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
        units = self.units_in_sum(term, unit)
        texts = [self.bracketed(first, units[0], keeps)]
        texts += [self.bracketed(arg, u, _PRODUCTS) for arg, u in zip(rest, units[1:], strict=True)]
        return sign.join(texts)

    def units_in_sum(self, term: Apply, unit: str) -> list[str]:
        """What each argument is counted in: to a date, given or first of all, days are added."""
        if unit != "date":
            return [unit] * len(term.args)
        units = ["days" if isinstance(arg, Literal) else unit for arg in term.args]
        if isinstance(term.args[0], Literal) and unit_of(self.model, term) != "date":
            units[0] = "date"
        return units

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


def _rounding(term: Apply) -> tuple[Term, str] | None:
    """What is rounded, and how: `floor(x)`, `floor(x + 1/2)` or `-floor(-x)`."""
    if term.op is Op.NEG:
        floor = term.args[0]
        if isinstance(floor, Apply) and floor.op is Op.TO_INT:
            inner = floor.args[0]
            if isinstance(inner, Apply) and inner.op is Op.NEG:
                return inner.args[0], "rounded up"
        return None
    if term.op is not Op.TO_INT:
        return None
    inner = term.args[0]
    if isinstance(inner, Apply) and inner.op is Op.ADD and len(inner.args) == 2:
        amount, added = inner.args
        if isinstance(added, Literal) and added.value == Fraction(1, 2):
            return amount, "rounded to the nearest whole number"
    return inner, "rounded down"


def _sounds_like_symbol(term: Apply) -> bool:
    return term.op is Op.TO_REAL


def _is_part(term: Term) -> bool:
    """A constant between 0 and 1 in front of a product is said as a percentage."""
    if not isinstance(term, Literal) or not isinstance(term.value, Fraction):
        return False
    return 0 < term.value < 1 and has_decimals(term.value)
