"""What a quantity measures about a noun.

`Trips over EUR 1,000`: the cost of the trip; `visitors under 12`: the visitor's
age; `a stay of more than 3 days`: the duration of the stay. Where the words do
not say what is measured, nothing is drafted.

Money and shares are Real; whole days, weeks, months, years and counts are Int.
"""

from __future__ import annotations

from policywright.english.lexicon import AMOUNTS, PERSONS
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.quantities import Quantity
from policywright.english.trees import lexemes_of, quantity_of
from policywright.english.vocabulary import Vocabulary
from policywright.english.words import word_set
from policywright.sorts import INT, REAL, Sort
from policywright.terms import Symbol, Term, eq, ge, gt, integer, le, lt, real

_BOUNDS = {
    "ATLEAST": ge, "ATMOST": le, "UPTO": le, "MORE": gt, "OVER": gt, "LESS": lt, "UNDER": lt,
    "EXACTLY": eq,
}  # fmt: skip
_SPANS = word_set("duration length time period notice delay")
_LASTING = word_set(
    "trip stay visit contract project absence meeting journey course event training assignment "
    "loan session flight holiday internship placement"
)
_COUNTS = word_set("number count size")
_BOUGHT = word_set(
    "trip purchase ticket hotel flight room meal item journey travel event training course order "
    "repair project equipment software subscription service visit stay car licence"
)


class Range:
    """A bound with its quantity, as in `more than EUR 1,000` or `60 or over`."""

    def __init__(self, tree: Node) -> None:
        self.lexeme, self.quantity = quantity_of(tree)
        bound = next(lexeme for lexeme in lexemes_of(tree) if not lexeme.quantity)
        self.bound_words = set(bound.text.lower().split())
        if tree.data == "bounded":
            self.compare = _BOUNDS[bound.type]
        else:
            self.compare = ge if tree.data == "or_more" else le

    @property
    def may_be_age(self) -> bool:
        """`over 65`, `65 or older`: said of persons without the word age."""
        of_ages = self.bound_words & word_set("over under older younger")
        return self.quantity.kind == "NUMBER" and bool(of_ages)

    def holds_of(self, symbol: Symbol) -> Term:
        return self.compare(symbol, literal(self.quantity, symbol.sort))


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
        sort = REAL if quantity.kind in ("MONEY", "PERCENT") else INT
        return self.vocabulary.number(name, sort, quantity.unit)

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
        if quantity.kind == "DATE":
            return one.full if noun.head in ("date", "day", "deadline") else ""
        return one.full if noun.head in _COUNTS else ""
