"""Comparisons with quantities: cost, age, length of service, counts, other amounts."""

from __future__ import annotations

from policywright.english.drafts import QuestionKind
from policywright.english.lexicon import AMOUNTS
from policywright.english.measures import Measures, Range, literal
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.settings import Settings
from policywright.english.tokens import Lexeme
from policywright.english.trees import (
    child,
    lexemes_of,
    noun_of,
    quantity_of,
    range_tree,
    text_of,
)
from policywright.english.vocabulary import Vocabulary
from policywright.sorts import INT, REAL
from policywright.terms import Symbol, Term, eq, ge, gt, le, mul, real


class Sizes:
    """Reads the predicates and limits that hold a quantity."""

    def __init__(self, vocabulary: Vocabulary, settings: Settings) -> None:
        self.vocabulary = vocabulary
        self.settings = settings
        self.measures = Measures(vocabulary)

    def comparison(self, noun: Noun, tree: Node) -> Term:
        """What a predicate with a quantity says of a noun.

        Raises NotUnderstoodError where it does not say what is compared.
        """
        match tree.data:
            case "exceeds" | "exceeds_not":
                size = child(tree, "literal_size", "part_size", "named_size")
                return self.exceeds(noun, size, positive=tree.data == "exceeds")
            case "is_aged" | "is_exact_age" | "aged" | "be_aged" | "aged_group" | "aged_anybody":
                return self.aged(noun, tree)
            case "has_completed":
                lexeme, _ = quantity_of(tree)
                return self.enough_time(noun, text_of(child(tree, "words")), lexeme)
        lexeme, quantity = quantity_of(tree)
        found = range_tree(tree)
        range_ = Range(found) if found is not None else None
        symbol = self.compared(noun, tree, lexeme, range_)
        if range_ is not None:
            return range_.holds_of(symbol)
        return eq(symbol, literal(quantity, symbol.sort))

    def compared(self, noun: Noun, tree: Node, lexeme: Lexeme, range_: Range | None) -> Symbol:
        quantity = lexeme.quantity
        assert quantity is not None
        match tree.data:
            case "has_completed_range":
                return self.measures.completed(noun, text_of(child(tree, "words")), quantity)
            case "has_count" | "with_count":
                assert range_ is not None
                return self.count(noun, range_, child(tree, "words"))
            case "costs" | "costing":
                if quantity.kind != "MONEY":
                    raise NotUnderstoodError("a cost that is no amount of money", (lexeme.word,))
                return self.measures.named(f"the cost of {noun.one.full}", quantity)
        if range_ is not None and range_.may_be_age and noun.head != "age":
            return self.measures.age(noun)
        return self.measures.of_noun(noun, quantity)

    def aged(self, noun: Noun, tree: Node) -> Term:
        lexeme, quantity = quantity_of(tree)
        if quantity.unit not in ("", "years"):
            raise NotUnderstoodError("ages are counted in years", (lexeme.word,))
        age = self.measures.age(noun)
        found = range_tree(tree)
        return eq(age, literal(quantity, INT)) if found is None else Range(found).holds_of(age)

    def enough_time(self, noun: Noun, what: str, lexeme: Lexeme) -> Term:
        """`six months of service` completed: whether exactly six are enough is open."""
        quantity = lexeme.quantity
        assert quantity is not None
        symbol = self.measures.completed(noun, what, quantity)
        strict = self.settings.choose(
            QuestionKind.BOUNDARY,
            question="is that enough?",
            labels=("exactly {value} is enough", "more than {value} is needed"),
            subject=symbol,
            value=quantity.value,
        )
        return (gt if strict else ge)(symbol, literal(quantity, symbol.sort))

    def count(self, noun: Noun, range_: Range, words: Node) -> Symbol:
        """`at least 100 employees`, `more than six months of service`."""
        lexemes = lexemes_of(words)
        if range_.quantity.kind == "TIME" and lexemes[0].type == "OF" and len(lexemes) > 1:
            what = " ".join(lexeme.text for lexeme in lexemes[1:])
            return self.measures.completed(noun, what, range_.quantity)
        if range_.quantity.kind != "NUMBER" or any(x.type != "WORD" for x in lexemes):
            raise NotUnderstoodError(
                f"`{text_of(words)}` after a quantity", [lexeme.word for lexeme in lexemes]
            )
        return self.measures.named(
            f"the number of {text_of(words)} of {noun.one.full}", range_.quantity
        )

    def exceeds(self, noun: Noun, size: Node, *, positive: bool) -> Term:
        compare = gt if positive else le
        if size.data == "literal_size":
            _, quantity = quantity_of(size)
            symbol = self.measures.of_noun(noun, quantity)
            return compare(symbol, literal(quantity, symbol.sort))
        right = self.amount(noun_of(child(size, "words")))
        left = self.like(noun, right)
        if left == right:
            raise NotUnderstoodError("an amount compared with itself", noun.words)
        if size.data == "named_size":
            return compare(left, right)
        _, percent = quantity_of(size)
        return compare(left, mul(real(percent.value), right))

    def like(self, noun: Noun, other: Symbol) -> Symbol:
        """A number of the unit of what it is compared with: known, or a new fact."""
        unit = self.vocabulary.variable(other).unit
        if self.vocabulary.known_number(noun.full) is not None or noun.head not in AMOUNTS:
            left = self.amount(noun)
            if self.vocabulary.variable(left).unit != unit:
                raise NotUnderstoodError("amounts of different units are compared", noun.words)
            return left
        return self.vocabulary.number(noun.full, REAL, unit)

    def amount(self, noun: Noun) -> Symbol:
        """A number that is known by its phrase.

        Raises NotUnderstoodError if there is none: its unit could only be guessed.
        """
        known = self.vocabulary.known_number(noun.full)
        if known is None or known.sort != REAL:
            raise NotUnderstoodError(
                f"`{noun.full}` is not known as an amount: no sentence before says it", noun.words
            )
        return known
