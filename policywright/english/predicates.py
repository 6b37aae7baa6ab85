"""Conditions and predicates as terms: facts, comparisons, limits on whom is meant."""

from __future__ import annotations

from dataclasses import replace

from policywright.english.facts import Facts
from policywright.english.lexemes import Lexeme
from policywright.english.measures import Range, is_measure
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.settings import Settings
from policywright.english.sizes import Sizes
from policywright.english.timing import Timing
from policywright.english.trees import child, lexemes_of, noun_of, range_tree, subtrees, text_of
from policywright.english.verbs import (
    agreeing,
    base_of,
    base_of_present,
    check_permission,
    check_verb,
    granted,
    is_past,
    negative_grant,
)
from policywright.english.vocabulary import Vocabulary
from policywright.english.words import is_plural
from policywright.terms import Term, and_, not_, or_


class Predicates:
    """Reads conditions; `main` is the main clause, for what `they` refers to."""

    def __init__(
        self, vocabulary: Vocabulary, settings: Settings, *, decides: bool = False
    ) -> None:
        self.vocabulary = vocabulary
        self.facts = Facts(vocabulary, decides=decides)
        self.sizes = Sizes(vocabulary, settings)
        self.timing = Timing(self.sizes)
        self.main: Node | None = None

    def conditions(self, tree: Node) -> Term:
        """Conditions that a sentence joins.

        Raises NotUnderstoodError where `and` and `or` of clauses stand side by side.
        """
        mixed = {"all_of": "clause_any", "any_of": "clause_all"}.get(str(tree.data))
        if any(subtree.data == mixed for subtree in subtrees(tree)):
            words = [x.word for x in lexemes_of(tree) if x.type in ("AND", "OR")]
            raise NotUnderstoodError("whether `and` or `or` comes first", words)
        terms = [self.condition(subtree) for subtree in subtrees(tree)]
        return or_(*terms) if tree.data == "any_of" else and_(*terms)

    def condition(self, tree: Node) -> Term:
        match tree.data:
            case "clause":
                noun, predicate = subtrees(tree)
                return self.predicate(noun_of(noun), predicate)
            case "clause_all" | "clause_any":
                noun, *predicates = subtrees(tree)
                terms = [self.predicate(noun_of(noun), predicate) for predicate in predicates]
                return or_(*terms) if tree.data == "clause_any" else and_(*terms)
            case "may_not_clause":
                return self.may_not_clause(tree)
            case "they_clause":
                return self.predicate(self.antecedent(lexemes_of(tree)[0]), subtrees(tree)[0])
            case "no_clause":
                noun, predicate = subtrees(tree)
                if predicate.data not in ("is", "has"):
                    raise NotUnderstoodError("what `no` does here", (lexemes_of(tree)[0].word,))
                return not_(self.predicate(noun_of(noun), predicate))
            case "may_clause":
                return self.may_clause(tree)
            case "applies":
                return self.facts.applies(noun_of(child(tree, "noun")))
            case "timed":
                event, timing = subtrees(tree)
                return self.timing.of_event(self.timing.event(event), timing)
            case "date_timed":
                noun, timing = subtrees(tree)
                if timing.data == "timing_date":
                    raise NotUnderstoodError("what of it is on that day", noun_of(noun).words)
                return self.timing.of_noun(noun_of(noun), timing)
            case "plain_before":
                return self.plain_before(tree)
        assert tree.data == "plain", tree.data
        return self.facts.plain(lexemes_of(tree))

    def plain_before(self, tree: Node) -> Term:
        """`a passenger died before the day of departure`: one fact."""
        first, last = (lexemes_of(words) for words in subtrees(tree))
        noun_of(subtrees(tree)[1])
        word = next(x for x in tree.children if isinstance(x, Lexeme))
        if word.text.lower() != "before":
            raise NotUnderstoodError(f"what `{word.text}` does here", (word.word,))
        return self.facts.plain([*first, word, *last])

    def may_clause(self, tree: Node) -> Term:
        noun, action = subtrees(tree)
        self.check_permission(action)
        return self.facts.with_verb(noun_of(noun), "may", text_of(action))

    def may_not_clause(self, tree: Node) -> Term:
        """`if the person cannot be found`, `if the guest may not enter`."""
        noun, action = subtrees(tree)
        verb = next(x for x in tree.children if isinstance(x, Lexeme))
        if verb.text.lower() == "may not":
            return not_(self.may_clause(tree))
        if not verb.text.lower().startswith("can") or action.data not in ("be", "do"):
            raise NotUnderstoodError("what is not possible", (verb.word,))
        who, what = noun_of(noun), text_of(action)
        return not_(self.facts.say(f"{who.full} can {what}", f"{who.full} cannot {what}"))

    def check_permission(self, action: Node) -> None:
        """Raises NotUnderstoodError unless an action behind `may` is something allowed."""
        words = lexemes_of(action)
        if action.data not in ("be", "have", "do"):
            raise NotUnderstoodError("a limit said with `may`", [word.word for word in words])
        if action.data == "do":
            check_verb(words)
        check_permission(str(action.data), words)

    def antecedent(self, they: Lexeme) -> Noun:
        """The subject of the main clause, if nothing else in it is plural."""
        found = next(iter(self.main.find_data("noun")), None) if self.main is not None else None
        noun = noun_of(found) if found is not None else None
        plurals = [
            lexeme
            for lexeme in (lexemes_of(self.main) if self.main is not None else [])
            if lexeme.type == "WORD" and is_plural(lexeme.text)
        ]
        if noun is None or not noun.plural or len(plurals) != 1:
            raise NotUnderstoodError("it is not sure whom `they` means", (they.word,))
        return noun.one

    def predicate(self, noun: Noun, tree: Node) -> Term:
        """What a predicate says of a noun."""
        verb = lexemes_of(tree)[0].text.lower()
        if verb.startswith("will"):
            verb = "are" if noun.plural or noun.is_speaker else "is"
        match tree.data:
            case "is" | "is_not":
                fact = self.facts.is_(noun, lexemes_of(child(tree, "words")), verb)
                return not_(fact) if tree.data == "is_not" else fact
            case "is_all" | "is_any":
                return self.is_several(noun, tree, verb)
            case "has" | "has_not":
                fact = self.facts.has(noun, verb, text_of(child(tree, "words")))
                return not_(fact) if tree.data == "has_not" else fact
            case "does_not":
                words = lexemes_of(child(tree, "words"))
                check_verb(words)
                base, rest = words[0].text, " ".join(lexeme.text for lexeme in words[1:])
                done = self.facts.did if verb == "did" else self.facts.does
                return not_(done(noun, base, rest))
            case "granted":
                said = agreeing(granted(lexemes_of(tree)[0].text), noun)
                words_ = text_of(child(tree, "words"))
                return self.facts.say(
                    f"{noun.full} {said} {words_}", f"{noun.full} {negative_grant(said)} {words_}"
                )
            case "granted_not":
                said = agreeing(granted(lexemes_of(tree)[0].text), noun)
                words_ = text_of(child(tree, "words"))
                return not_(
                    self.facts.say(
                        f"{noun.full} {said} {words_}",
                        f"{noun.full} {negative_grant(said)} {words_}",
                    )
                )
            case "is_late":
                return self.sizes.late(noun, tree)
            case "compared":
                return self.sizes.compared_with(noun, tree)
        # What describes any of a kind is a condition beside its size.
        return and_(*self.facts.described(noun), self.sizes.comparison(noun.undescribed, tree))

    def is_several(self, noun: Noun, tree: Node, verb: str) -> Term:
        """`is ill or injured`, `is a student or a pensioner`: words of one kind each."""
        parts = [lexemes_of(words) for words in subtrees(tree)]
        links = [x for part in parts for x in part if x.type in ("PREP", "OF", "TO", "WITH")]
        kinds = {part[0].type == "DET" for part in parts}
        described = any(len(part) > 1 for part in parts)
        if links or len(kinds) > 1 or (described and kinds == {False}):
            raise NotUnderstoodError("what belongs to which", [x.word for p in parts for x in p])
        terms = [self.facts.is_(noun, part, verb) for part in parts]
        return or_(*terms) if tree.data == "is_any" else and_(*terms)

    def limit(self, noun: Noun, tree: Node) -> Term:
        """A restriction on which of a kind are meant."""
        match tree.data:
            case "relative":
                return self.predicate(noun, subtrees(tree)[0])
            case "relative_plain":
                return self.relative_plain(noun, tree)
            case "owned":
                owned, predicate = subtrees(tree)
                return self.predicate(_owned_by(noun, noun_of(owned)), predicate)
            case "done" | "done_timed":
                return self.done(noun, tree)
            case "with_measure":
                return self.with_measure(noun, tree)
            case "exception":
                return self.exception(noun, noun_of(child(tree, "noun")))
        return self.sizes.comparison(noun, tree)

    def relative_plain(self, noun: Noun, tree: Node) -> Term:
        """`employees who travel abroad`: the employee travels abroad."""
        words = lexemes_of(child(tree, "words"))
        base = base_of(words[0].text) or base_of_present(words[0].text)
        if not base or noun.is_speaker:
            raise NotUnderstoodError(
                f"`{words[0].text}` where a verb is expected", (words[0].word,)
            )
        rest = " ".join(lexeme.text for lexeme in words[1:])
        done = self.facts.did if is_past(words[0].text) else self.facts.does
        return done(noun, base, rest)

    def done(self, noun: Noun, tree: Node) -> Term:
        """`tickets bought online`, `tickets bought at least 60 days before the show`."""
        if noun.is_definite:
            raise NotUnderstoodError("what is part of the name of one thing", noun.words)
        timing = [subtree for subtree in subtrees(tree) if subtree.data != "words"]
        words = lexemes_of(tree)
        if timing:
            words = words[: len(words) - len(lexemes_of(timing[0]))]
            clause = f"{noun.full} is {' '.join(lexeme.text for lexeme in words)}"
            return self.timing.of_event(clause, timing[0])
        return self.facts.is_(noun, words, "is")

    def with_measure(self, noun: Noun, tree: Node) -> Term:
        """`trips with a total cost of more than EUR 1,000`."""
        found = range_tree(tree)
        assert found is not None
        range_, measured = Range(found), noun_of(child(tree, "words"))
        kinds = ("MONEY", "TIME", "NUMBER", "PERCENT")
        if range_.quantity.kind not in kinds or measured.tail or measured.plural:
            raise NotUnderstoodError("it does not say what is measured", measured.words)
        says_of = any(x.type == "OF" for x in tree.children if isinstance(x, Lexeme))
        if not (says_of or is_measure(measured)):
            # `with a child under 12`: the child's age, not a number called child.
            raise NotUnderstoodError("it does not say what is measured", measured.words)
        name = " ".join([*measured.describing, measured.head])
        symbol = self.sizes.measures.named(f"the {name} of {noun.one.full}", range_.quantity)
        return self.sizes.within(range_, symbol)

    def exception(self, noun: Noun, excepted: Noun) -> Term:
        """`trips except domestic trips`: the trip is not domestic."""
        if excepted.head != noun.head or not excepted.describing or excepted.tail:
            raise NotUnderstoodError(
                f"`{excepted.full}` is not read as a kind of `{noun.head}`", excepted.words
            )
        kinds = [self.facts.kind(noun.entity, word, noun.head) for word in excepted.describing]
        return not_(and_(*kinds))


def _owned_by(owner: Noun, owned: Noun) -> Noun:
    """`passengers whose flight`: the passenger's flight."""
    if owned.article or owner.tail or owner.is_speaker:
        raise NotUnderstoodError("whose it is", owned.words)
    described = tuple(word for word in owner.describing if word not in owner.conditions)
    owners = (*described, f"{owner.head}'s")
    return replace(owned, article="the", describing=(*owners, *owned.describing), is_bare=False)
