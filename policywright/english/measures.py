"""What a quantity measures about a noun.

`Trips over EUR 1,000`: the cost of the trip; `visitors under 12`: the visitor's
age; `a stay of more than 3 days`: the duration of the stay. Where the words do
not say what is measured, nothing is drafted.

Money, shares, hours and measures are Real; whole days, weeks, months, years and
counts are Int.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from policywright.english.lexicon import AMOUNTS, PERSONS
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.quantities import Quantity
from policywright.english.trees import lexemes_of, quantity_of_lexeme
from policywright.english.vocabulary import Vocabulary
from policywright.english.words import word_set
from policywright.sorts import INT, REAL, Sort
from policywright.terms import Symbol, Term, and_, eq, ge, gt, integer, le, lt, real

BOUNDS = {
    "ATLEAST": ge, "ATMOST": le, "UPTO": le, "MORE": gt, "OVER": gt, "LESS": lt, "UNDER": lt,
    "EXACTLY": eq,
}  # fmt: skip
_SPANS = word_set("duration length time period notice delay")
_LASTING = word_set(
    "trip stay visit contract project absence meeting journey course event training assignment "
    "loan session flight holiday internship placement leave rental hire lease tenancy subscription "
    "break probation project"
)
_PARTED = word_set("hours minutes")
_DIMENSIONS = {
    "kilometres": "distance", "miles": "distance", "metres": "length", "kilograms": "weight",
    "grams": "weight", "litres": "volume",
}  # fmt: skip
_COUNTS = word_set("number count size score grade")
_BOUGHT = word_set(
    "trip purchase ticket hotel flight room meal item journey travel event training course order "
    "repair project equipment software subscription service visit stay car licence"
)


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range: how a number is compared, and with what."""

    compare: Callable[..., Term]
    quantity: Quantity

    def holds_of(self, symbol: Symbol) -> Term:
        return self.compare(symbol, literal(self.quantity, symbol.sort))


class Range:
    """A range of quantities: `more than EUR 1,000`, `60 or over`, `at least 10 but under 30 days`.

    `bounds` are its ends; `quantity` is the one that tells what is measured. With
    `is_open` the words do not say whether the ends themselves belong to it.
    """

    def __init__(self, tree: Node) -> None:
        lexemes = [lexeme for lexeme in lexemes_of(tree) if lexeme.quantity]
        self.lexeme = lexemes[-1]
        self.quantity = quantity_of_lexeme(self.lexeme)
        words = [lexeme for lexeme in lexemes_of(tree) if not lexeme.quantity]
        self.bound_words = {word for lexeme in words for word in lexeme.text.lower().split()}
        self.is_open = tree.data == "between"
        if self.is_open:
            compares: list[Callable[..., Term]] = [ge, le]
        elif tree.data in ("or_more", "or_less"):
            compares = [ge if tree.data == "or_more" else le]
        else:
            compares = [BOUNDS[lexeme.type] for lexeme in words if lexeme.type in BOUNDS]
        quantities = [self.alike(quantity_of_lexeme(lexeme)) for lexeme in lexemes]
        if self.is_open:
            quantities.sort(key=lambda quantity: quantity.value)
        self.bounds = tuple(map(Bound, compares, quantities))

    def alike(self, quantity: Quantity) -> Quantity:
        """`at least 10 but fewer than 30 days`: 10 is counted in days too."""
        if (quantity.kind, quantity.unit) == (self.quantity.kind, self.quantity.unit):
            return quantity
        if quantity.kind == "NUMBER" and not quantity.unit:
            return replace(self.quantity, value=quantity.value)
        weeks = {quantity.unit: 1, self.quantity.unit: 1} | {"weeks": 7, "days": 1}
        if {quantity.unit, self.quantity.unit} == {"days", "weeks"}:
            value = quantity.value * weeks[quantity.unit] / weeks[self.quantity.unit]
            return replace(self.quantity, value=value)
        raise NotUnderstoodError("the two ends of a range are counted in different units")

    @property
    def may_be_age(self) -> bool:
        """`over 65`, `65 or older`: said of persons without the word age."""
        of_ages = self.bound_words & word_set("over under older younger between")
        return self.quantity.kind == "NUMBER" and bool(of_ages)

    def holds_of(self, symbol: Symbol) -> Term:
        return and_(*(bound.holds_of(symbol) for bound in self.bounds))


def literal(quantity: Quantity, sort: Sort) -> Term:
    """The constant; a fraction of something counted in whole numbers is refused."""
    if sort == REAL:
        return real(quantity.value)
    if quantity.value.denominator != 1:
        raise NotUnderstoodError("a part of a unit that is counted in whole numbers")
    return integer(int(quantity.value))


def sort_of(quantity: Quantity) -> Sort:
    """Whole days, weeks, months, years and counts are Int, all else is Real."""
    counted = quantity.kind in ("TIME", "NUMBER", "DATE") and quantity.unit not in _PARTED
    return INT if counted else REAL


def is_measure(noun: Noun) -> bool:
    """`a credit score`, `a duration`, `an income`: nouns that are numbers themselves."""
    return noun.head in _SPANS | _COUNTS | AMOUNTS | {"age", *_DIMENSIONS.values()}


class Measures:
    """Finds the number variable that a quantity belongs to."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def of_noun(self, noun: Noun, quantity: Quantity) -> Symbol:
        """What a quantity says of a noun whose measure is not named.

        Raises NotUnderstoodError if that cannot be told.
        """
        if noun.head == "age" and quantity.unit in ("", "years"):
            return self.vocabulary.number(noun.full, INT, "years")
        name = self._measured(noun, quantity)
        if not name:
            raise NotUnderstoodError(
                f"the sentence does not say what of `{noun.kind}` is measured", noun.words
            )
        return self.named(name, quantity)

    def named(self, name: str, quantity: Quantity) -> Symbol:
        return self.vocabulary.number(name, sort_of(quantity), quantity.unit)

    def age(self, noun: Noun) -> Symbol:
        if noun.head not in PERSONS and not noun.is_speaker:
            raise NotUnderstoodError(f"`{noun.kind}` is not known to have an age", noun.words)
        return self.vocabulary.number(f"{noun.possessive} age", INT, "years")

    def completed(self, noun: Noun, what: str, quantity: Quantity) -> Symbol:
        """How much of something somebody has behind them: `the employee's completed service`."""
        return self.named(f"{noun.possessive} completed {what}", quantity)

    def _measured(self, noun: Noun, quantity: Quantity) -> str:
        one = noun.one
        if quantity.kind == "MONEY":
            if noun.head in AMOUNTS:
                return one.full
            if noun.head in PERSONS or noun.is_speaker:
                return ""
            return f"the {'cost' if noun.head in _BOUGHT else 'amount'} of {one.full}"
        if quantity.kind == "PERCENT":
            return one.full if noun.head in AMOUNTS else ""
        if quantity.kind == "TIME":
            if noun.head in _SPANS:
                return one.full
            return f"the duration of {one.full}" if noun.head in _LASTING else ""
        if quantity.kind == "MEASURE":
            dimension = _DIMENSIONS[quantity.unit]
            return one.full if noun.head == dimension else f"the {dimension} of {one.full}"
        if quantity.kind == "DATE":
            return one.full if noun.head in ("date", "day", "deadline") else ""
        return one.full if noun.head in _COUNTS else ""
