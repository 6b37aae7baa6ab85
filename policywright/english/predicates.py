"""What is said of a noun, as a term: clauses become Boolean facts, sizes comparisons.

A fact's phrase holds only words that carry no logic; negation is taken out of
it, so that `has not signed` is the opposite of `has signed`.
"""

from __future__ import annotations

from collections.abc import Sequence

from policywright.english.drafts import QuestionKind
from policywright.english.lexicon import PERSONS, VERBS
from policywright.english.measures import Measures, Range, literal
from policywright.english.nouns import NotUnderstoodError, Noun, is_adjective, read_noun
from policywright.english.parse import Node
from policywright.english.settings import Settings
from policywright.english.tokens import Lexeme
from policywright.english.verbs import agreeing, past_of
from policywright.english.vocabulary import Vocabulary
from policywright.english.words import indefinite, third_person
from policywright.sorts import INT
from policywright.terms import (
    Symbol,
    Term,
    and_,
    eq,
    ge,
    gt,
    integer,
    le,
    mul,
    not_,
    or_,
    real,
)


def lexemes_of(tree: Node) -> list[Lexeme]:
    return list(tree.scan_values(lambda value: isinstance(value, Lexeme)))


def text_of(tree: Node) -> str:
    return " ".join(lexeme.text for lexeme in lexemes_of(tree))


def child(tree: Node, *names: str) -> Node:
    """The first subtree of one of these rules, among the tree's own children."""
    return next(c for c in subtrees(tree) if c.data in names)


def subtrees(tree: Node) -> list[Node]:
    return [c for c in tree.children if not isinstance(c, Lexeme)]


def noun_of(tree: Node) -> Noun:
    return read_noun(lexemes_of(tree))


