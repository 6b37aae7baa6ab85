"""Comparisons with quantities: cost, age, length of service, counts, other amounts."""

from __future__ import annotations

from policywright.english.amount_terms import AmountTerms
from policywright.english.drafts import QuestionKind
from policywright.english.lexemes import Lexeme
from policywright.english.measures import BOUNDS, Measures, Range, literal
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.settings import Settings
from policywright.english.trees import (
    child,
    lexemes_of,
    noun_of,
    quantity_of,
    range_tree,
    text_of,
)
from policywright.english.verbs import agreeing, is_participle
from policywright.english.vocabulary import Vocabulary
from policywright.sorts import INT, REAL
from policywright.terms import Symbol, Term, and_, eq, ge, gt, le, lt, mul, real


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
                size = child(tree, "literal_size", "part_size", "named_size", "chosen_size")
                return self.exceeds(noun, size, positive=tree.data == "exceeds")
            case "is_aged" | "is_exact_age" | "aged" | "be_aged" | "aged_group" | "aged_anybody":
                return self.aged(noun, tree)
            case "lasts":
                return self.lasting(noun, tree)
            case "has_for":
                return self.for_time(noun, tree)
            case "has_completed":
                lexeme, _ = quantity_of(tree)
                return self.enough_time(noun, text_of(child(tree, "words")), lexeme)
        lexeme, quantity = quantity_of(tree)
        found = range_tree(tree)
        range_ = Range(found) if found is not None else None
        symbol = self.compared(noun, tree, lexeme, range_)
        if range_ is not None:
            return self.within(range_, symbol)
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
        if found is None:
            return eq(age, literal(quantity, INT))
        return self.within(Range(found), age)

    def within(self, range_: Range, symbol: Symbol) -> Term:
        """That a number lies in a range; whether the ends of `between` count is open."""
        if not range_.is_open:
            return range_.holds_of(symbol)
        lower, upper = range_.bounds
        ends = self.settings.choose(
            QuestionKind.BOUNDARY,
            question="does that count as between the two, and does the other end?",
            labels=(
                "both ends count", "neither end counts",
                "only the lower end, {value}, counts", "only the upper end counts",
            ),
            subject=symbol,
            value=lower.quantity.value,
        )  # fmt: skip
        low, high = (ge if ends in (0, 2) else gt), (le if ends in (0, 3) else lt)
        return and_(
            low(symbol, literal(lower.quantity, symbol.sort)),
            high(symbol, literal(upper.quantity, symbol.sort)),
        )

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
        if size.data == "chosen_size":
            term, unit = AmountTerms(self).read(size)
            return compare(self.like(noun, unit), term)
        right = self.amount(noun_of(child(size, "words")))
        left = self.like(noun, self.vocabulary.variable(right).unit)
        if left == right:
            raise NotUnderstoodError("an amount compared with itself", noun.words)
        if size.data == "named_size":
            return compare(left, right)
        _, percent = quantity_of(size)
        return compare(left, mul(real(percent.value), right))

    def compared_with(self, noun: Noun, tree: Node) -> Term:
        """`the cost of the repair is more than the value of the car`."""
        bound = lexemes_of(child(tree, "bound"))[0]
        right = self.amount(noun_of(child(tree, "words")))
        left = self.like(noun, self.vocabulary.variable(right).unit)
        if left == right:
            raise NotUnderstoodError("an amount compared with itself", noun.words)
        return BOUNDS[bound.type](left, right)

    def lasting(self, noun: Noun, tree: Node) -> Term:
        """`lasts longer than 6 months`: the duration of it."""
        range_ = Range(range_tree(tree) or tree)
        if range_.quantity.kind != "TIME":
            raise NotUnderstoodError("how long it lasts", (range_.lexeme.word,))
        name = f"the duration of {noun.one.full}"
        return self.within(range_, self.measures.named(name, range_.quantity))

    def for_time(self, noun: Noun, tree: Node) -> Term:
        """`has worked for more than two years`: the time for which the employee has worked."""
        words, range_ = text_of(child(tree, "words")), Range(range_tree(tree) or tree)
        have, link = (x for x in tree.children if isinstance(x, Lexeme))
        done = is_participle(words.split()[0])
        if link.text.lower() != "for" or range_.quantity.kind != "TIME" or not done:
            raise NotUnderstoodError("for how long", [x.word for x in lexemes_of(tree)])
        name = f"the time for which {noun.full} {agreeing(have.text, noun)} {words}"
        return self.within(range_, self.measures.named(name, range_.quantity))

    def late(self, noun: Noun, tree: Node) -> Term:
        """`is delayed by at least 5 hours`, `is more than 5 hours late`: the delay of it."""
        words = lexemes_of(child(tree, "words"))
        linked = [x.text.lower() for x in tree.children if isinstance(x, Lexeme)][1:]
        found = range_tree(tree)
        assert found is not None
        range_ = Range(found)
        of_time = range_.quantity.kind == "TIME" and linked in ([], ["by"])
        if len(words) != 1 or words[0].text.lower() not in ("late", "delayed") or not of_time:
            raise NotUnderstoodError("what is measured", [x.word for x in lexemes_of(tree)])
        symbol = self.measures.named(f"the delay of {noun.full}", range_.quantity)
        return self.within(range_, symbol)

    def like(self, noun: Noun, unit: str) -> Symbol:
        """A number of the unit of what it is compared with: known, or a new fact."""
        if self.vocabulary.known_number(noun.full) is not None or not noun.is_amount:
            left = self.amount(noun)
            if self.vocabulary.variable(left).unit != unit:
                raise NotUnderstoodError("amounts of different units are compared", noun.words)
            return left
        return self.vocabulary.number(noun.full, REAL, unit)

    def amount(self, noun: Noun, unit: str = "") -> Symbol:
        """A number that is known by its phrase, or a new fact in `unit` or the one currency.

        Raises NotUnderstoodError if there is neither: its unit could only be guessed.
        """
        known = self.vocabulary.known_number(noun.full)
        unit = unit or self.vocabulary.only_currency()
        if known is None and unit and noun.is_amount and not self.vocabulary.knows(noun.full):
            return self.vocabulary.number(noun.full, REAL, unit)
        if known is None or known.sort != REAL:
            raise NotUnderstoodError(
                f"`{noun.full}` is not known as an amount: no sentence before says it", noun.words
            )
        return known
