"""Duties, permissions and grants: what a sentence with a modal verb decides.

A duty is never a bare fact: what must be and is not makes an outcome fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policywright.english.drafts import QuestionKind
from policywright.english.lexemes import Lexeme
from policywright.english.measures import Range, literal
from policywright.english.nouns import NotUnderstoodError, Noun, read_noun
from policywright.english.parse import Node
from policywright.english.scope import Effect, Scope, check_front
from policywright.english.timing import check_timed
from policywright.english.trees import (
    child,
    lexemes_of,
    noun_of,
    range_tree,
    renamed,
    subtrees,
    text_of,
)
from policywright.english.verbs import (
    agreeing,
    check_doer,
    check_permission,
    check_verb,
    granted,
    negative_grant,
)
from policywright.english.words import indefinite, third_person, word_set
from policywright.model import Role
from policywright.sorts import REAL
from policywright.terms import Symbol, Term, and_, eq, ge, le, not_, or_, real, symbols

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
        return self.needs(noun, outcome, joined)

    def required_for(self, tree: Node) -> Effect:
        thing, subject = subtrees(tree)
        noun = self.scope.subject(subject)
        outcome = self.scope.outcome_about(noun)
        return self.needs(noun, outcome, self.predicates.facts.required(noun, lexemes_of(thing)))

    def duty(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        noun = self.scope.subject(subject, is_done_to=_is_passive(action))
        outcome = self.scope.outcome_about(noun)
        return self.needs(noun, outcome, self.done(noun, action))

    def ban(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        noun = self.scope.subject(subject, is_done_to=_is_passive(action))
        outcome = self.scope.outcome_about(noun)
        return self.needs(noun, outcome, not_(self.done(noun, action)))

    def needs(self, noun: Noun, outcome: Symbol, term: Term) -> Effect:
        if outcome in symbols(term):
            raise NotUnderstoodError("it requires just what it decides", noun.words)
        return Effect("needs", outcome, term)

    def allow(self, tree: Node) -> Effect:
        subject, action = subtrees(tree)
        noun = self.scope.subject(subject, is_done_to=_is_passive(action))
        if action.data not in ("be_timed", "do_timed"):
            return Effect("holds", self.may(noun, action))
        return Effect("once", self.may(noun, _untimed(action)), self.in_time(noun, action))

    def allow_up_to(self, tree: Node) -> Effect:
        """`members may borrow up to five books`: no more than that, and so many."""
        subject, action, allowed = subtrees(tree)
        noun = self.scope.subject(subject)
        words = lexemes_of(action)
        check_verb(words)
        verb = words[0].text.lower()
        if len(words) > 1:
            raise NotUnderstoodError("what the limit belongs to", [x.word for x in words])
        quantity = next(x.quantity for x in lexemes_of(allowed) if x.quantity)
        rest = [" ".join(x.text for x in lexemes_of(t)) for t in subtrees(allowed)]
        if allowed.data == "allowed_money":
            what = " ".join(["the amount", *rest])
            name = " ".join(["the amount to", verb, *rest])
        elif allowed.data == "allowed_count":
            what, name = rest[0], f"the number of {rest[0]} to {verb}"
        else:
            what, name = rest[0], f"the {rest[0]} to {verb}"
        symbol = self.predicates.sizes.measures.named(name, quantity)
        check_permission("do", words)
        who = indefinite(noun.kind) + noun.tail if noun.article == "a" else noun.entity
        outcome = self.vocabulary.outcome(
            f"{who} may {verb} {what}", f"{who} may not {verb} {what}"
        )
        return Effect("once", outcome, le(symbol, literal(quantity, symbol.sort)))

    def extreme(self, tree: Node) -> Effect:
        """`the maximum loan amount is $50,000`: it must not be more."""
        words, size = subtrees(tree)
        noun = replace(noun_of(words), article="the", is_bare=False)
        quantity = next(x.quantity for x in lexemes_of(size) if x.quantity)
        symbol = self.predicates.sizes.measures.of_noun(noun, quantity)
        outcome = self.scope.outcome_about(noun)
        most = lexemes_of(tree)[0].text.lower().endswith("maximum")
        kept = (le if most else ge)(symbol, literal(quantity, symbol.sort))
        return self.needs(noun, outcome, kept)

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

    def grant(self, tree: Node) -> Effect:
        """`qualifies for`, `is entitled to`: the policy decides it."""
        noun = self.scope.subject(subtrees(tree)[0])
        verb = next(x for x in tree.children if isinstance(x, Lexeme))
        said, words = agreeing(granted(verb.text), noun), text_of(child(tree, "words"))
        who = noun.entity
        outcome = self.vocabulary.outcome(
            f"{who} {said} {words}", f"{who} {negative_grant(said)} {words}"
        )
        return Effect("claims", not_(outcome) if tree.data == "grant_not" else outcome)

    def none_is(self, tree: Node) -> Effect:
        """`no refund is due if`: a refund is not due."""
        noun_tree, *rest = subtrees(tree)
        noun = replace(noun_of(noun_tree).one, article="a", is_bare=False)
        check_front(noun_tree, noun)
        words = lexemes_of(rest[0])
        known = self.vocabulary.known_number(noun.full)
        if known is not None and known.sort == REAL and words[0].text.lower() in _CHARGED:
            if self.vocabulary.variable(known).role is Role.FACT:
                raise NotUnderstoodError("an amount that a case supplies", noun.words)
            return Effect("is", known, real(0))
        term = self.scope.deciding.facts.is_(noun, words, "is")
        return Effect("claims", not_(term))

    def claim_limited(self, tree: Node) -> Effect:
        """`visitors over 65 are exempt`: a plain clause of some of a kind."""
        subject, predicate = subtrees(tree)
        if predicate.data not in ("is", "is_not"):
            raise NotUnderstoodError("it states a fact", [x.word for x in lexemes_of(predicate)])
        noun = self.scope.subject(subject)
        return Effect("claims", self.scope.deciding.predicate(noun, predicate))

    def defined(self, tree: Node) -> Effect:
        """`a senior is a visitor older than 65`: exactly then the visitor is a senior."""
        term, kind, *limits = subtrees(tree)
        articles = [
            x.text.lower() for x in tree.children if isinstance(x, Lexeme) if x.type == "DET"
        ]
        name, noun = read_noun(lexemes_of(term)), noun_of(kind)
        if "the" in articles or name.tail or name.plural or noun.tail or noun.plural:
            raise NotUnderstoodError("it is not read as a definition", noun.words)
        noun = replace(noun, article="a", is_bare=False)
        held = self.predicates.facts.described(noun)
        noun = noun.undescribed
        held += [self.predicates.limit(noun, limit) for limit in limits]
        said = indefinite(" ".join([*name.describing, name.head]))
        who = noun.entity
        defined = self.vocabulary.derived(f"{who} is {said}", f"{who} is not {said}")
        return Effect("holds", eq(defined, and_(*held)))

    def claim(self, tree: Node) -> Effect:
        """A plain clause, as what follows from a condition."""
        noun_tree, predicate = subtrees(tree)
        noun = noun_of(noun_tree)
        noun = noun if noun.is_definite else noun.one
        check_front(noun_tree, noun)
        if predicate.data in _CLAUSES:
            # `A new card is issued`: an adjective of one thing is part of what it is.
            if noun_of(noun_tree).plural:
                self.scope.where += self.predicates.facts.described(noun)
                noun = noun.undescribed
            return Effect("claims", self.scope.deciding.predicate(noun, predicate))
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
                check_doer(noun, words)
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

    def exempts(self, tree: Node) -> Effect:
        """`Clause 1 does not apply if`: an exception that belongs into the other rule."""
        words = lexemes_of(subtrees(tree)[0])
        raise NotUnderstoodError(
            "it takes a case out of another rule: add the exception there", [x.word for x in words]
        )

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

    def provide_rate(self, tree: Node) -> Effect:
        """`must provide at least 1 hour of leave for every 30 hours worked, not to exceed 5 days`.

        The rate is kept, or the most that is due is reached; or more than that is not
        allowed: `not to exceed` may say either, and is asked about.
        """
        subject = subtrees(tree)[0]
        noun = self.scope.subject(subject)
        verb = next(x for x in tree.children if isinstance(x, Lexeme) and x.type == "WORD")
        if verb.text.lower() not in ("provide", "grant", "give", "allow", "accrue"):
            raise NotUnderstoodError("what is to be done", (verb.word,))
        outcome = self.scope.outcome_about(noun)
        words = [t for t in subtrees(tree)[1:] if t.data == "words"]
        links = [
            x.text.lower() for x in tree.children if isinstance(x, Lexeme) and x.type == "PREP"
        ]
        if set(links) != {"for"}:
            raise NotUnderstoodError("for what it is provided", [x.word for x in lexemes_of(tree)])
        whom = noun_of(words[0]) if len(words) == 3 else None
        what, counted = words[-2:]
        least = next(x for x in tree.children if isinstance(x, Lexeme) and x.quantity)
        every = child(tree, "quantity")
        name = f"the {text_of(what)}{f' of the {whom.head}' if whom else ''}"
        rate = f"{name} per {text_of(every)} {text_of(counted)}"
        assert least.quantity is not None
        symbol = self.vocabulary.number(rate, REAL, least.quantity.unit)
        enough: Term = ge(symbol, real(least.quantity.value))
        for cap in (t for t in subtrees(tree) if t.data == "provided_cap"):
            most = next(x.quantity for x in lexemes_of(cap) if x.quantity)
            period = text_of(child(cap, "words"))
            total = self.vocabulary.number(f"{name} per {period}", REAL, most.unit)
            banned = self.scope.settings.choose(
                QuestionKind.DIRECTION,
                question="Is the maximum all that is due, or may more not be provided?",
                labels=("it is all that is due: more is allowed", "more is not allowed"),
            )
            limit = real(most.value)
            enough = and_(enough, le(total, limit)) if banned else or_(enough, ge(total, limit))
        return self.needs(noun, outcome, enough)

    def thing(self, noun: Noun, tree: Node) -> Term:
        words = child(tree, "words")
        if tree.data == "thing_named":
            return self.predicates.facts.required(noun, lexemes_of(words))
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
