"""Duties, permissions and grants: what a sentence with a modal verb decides.

A duty is never a bare fact: what must be and is not makes an outcome fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policywright.english.lexemes import Lexeme
from policywright.english.measures import Range, literal
from policywright.english.nouns import NotUnderstoodError, Noun, read_noun
from policywright.english.parse import Node
from policywright.english.scope import Effect, Scope
from policywright.english.timing import check_timed
from policywright.english.trees import (
    child,
    lexemes_of,
    noun_of,
    quantity_of,
    range_tree,
    renamed,
    subtrees,
    text_of,
)
from policywright.english.verbs import (
    check_doer,
    check_verb,
    is_participle,
)
from policywright.english.words import third_person, word_set
from policywright.terms import Symbol, Term, and_, ge, not_, or_, symbols

_CLAUSES = word_set("is is_not has has_not does_not granted granted_not")
_CHARGED = word_set("due payable charged paid granted given")
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
        return needs(noun, outcome, joined)

    def required_for(self, tree: Node) -> Effect:
        thing, subject = subtrees(tree)
        noun = self.scope.subject(subject)
        outcome = self.scope.outcome_about(noun)
        return needs(noun, outcome, self.predicates.facts.required(noun, lexemes_of(thing)))

    def duty(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        noun = self.scope.subject(subject, is_done_to=_is_passive(action))
        outcome = self.scope.outcome_about(noun)
        return needs(noun, outcome, self.done(noun, action))

    def ban(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        noun = self.scope.subject(subject, is_done_to=_is_passive(action))
        outcome = self.scope.outcome_about(noun)
        if action.data in ("be_both", "do_both"):
            raise NotUnderstoodError("whether both or each is ruled out", noun.words)
        return needs(noun, outcome, not_(self.done(noun, action)))

    def allow(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        noun = self.scope.subject(subject, is_done_to=_is_passive(action))
        if action.data not in ("be_timed", "do_timed"):
            return Effect("holds", self.may(noun, action))
        return Effect("once", self.may(noun, _untimed(action)), self.in_time(noun, action))

    def allow_only(self, tree: Node) -> Effect:
        """`may only ... if`: the condition is needed."""
        subject, action, conditions = subtrees(tree)
        noun = self.scope.subject(subject, is_done_to=_is_passive(action))
        outcome = self.may(noun, action)
        return Effect("needs", outcome, self.predicates.conditions(conditions))

    def forbid(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        if action.data in ("exceed", "be_in"):
            return self.ban(tree)
        noun = self.scope.subject(subject, is_done_to=_is_passive(action))
        if action.data in ("be_timed", "do_timed"):
            self.scope.where.append(self.in_time(noun, action))
            action = _untimed(action)
        return Effect("holds_not", self.may(noun, action))

    def none_may(self, tree: Node) -> Effect:
        noun_tree, action = subtrees(tree)
        noun = replace(noun_of(noun_tree).one, article="a", is_bare=False)
        return Effect("holds_not", self.may(self.scope.narrowed(noun), action))

    def may(self, noun: Noun, action: Node) -> Term:
        self.predicates.check_permission(action)
        return self.scope.may(noun, action)

    # What is to be done, and what is to be there.

    def done(self, noun: Noun, action: Node) -> Term:
        """What an action says once it is done: `holds a licence`, `is paid`."""
        words = lexemes_of(action)
        match action.data:
            case "be":
                check_doer(noun, words)
                be = "are" if noun.plural or noun.is_speaker else "is"
                return self.predicates.facts.is_(noun, words[1:], be)
            case "be_in" | "be_aged":
                return self.predicates.sizes.comparison(noun, action)
            case "exceed":
                return self.predicates.sizes.comparison(noun, renamed(action, "exceeds"))
            case "be_both" | "do_both":
                return self.both(noun, action)
            case "have":
                return self.predicates.facts.has(noun, "have", text_of(child(action, "words")))
            case "do":
                check_verb(words)
                rest = " ".join(word.text for word in words[1:])
                return self.predicates.facts.does(noun, words[0].text.lower(), rest)
        return self.in_time(noun, action)

    def both(self, noun: Noun, action: Node) -> Term:
        """`must be signed and dated`, `must wear a badge and carry a pass`."""
        first, second = subtrees(action)
        words = lexemes_of(second)
        if action.data == "be_both":
            be = "are" if noun.is_speaker else "is"
            sure = all(is_participle(lexemes_of(part)[0].text) for part in (first, second))
            terms: list[Term] = [
                self.predicates.facts.is_(noun, lexemes_of(p), be) for p in (first, second)
            ]
        else:
            # `prepare and follow a script` has one object for both.
            sure = (
                min(len(words), len(lexemes_of(first))) > 1
                and words[0].type == "WORD"
                and words[1].type == "DET"
            )
            terms = [self.done(noun, type(action)("do", [part])) for part in (first, second)]
        if not sure:
            raise NotUnderstoodError("what `and` joins", [lexeme.word for lexeme in words])
        return and_(*terms)

    def in_time(self, noun: Noun, action: Node) -> Term:
        """`must be requested within 60 days after X`: the time from X until that is done."""
        done, timing = subtrees(action)
        words = lexemes_of(done)
        check_timed(words)
        if action.data == "be_timed":
            check_doer(noun, lexemes_of(action))
            be = "are" if noun.is_speaker else "is"
            clause = f"{noun.full} {be} {text_of(done)}"
        else:
            check_verb(words)
            verb = words[0].text.lower()
            verb = verb if noun.is_speaker else third_person(verb)
            clause = " ".join([noun.full, verb, *(word.text for word in words[1:])])
        return self.predicates.timing.of_event(clause, timing)

    def thing(self, noun: Noun, tree: Node) -> Term:
        words = child(tree, "words")
        if tree.data == "thing_named":
            return self.predicates.facts.required(noun, lexemes_of(words))
        if tree.data == "thing_number":
            # So many are enough, and more are too.
            _, quantity = quantity_of(tree)
            if any(lexeme.type != "WORD" for lexeme in lexemes_of(words)):
                raise NotUnderstoodError("what is counted", [x.word for x in lexemes_of(words)])
            name = f"the number of {text_of(words)} of {noun.one.full}"
            symbol = self.predicates.sizes.measures.named(name, quantity)
            return ge(symbol, literal(quantity, symbol.sort))
        found = range_tree(tree)
        assert found is not None
        range_ = Range(found)
        symbol = self.predicates.sizes.count(noun, range_, words)
        return self.predicates.sizes.within(range_, symbol)


def _is_passive(action: Node) -> bool:
    return action.data in ("be", "be_timed")


def _untimed(action: Node) -> Node:
    """`cancel the contract within 14 days`: to cancel the contract."""
    kept = [child for child in action.children if getattr(child, "data", "words") == "words"]
    return type(action)("be" if action.data == "be_timed" else "do", kept)


def needs(noun: Noun, outcome: Symbol, term: Term) -> Effect:
    """Without `term` not the outcome.

    Raises NotUnderstoodError where both are the same.
    """
    if outcome in symbols(term):
        raise NotUnderstoodError("it requires just what it decides", noun.words)
    return Effect("needs", outcome, term)


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
