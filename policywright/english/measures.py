"""What a quantity measures about a noun, and comparisons with it.

`Trips over EUR 1,000`: the cost of the trip; `visitors under 12`: the visitor's
age; `a stay of more than 3 days`: the stay itself. Where the words do not say
what is measured, nothing is drafted.

Money and shares are Real; whole days, weeks, months, years and counts are Int.
"""

from __future__ import annotations

from policywright.english.lexicon import AMOUNTS, HAVE_AMOUNT, PERSONS
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.quantities import Quantity
from policywright.english.tokens import Lexeme
from policywright.english.vocabulary import Vocabulary
from policywright.english.words import word_set
from policywright.sorts import INT, REAL, Sort
from policywright.terms import Symbol, Term, eq, ge, gt, integer, le, lt, real

_BOUNDS = {
    "ATLEAST": ge, "ATMOST": le, "UPTO": le, "MORE": gt, "OVER": gt, "LESS": lt, "UNDER": lt,
    "EXACTLY": eq,
}  # fmt: skip
_SPANS = word_set("duration length time period notice service delay stay absence leave wait")
_COUNTS = word_set("number count size")


class Range:
    """A bound with its quantity, as in `more than EUR 1,000` or `60 or over`."""

    def __init__(self, tree: Node) -> None:
        lexemes = list(tree.scan_values(lambda value: isinstance(value, Lexeme)))
        quantity = next(lexeme for lexeme in lexemes if lexeme.quantity)
        assert quantity.quantity
        self.quantity: Quantity = quantity.quantity
        self.word = quantity.word
        bound = next(lexeme for lexeme in lexemes if not lexeme.quantity)
        self.bound_text = bound.text.lower()
        if tree.data == "bounded":
            self.compare = _BOUNDS[bound.type]
        else:
            self.compare = ge if tree.data == "or_more" else le

    @property
    def may_be_age(self) -> bool:
        """`over 65`, `65 or over`: said of persons without the word age."""
        last = self.bound_text.split()[-1]
        return self.quantity.kind == "NUMBER" and last in ("over", "under", "older", "younger")


def literal(quantity: Quantity, sort: Sort) -> Term:
    """The constant; a fraction of something counted in whole numbers is refused."""
    if sort == REAL:
        return real(quantity.value)
    if quantity.value.denominator != 1:
        raise NotUnderstoodError("a part of a unit that is counted in whole numbers")
    return integer(int(quantity.value))


class Measures:
    """Finds the number variable that a quantity belongs to."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def compared(self, symbol: Symbol, range_: Range) -> Term:
        return range_.compare(symbol, literal(range_.quantity, symbol.sort))

    def of_noun(self, noun: Noun, quantity: Quantity) -> Symbol:
        """What a quantity says of a noun whose measure is not named.

        Raises NotUnderstoodError if that cannot be told.
        """
        name = self._measured(noun, quantity)
        if not name:
            raise NotUnderstoodError(
                f"the sentence does not say what of `{noun.kind}` is measured", noun.words
            )
        return self.vocabulary.number(name, _sort(quantity), quantity.unit)

    def named(self, name: str, quantity: Quantity) -> Symbol:
        return self.vocabulary.number(name, _sort(quantity), quantity.unit)

    def age(self, noun: Noun) -> Symbol:
        return self.vocabulary.number(f"{noun.possessive} age", INT, "years")

    def completed(self, noun: Noun, what: str, quantity: Quantity) -> Symbol:
        """How much of something somebody has behind them: `the employee's completed service`."""
        return self.named(f"{noun.possessive} completed {what}", quantity)

    def is_amount(self, noun: Noun) -> bool:
        return noun.head in AMOUNTS

    def amount_name(self, noun: Noun) -> str:
        """The phrase of a noun as an amount of money: itself, or the amount of it."""
        return noun.full if noun.head in AMOUNTS else f"the amount of {noun.entity}"

    def _measured(self, noun: Noun, quantity: Quantity) -> str:
        if quantity.kind == "MONEY":
            if noun.head in AMOUNTS:
                return noun.entity
            if noun.head in HAVE_AMOUNT:
                return f"the amount of {noun.entity}"
            return "" if noun.head in PERSONS or noun.is_speaker else f"the cost of {noun.entity}"
        if quantity.kind == "PERCENT":
            return noun.entity if noun.head in AMOUNTS else ""
        if quantity.kind == "TIME":
            if noun.head in PERSONS or noun.is_speaker or noun.head in AMOUNTS:
                return ""
            return noun.entity if noun.head in _SPANS else f"the duration of {noun.entity}"
        if quantity.kind == "DATE":
            return noun.entity if noun.head in ("date", "day", "deadline") else ""
        if noun.head == "age":
            return ""
        return noun.entity if noun.head in _COUNTS else ""


def _sort(quantity: Quantity) -> Sort:
    return REAL if quantity.kind in ("MONEY", "PERCENT") else INT
