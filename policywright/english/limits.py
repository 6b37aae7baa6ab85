"""Limits on how much: up to so many, a maximum, a rate with the most that is due."""

from __future__ import annotations

from dataclasses import replace

from policywright.english.drafts import QuestionKind
from policywright.english.duties import needs
from policywright.english.lexemes import Lexeme
from policywright.english.measures import literal
from policywright.english.nouns import NotUnderstoodError
from policywright.english.parse import Node
from policywright.english.scope import Effect, Scope
from policywright.english.trees import child, lexemes_of, noun_of, subtrees, text_of
from policywright.english.verbs import check_permission, check_verb
from policywright.english.words import indefinite
from policywright.sorts import REAL
from policywright.terms import Term, and_, ge, le, or_, real


class Limits:
    """One method for each rule of the grammar that limits an amount or a number."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.predicates = scope.predicates
        self.vocabulary = scope.vocabulary

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
        return needs(noun, outcome, kept)

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
        return needs(noun, outcome, enough)