class Predicates:
    """Reads conditions and predicates; `main` is what `they` refers to, if anything.

    With `decides`, clauses are what the policy decides, not facts of a case.
    """

    def __init__(
        self, vocabulary: Vocabulary, settings: Settings, *, decides: bool = False
    ) -> None:
        self.vocabulary = vocabulary
        self._say = vocabulary.outcome if decides else vocabulary.fact
        self.measures = Measures(vocabulary)
        self.settings = settings
        self.main: Noun | None = None

    def conditions(self, tree: Node) -> Term:
        terms = [self.condition(c) for c in subtrees(tree)]
        return or_(*terms) if tree.data == "any_of" else and_(*terms)

    def condition(self, tree: Node) -> Term:
        match tree.data:
            case "clause":
                noun, predicate = subtrees(tree)
                return self.predicate(noun_of(noun), predicate)
            case "they_clause":
                return self.predicate(self.antecedent(lexemes_of(tree)[0]).one, subtrees(tree)[0])
            case "no_clause":
                noun, predicate = subtrees(tree)
                if predicate.data not in ("is", "has"):
                    raise NotUnderstoodError(f"`no` before `{text_of(tree)}`")
                return not_(self.predicate(noun_of(noun), predicate))
            case "may_clause":
                noun, action = subtrees(tree)
                return self.fact(noun_of(noun), f"may {text_of(action)}", "may not", "may")
            case "applies":
                return self.applies(noun_of(child(tree, "noun")))
        assert tree.data == "plain", tree.data
        return self.plain_clause(lexemes_of(tree))

    def antecedent(self, they: Lexeme) -> Noun:
        if self.main is None or not self.main.plural:
            raise NotUnderstoodError("it is not sure whom `they` means", (they.word,))
        return self.main

    def predicate(self, noun: Noun, tree: Node) -> Term:
        """What a predicate says of a noun."""
        match tree.data:
            case "is" | "is_not":
                fact = self.is_clause(noun, lexemes_of(child(tree, "words")), lexemes_of(tree)[0])
                return not_(fact) if tree.data == "is_not" else fact
            case "has" | "has_not":
                words = text_of(child(tree, "words"))
                verb = agreeing(lexemes_of(tree)[0].text, noun)
                fact = self.fact(noun, f"{verb} {words}", f"{verb} not", verb)
                return not_(fact) if tree.data == "has_not" else fact
            case "does_not":
                return not_(self.does_clause(noun, tree))
            case "granted":
                words = agreeing(text_of(tree), noun)
                return self._say(f"{noun.full} {words}", _negated(noun.full, words))
        return self.sized(noun, tree)

    def sized(self, noun: Noun, tree: Node) -> Term:
        """A predicate with a quantity; what describes any of a kind is a condition too."""
        described = self.described(noun)
        compared = self.comparison(noun, tree)
        return and_(*described, compared)

    def comparison(self, noun: Noun, tree: Node) -> Term:
        if tree.data in ("exceeds", "exceeds_not"):
            return self.exceeds(
                noun, child(tree, "literal_size", "part_size", "named_size"), tree.data == "exceeds"
            )
        if tree.data in ("is_aged", "is_exact_age"):
            return self.aged(noun, tree)
        if tree.data == "has_completed":
            return self.completed(noun, tree)
        quantity = next((x for x in lexemes_of(tree) if x.quantity), None)
        assert quantity is not None
        assert quantity.quantity is not None
        ranges = [t for t in subtrees(tree) if t.data in ("bounded", "or_more", "or_less")]
        if tree.data == "has_completed_range":
            symbol = self.measures.completed(noun, text_of(child(tree, "words")), quantity.quantity)
        elif tree.data == "has_count":
            symbol = self.count(noun, Range(ranges[0]), child(tree, "words"))
        elif tree.data in ("is_in", "of_size") and Range(ranges[0]).may_be_age:
            symbol = self.age_of(noun, quantity)
        elif tree.data == "costs":
            if quantity.quantity.kind != "MONEY":
                raise NotUnderstoodError("a cost that is not an amount of money", (quantity.word,))
            symbol = self.measures.of_noun(noun, quantity.quantity)
        else:
            symbol = self.measures.of_noun(noun, quantity.quantity)
        if ranges:
            return self.measures.compared(symbol, Range(ranges[0]))
        return eq(symbol, literal(quantity.quantity, symbol.sort))

    def described(self, noun: Noun) -> list[Term]:
        """`international trips`: the trip is international."""
        return [
            self.vocabulary.fact(f"{noun.entity} is {word}", f"{noun.entity} is not {word}")
            for word in noun.conditions
        ]

    def age_of(self, noun: Noun, quantity: Lexeme) -> Symbol:
        if noun.head == "age":
            raise NotUnderstoodError("an age is said as `at least 18 years old`", (quantity.word,))
        if noun.head not in PERSONS and not noun.is_speaker:
            raise NotUnderstoodError(f"what of `{noun.kind}` is measured", (quantity.word,))
        return self.measures.age(noun)

    def aged(self, noun: Noun, tree: Node) -> Term:
        quantity = next(x for x in lexemes_of(tree) if x.quantity)
        assert quantity.quantity is not None
        if quantity.quantity.unit not in ("", "years"):
            raise NotUnderstoodError("ages are counted in years", (quantity.word,))
        if noun.head not in PERSONS and not noun.is_speaker:
            raise NotUnderstoodError(f"the age of `{noun.kind}`", noun.words)
        age = self.measures.age(noun)
        ranges = [t for t in subtrees(tree) if t.data in ("bounded", "or_more", "or_less")]
        if not ranges:
            return eq(age, literal(quantity.quantity, INT))
        return self.measures.compared(age, Range(ranges[0]))

    def completed(self, noun: Noun, tree: Node) -> Term:
        """`has completed six months of service`: whether exactly six are enough is open."""
        quantity = next(x for x in lexemes_of(tree) if x.quantity)
        return self.enough_time(noun, text_of(child(tree, "words")), quantity)

    def enough_time(self, noun: Noun, what: str, lexeme: Lexeme) -> Term:
        quantity = lexeme.quantity
        assert quantity is not None
        symbol = self.measures.completed(noun, what, quantity)
        strict = self.settings.choose(
            QuestionKind.BOUNDARY, subject=symbol, value=quantity.value,
            labels=("exactly {value} is enough", "more than {value} is needed"),
        )  # fmt: skip
        compare = gt if strict else ge
        return compare(symbol, literal(quantity, symbol.sort))

    def count(self, noun: Noun, range_: Range, words: Node) -> Symbol:
        lexemes = lexemes_of(words)
        if range_.quantity.kind == "TIME" and lexemes[0].type == "OF" and len(lexemes) > 1:
            what = " ".join(lexeme.text for lexeme in lexemes[1:])
            return self.measures.completed(noun, what, range_.quantity)
        if range_.quantity.kind != "NUMBER" or lexemes[0].type != "WORD":
            raise NotUnderstoodError(
                f"`{text_of(words)}` after a quantity", [lexeme.word for lexeme in lexemes]
            )
        return self.measures.named(
            f"the number of {text_of(words)} of {noun.entity}", range_.quantity
        )

    def exceeds(self, noun: Noun, size: Node, positive: bool) -> Term:
        compare = gt if positive else le
        if size.data == "literal_size":
            lexeme = lexemes_of(size)[0]
            assert lexeme.quantity is not None
            symbol = self.measures.of_noun(noun, lexeme.quantity)
            return compare(symbol, literal(lexeme.quantity, symbol.sort))
        left = self.amount(noun)
        return compare(left, self.size(size))

    def size(self, tree: Node) -> Term:
        """A named amount, or a part of one."""
        base = self.amount(noun_of(child(tree, "words")))
        if tree.data == "named_size":
            return base
        percent = next(x for x in lexemes_of(tree) if x.quantity)
        assert percent.quantity is not None
        return mul(real(percent.quantity.value), base)

    def amount(self, noun: Noun) -> Term:
        """A noun as an amount of money: a known number, or a new one without a unit."""
        known = self.vocabulary.known_number(noun.full)
        if known is not None:
            if known.sort == INT:
                raise NotUnderstoodError(f"`{noun.full}` is a count, not an amount", noun.words)
            return known
        if not self.measures.is_amount(noun):
            raise NotUnderstoodError(f"`{noun.full}` is not known as an amount", noun.words)
        raise NotUnderstoodError(
            f"`{noun.full}` has not been said in any currency so far", noun.words
        )

    def applies(self, noun: Noun) -> Term:
        """`a discount applies`: a known amount is more than nothing; else a fact."""
        known = self.vocabulary.known_number(noun.full)
        if known is not None:
            return gt(known, integer(0) if known.sort == INT else real(0))
        verb = "apply" if noun.plural else "applies"
        negative = "do not apply" if noun.plural else "does not apply"
        return self._say(f"{noun.full} {verb}", f"{noun.full} {negative}")

    def is_clause(self, noun: Noun, words: Sequence[Lexeme], verb: Lexeme) -> Term:
        if self.vocabulary.known_number(noun.full) is not None:
            raise NotUnderstoodError(f"`{noun.full}` is an amount", noun.words)
        approved = approval(noun, [lexeme.text for lexeme in words])
        if approved:
            return self._say(*approved)
        if words[0].type in ("PREP", "TO", "WITH", "OF") and len(words) == 1:
            raise NotUnderstoodError("an unfinished clause", [lexeme.word for lexeme in words])
        said = " ".join(lexeme.text for lexeme in words)
        be = agreeing(verb.text, noun)
        return self.fact(noun, f"{be} {said}", f"{be} not", be)

    def does_clause(self, noun: Noun, tree: Node) -> Term:
        """`did not travel` is the opposite of `travelled`."""
        auxiliary, words = lexemes_of(tree)[0].text.lower(), text_of(child(tree, "words"))
        verb, _, rest = words.partition(" ")
        if auxiliary != "did":
            auxiliary = "do" if noun.plural or noun.is_speaker else "does"
        forms = {"did": past_of(verb), "do": verb, "does": third_person(verb)}
        positive = forms[auxiliary]
        said = noun.full
        text = f"{said} {positive} {rest}".rstrip()
        return self._say(text, f"{said} {auxiliary} not {words}")

    def plain_clause(self, lexemes: Sequence[Lexeme]) -> Term:
        """A clause without an auxiliary, kept as it is if one of its words is a verb."""
        words = [lexeme.text for lexeme in lexemes]
        verbs = [w for w in words[1:] if w.lower() in VERBS]
        if len(verbs) != 1:
            raise NotUnderstoodError(
                f"`{' '.join(words)}` is not read as a clause", [x.word for x in lexemes]
            )
        if words[0].lower() in ("a", "an"):
            words[0] = "the"
        text = " ".join([words[0][0].lower() + words[0][1:], *words[1:]])
        return self._say(text, f"it is not true that {text}")

    def fact(self, noun: Noun, said: str, negative: str, verb: str) -> Symbol:
        """A fact about a noun; `negative` replaces the verb at the start of what is said."""
        who = noun.full
        rest = said.removeprefix(verb).strip()
        return self._say(f"{who} {said}", f"{who} {negative} {rest}")

    # What limits the subject of a sentence.

    def limit(self, noun: Noun, tree: Node) -> Term:
        """A restriction on which of a kind are meant."""
        match tree.data:
            case "of_size":
                return self.comparison(noun, tree)
            case "costing":
                return self.comparison(noun, _renamed(tree, "costs"))
            case "aged":
                return self.aged(noun, tree)
            case "with_count":
                return self.comparison(noun, _renamed(tree, "has_count"))
            case "with_measure":
                return self.with_measure(noun, tree)
            case "relative":
                predicate = subtrees(tree)[0]
                return self.predicate(noun, predicate)
        assert tree.data == "exception", tree.data
        return self.exception(noun, noun_of(child(tree, "noun")))

    def with_measure(self, noun: Noun, tree: Node) -> Term:
        """`trips with a total cost of more than EUR 1,000`."""
        range_ = Range(next(t for t in subtrees(tree) if t.data != "words"))
        measured = noun_of(child(tree, "words"))
        if range_.quantity.kind not in ("MONEY", "TIME"):
            raise NotUnderstoodError("what is measured", measured.words)
        symbol = self.measures.named(
            f"the {' '.join([*measured.describing, measured.head])}{measured.tail} of "
            f"{noun.entity}",
            range_.quantity,
        )
        return self.measures.compared(symbol, range_)

    def exception(self, noun: Noun, excepted: Noun) -> Term:
        """`trips except domestic trips`: the trip is not domestic."""
        if excepted.head != noun.head or not excepted.describing:
            raise NotUnderstoodError(
                f"`{excepted.full}` is no kind of `{noun.head}`", excepted.words
            )
        return not_(
            and_(*(self.kind(noun.entity, word, noun.head) for word in excepted.describing))
        )

    def kind(self, entity: str, word: str, head: str) -> Term:
        """`international`, or `business` of a business trip, said of a noun."""
        said = word if is_adjective(word) else indefinite(f"{word} {head}")
        return self.vocabulary.fact(f"{entity} is {said}", f"{entity} is not {said}")


def approval(noun: Noun, words: Sequence[str]) -> tuple[str, str] | None:
    """`approved by the line manager` is `the line manager has approved the trip`."""
    lower = [word.lower() for word in words]
    start = lower[1:] if lower[:1] == ["been"] else lower
    if start[:2] != ["approved", "by"] or len(start) < 3:
        return None
    return approved_by(start[2:], noun)


def approved_by(agent: Sequence[str], noun: Noun) -> tuple[str, str] | None:
    words = [word for word in agent if word not in ("a", "an", "the")]
    if not words or len(words) > 4 or set(words) & {"by", "of", "for", "with", "in", "on", "to"}:
        return None
    who = "the " + " ".join(words).replace("line-manager", "line manager")
    return f"{who} has approved {noun.entity}", f"{who} has not approved {noun.entity}"


def _negated(who: str, words: str) -> str:
    verb, _, rest = words.partition(" ")
    if verb in ("is", "are"):
        return f"{who} {verb} not {rest}"
    base = {"gets": "get", "receives": "receive", "qualifies": "qualify"}.get(verb, verb)
    return f"{who} {'do' if base == verb else 'does'} not {base} {rest}"


def _renamed(tree: Node, name: str) -> Node:
    return type(tree)(name, tree.children)
