"""Duties, permissions and grants: what a sentence with a modal verb decides.

A duty is never a bare fact: what must be and is not makes an outcome fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policywright.english.drafts import QuestionKind
from policywright.english.measures import Range, literal
from policywright.english.nouns import NotUnderstoodError, Noun, read_noun
from policywright.english.parse import Node
from policywright.english.scope import Effect, Scope
from policywright.english.tokens import Lexeme
from policywright.english.trees import (
    child,
    lexemes_of,
    noun_of,
    range_tree,
    renamed,
    subtrees,
    text_of,
)
from policywright.english.verbs import agreeing, check_verb, negative_grant
from policywright.english.words import third_person, word_set
from policywright.model import Role
from policywright.sorts import INT, REAL
from policywright.terms import Symbol, Term, and_, le, lt, not_, or_, real, symbols

_CLAUSES = word_set("is is_not has has_not does_not granted")
_SIZES = word_set("is_in exceeds exceeds_not")


class Duties:
    """One method for each rule of the grammar that says must, may, requires or grants."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.predicates = scope.predicates
        self.vocabulary = scope.vocabulary

    def requires(self, tree: Node) -> Effect:
        subject, things = subtrees(tree)
        noun = self.scope.subject(subject)
        outcome = self.scope.outcome_about(noun)
        _check_list([lexemes_of(child(t, "words")) for t in subtrees(things)])
        terms = [self.thing(noun, thing) for thing in subtrees(things)]
        joined = or_(*terms) if things.data == "any_things" else and_(*terms)
        return self.needs(noun, outcome, joined)

    def required_for(self, tree: Node) -> Effect:
        thing, subject = subtrees(tree)
        noun = self.scope.subject(subject)
        outcome = self.scope.outcome_about(noun)
        return self.needs(noun, outcome, self.predicates.facts.required(noun, lexemes_of(thing)))

    def duty(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        noun = self.scope.subject(subject)
        outcome = self.scope.outcome_about(noun)
        return self.needs(noun, outcome, self.done(noun, action))

    def ban(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        noun = self.scope.subject(subject)
        outcome = self.scope.outcome_about(noun)
        return self.needs(noun, outcome, not_(self.done(noun, action)))

    def needs(self, noun: Noun, outcome: Symbol, term: Term) -> Effect:
        if outcome in symbols(term):
            raise NotUnderstoodError("it requires just what it decides", noun.words)
        return Effect("needs", outcome, term)

    def allow(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        return Effect("holds", self.may(self.scope.subject(subject), action))

    def allow_only(self, tree: Node) -> Effect:
        """`may only ... if`: the condition is needed."""
        subject, action, conditions = subtrees(tree)
        outcome = self.may(self.scope.subject(subject), action)
        return Effect("needs", outcome, self.predicates.conditions(conditions))

    def forbid(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        if action.data in ("exceed", "be_in"):
            return self.ban(tree)
        return Effect("holds_not", self.may(self.scope.subject(subject), action))

    def none_may(self, tree: Node) -> Effect:
        noun_tree, action = subtrees(tree)
        noun = replace(noun_of(noun_tree).one, article="a", is_bare=False)
        return Effect("holds_not", self.may(self.scope.narrowed(noun), action))

    def may(self, noun: Noun, action: Node) -> Term:
        self.predicates.check_permission(action)
        return self.scope.may(noun, action)

    def grant(self, tree: Node) -> Effect:
        """`qualifies for`, `is entitled to`: the policy decides it."""
        noun = self.scope.subject(subtrees(tree)[0])
        verb = next(x for x in tree.children if isinstance(x, Lexeme))
        said, words = agreeing(verb.text, noun), text_of(child(tree, "words"))
        who = noun.entity
        outcome = self.vocabulary.outcome(
            f"{who} {said} {words}", f"{who} {negative_grant(said)} {words}"
        )
        return Effect("claims", outcome)

    def claim(self, tree: Node) -> Effect:
        """A plain clause, as what follows from a condition."""
        noun_tree, predicate = subtrees(tree)
        noun = noun_of(noun_tree)
        noun = noun if noun.is_definite else noun.one
        if predicate.data in _CLAUSES:
            self.scope.where += self.predicates.facts.described(noun)
            term = self.scope.deciding.predicate(noun.undescribed, predicate)
            return Effect("claims", term)
        if predicate.data not in _SIZES:
            raise NotUnderstoodError("it states a fact", noun.words)
        term = self.predicates.predicate(noun, predicate)
        for symbol in symbols(term):
            if self.vocabulary.variable(symbol).role is Role.FACT:
                raise NotUnderstoodError(
                    "it states the size of something that a case supplies", noun.words
                )
        return Effect("claims", term)

    # What is to be done, and what is to be there.

    def done(self, noun: Noun, action: Node) -> Term:
        """What an action says once it is done: `holds a licence`, `is paid`."""
        words = lexemes_of(action)
        match action.data:
            case "be":
                be = "are" if noun.plural or noun.is_speaker else "is"
                return self.predicates.facts.is_(noun, words[1:], be)
            case "be_in" | "be_aged":
                return self.predicates.sizes.comparison(noun, action)
            case "exceed":
                return self.predicates.sizes.comparison(noun, renamed(action, "exceeds"))
            case "have":
                return self.predicates.facts.has(noun, "have", text_of(child(action, "words")))
            case "do":
                check_verb(words)
                rest = " ".join(word.text for word in words[1:])
                return self.predicates.facts.does(noun, words[0].text.lower(), rest)
        return self.in_time(noun, action)

    def in_time(self, noun: Noun, action: Node) -> Term:
        """`must be requested within 60 days after X`: the time from X until that is done."""
        done, anchor = subtrees(action)
        time = next(x for x in lexemes_of(action) if x.type == "TIME")
        words = lexemes_of(done)
        if action.data == "be_within":
            until = f"{noun.full} is {text_of(done)}"
        else:
            check_verb(words)
            verb = third_person(words[0].text.lower())
            until = " ".join([noun.full, verb, *(word.text for word in words[1:])])
        return self.within(f"the time from {noun_of(anchor).full} until {until}", time)

    def within(self, name: str, time: Lexeme) -> Term:
        """Months and years have no fixed length: whether the last day counts is asked."""
        quantity = time.quantity
        assert quantity is not None
        if quantity.unit not in ("months", "years"):
            symbol = self.predicates.sizes.measures.named(name, quantity)
            return le(symbol, literal(quantity, INT))
        symbol = self.vocabulary.number(name, REAL, quantity.unit)
        late = self.scope.settings.choose(
            QuestionKind.BOUNDARY,
            question="is that still in time?",
            labels=("exactly {value} is still in time", "exactly {value} is too late"),
            subject=symbol,
            value=quantity.value,
        )
        return (lt if late else le)(symbol, real(quantity.value))

    def thing(self, noun: Noun, tree: Node) -> Term:
        words = child(tree, "words")
        if tree.data == "thing_named":
            return self.predicates.facts.required(noun, lexemes_of(words))
        found = range_tree(tree)
        assert found is not None
        range_ = Range(found)
        return range_.holds_of(self.predicates.sizes.count(noun, range_, words))


def _check_list(things: Sequence[Sequence[Lexeme]]) -> None:
    """In a list of things, what is said of one must not be meant for all.

    `approval by the manager or the director`, `a valid passport or visa`: which
    words belong to which thing is not sure, so neither is read.
    """
    if len(things) < 2:
        return
    nouns = [read_noun(thing) for thing in things]
    articles = {bool(noun.article) for noun in nouns}
    tailed = any(noun.tail for noun in nouns)
    shared = articles == {False} and bool(nouns[0].describing)
    if tailed or shared or len(articles) > 1:
        words = [lexeme.word for thing in things for lexeme in thing]
        raise NotUnderstoodError("which words belong to which thing of the list", words)
