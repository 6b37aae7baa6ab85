"""What is stated to hold: grants, plain clauses as consequences, definitions.

A clause without a modal verb decides something only under a condition; what it
says of a case by itself is a fact, and nothing is drafted.
"""

from __future__ import annotations

from dataclasses import replace

from policywright.english.facts import read_clause
from policywright.english.lexemes import Lexeme
from policywright.english.nouns import NotUnderstoodError, Noun, read_noun
from policywright.english.parse import Node
from policywright.english.scope import Effect, Scope, check_front
from policywright.english.trees import child, lexemes_of, noun_of, subtrees, text_of
from policywright.english.verbs import agreeing, granted, negative_grant
from policywright.english.words import indefinite, word_set
from policywright.model import Role
from policywright.sorts import REAL
from policywright.terms import and_, eq, not_, real, symbols

_CLAUSES = word_set("is is_not has has_not does_not granted granted_not")
_CHARGED = word_set("due payable charged paid granted given")
_SIZES = word_set("is_in exceeds exceeds_not")
_ALLOWED = {"allowed": True, "permitted": True, "prohibited": False, "forbidden": False}


class Claims:
    """One method for each rule of the grammar that states what holds."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.predicates = scope.predicates
        self.vocabulary = scope.vocabulary

    def grant(self, tree: Node) -> Effect:
        """`qualifies for`, `is entitled to`: the policy decides it."""
        noun = self.scope.told_apart(self.scope.subject(subtrees(tree)[0]))
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
            noun = self.scope.told_apart(noun)
            allowed = self.allowed(noun, predicate)
            if allowed is not None:
                return allowed
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

    def exempts(self, tree: Node) -> Effect:
        """`Clause 1 does not apply if`: an exception that belongs into the other rule."""
        words = lexemes_of(subtrees(tree)[0])
        raise NotUnderstoodError(
            "it takes a case out of another rule: add the exception there", [x.word for x in words]
        )

    def allowed(self, noun: Noun, predicate: Node) -> Effect | None:
        """`smoking is prohibited`: it is not allowed; of other clauses None."""
        if predicate.data not in ("is", "is_not"):
            return None
        words = lexemes_of(child(predicate, "words"))
        allows = _ALLOWED.get(words[0].text.lower())
        if allows is None:
            return None
        words[0] = replace(words[0], text="allowed")
        verb = lexemes_of(predicate)[0].text.lower()
        outcome = self.scope.deciding.facts.is_(noun, words, verb)
        return Effect("holds" if allows is (predicate.data == "is") else "holds_not", outcome)

    def claim_only(self, tree: Node) -> Effect:
        """`is valid only if` with the adverb in front: `is only valid if`."""
        noun_tree, words, conditions = subtrees(tree)
        noun = noun_of(noun_tree)
        noun = noun if noun.is_definite else noun.one
        check_front(noun_tree, noun)
        verb = next(x for x in tree.children if isinstance(x, Lexeme)).text.lower()
        outcome = self.scope.deciding.facts.is_(noun, lexemes_of(words), verb)
        return Effect("needs", outcome, self.predicates.conditions(conditions))

    def claim_plain(self, tree: Node) -> Effect:
        """`the warranty expires if`: a clause whose one known verb says what happens."""
        return Effect("claims", self.vocabulary.outcome(*read_clause(lexemes_of(tree))))
