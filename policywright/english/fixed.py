"""Amounts that a policy fixes: a fee, a part of another amount, a rate, a charge, a refund."""

from __future__ import annotations

import re

from policywright.english.amount_terms import AmountTerms
from policywright.english.lexemes import Lexeme
from policywright.english.lexicon import AMOUNTS
from policywright.english.measures import literal
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.quantities import Quantity
from policywright.english.scope import Effect, Scope
from policywright.english.trees import child, lexemes_of, noun_of, subtrees, text_of
from policywright.english.words import word_set
from policywright.sorts import REAL
from policywright.terms import Symbol, Term, gt, ite, le, mul, sub

_SEASON = re.compile(r" in the (\w+) season$")
_REFUNDED = {"refunded": "the refund", "reimbursed": "the reimbursement", "paid back": "the refund"}
_BILLED = word_set("invoice bill order purchase sale transaction transfer loan claim withdrawal")
_CHANGES = {"reduced": "reduction", "increased": "increase", "raised": "increase"}


class FixedAmounts:
    """One method for each rule of the grammar that says how much something is."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.vocabulary = scope.vocabulary
        self.amounts = AmountTerms(scope.predicates.sizes)

    def amount_is(self, tree: Node) -> Effect:
        """`the fee is $50`, `the fee in the low season is 75% of the regular fee`."""
        noun_tree, amount = subtrees(tree)
        name = self.named(noun_of(noun_tree))
        term, unit = self.amounts.read(amount)
        season = _SEASON.search(name)
        if season:
            name = name[: season.start()]
            low = season.group(1)
            self.scope.where.append(
                self.vocabulary.fact(f"it is the {low} season", f"it is not the {low} season")
            )
        return self.fixed(name, term, unit)

    def either_amount(self, tree: Node) -> Effect:
        """`the rate is 4% if the score is at least 700 and 6% otherwise`."""
        noun_tree, first, conditions, second = subtrees(tree)
        (if_so, if_not), unit = self.amounts.together([first, second])
        condition = self.scope.predicates.conditions(conditions)
        return self.fixed(self.named(noun_of(noun_tree)), ite(condition, if_so, if_not), unit)

    def amount_per(self, tree: Node) -> Effect:
        """`the fee is $50 per person`: the fee per person."""
        noun_tree = subtrees(tree)[0]
        quantity = _quantity(tree)
        name = f"{self.named(noun_of(noun_tree))}{_per(tree)}"
        return self.fixed(name, literal(quantity, REAL), quantity.unit)

    def amount_for(self, tree: Node) -> Effect:
        """`the fee is $5 for children under 12`: the fee for the child."""
        noun_tree, subject = subtrees(tree)
        return self.for_whom(tree, self.named(noun_of(noun_tree)), subject)

    def charge_for(self, tree: Node) -> Effect:
        """`a fee of $5 applies to students`."""
        words, subject = subtrees(tree)
        return self.for_whom(tree, _the(noun_of(words)), subject)

    def for_whom(self, tree: Node, name: str, subject: Node) -> Effect:
        links = [x for x in tree.children if isinstance(x, Lexeme) and x.type in ("PREP", "TO")]
        if links[0].text.lower() not in ("for", "to"):
            raise NotUnderstoodError("for whom or what it is", [x.word for x in links])
        who = self.scope.subject(subject)
        quantity = _quantity(tree)
        amount = literal(quantity, REAL)
        return self.fixed(f"{name} for {who.entity}", amount, quantity.unit)

    def capped_at(self, tree: Node) -> Effect:
        """`the discount rate is capped at 25%`: at most that."""
        quantity = _quantity(tree)
        noun = noun_of(subtrees(tree)[0])
        if noun.head not in AMOUNTS:
            raise NotUnderstoodError(f"what of `{noun.kind}` is limited", noun.words)
        symbol = self.vocabulary.decided_number(self.named(noun), quantity.unit)
        return Effect("holds", le(symbol, literal(quantity, REAL)))

    def reduced_by(self, tree: Node) -> Effect:
        """`the price is reduced by 25% for tickets bought early`: the reduction of the price."""
        noun_tree, *subject = subtrees(tree)
        words = [x for x in tree.children if isinstance(x, Lexeme)]
        change = _CHANGES.get(words[1].text.split()[0].lower(), "")
        prepositions = [x.text.lower() for x in words if x.type == "PREP"]
        if not change or [p for p in prepositions if p not in ("by", "for")]:
            raise NotUnderstoodError("what changes by how much", [x.word for x in words])
        name = f"the {change} of {self.named(noun_of(noun_tree))}"
        held = len(self.scope.where)
        if subject:
            noun = self.scope.subject(subject[0])
            if len(self.scope.where) == held:
                raise NotUnderstoodError(f"which `{noun.kind}` is meant", noun.words)
        quantity = _quantity(tree)
        return self.fixed(name, literal(quantity, REAL), quantity.unit)

    # What somebody gets or pays.

    def grant_rate(self, tree: Node) -> Effect:
        """`visitors over 65 qualify for a discount of 40%`."""
        subject, rate = subtrees(tree)
        whose = self.to_whom(subject)
        quantity = _quantity(rate)
        name = _the(noun_of(child(rate, "words"))) + whose
        return self.fixed(name, literal(quantity, REAL), quantity.unit)

    def grant_amount(self, tree: Node) -> Effect:
        """`receive a refund of half of the fare`, `receive 25 days of leave`."""
        subject, granted = subtrees(tree)
        whose = self.to_whom(subject)
        name = _the(noun_of(child(granted, "words"))) + whose
        if granted.data == "time_granted":
            quantity = _quantity(granted)
            return self.fixed(name, literal(quantity, REAL), quantity.unit)
        term, unit = self.amounts.read(child(granted, "part"))
        caps = [x.quantity for x in granted.children if isinstance(x, Lexeme) and x.quantity]
        for cap in caps:
            if cap.unit != unit:
                raise NotUnderstoodError("an amount and its maximum are of different units")
            most = literal(cap, REAL)
            term = ite(gt(term, most), most, term)
        return self.fixed(name, term, unit)

    def to_whom(self, subject: Node) -> str:
        """Whose the amount is; empty where a condition says it: `visitors over 65`."""
        held = len(self.scope.where)
        noun = self.scope.subject(subject)
        self.scope.restrict(noun)
        whose = "" if len(self.scope.where) > held else f" of {noun.entity}"
        if not self.scope.where and not self.scope.is_conditional:
            raise NotUnderstoodError("it grants a rate and no condition says to whom")
        return whose

    def pays_charge(self, tree: Node) -> Effect:
        """`tenants pay a deposit of $500`: the tenant's deposit."""
        subject, words, amount = subtrees(tree)[:3]
        noun = self.scope.subject(subject)
        charge = noun_of(words)
        name = " ".join([noun.possessive, *charge.describing, charge.head]) + charge.tail
        term, unit = self.amounts.read(amount)
        return self.fixed(name + _per(tree), term, unit)

    def pays(self, tree: Node) -> Effect:
        """`visitors under 12 pay $5`: the amount due from the visitor."""
        noun = self.scope.subject(subtrees(tree)[0])
        quantity = _quantity(tree)
        name = f"the amount due from {noun.entity}{_per(tree)}"
        return self.fixed(name, literal(quantity, REAL), quantity.unit)

    def pays_part(self, tree: Node) -> Effect:
        """`visitors over 60 pay half of the fee`."""
        subject, words = subtrees(tree)
        noun = self.scope.subject(subject)
        symbol = self.scope.predicates.sizes.amount(noun_of(words))
        unit = self.vocabulary.variable(symbol).unit
        term = mul(literal(_quantity(tree), REAL), symbol)
        return self.fixed(f"the amount due from {noun.entity}", term, unit)

    def price_is(self, tree: Node) -> Effect:
        """`a student ticket costs $120`: the cost of the ticket, if it is a student ticket."""
        noun = self.scope.subject(subtrees(tree)[0])
        if "average" in noun.describing:
            raise NotUnderstoodError("it states a fact", noun.words)
        if not noun.is_definite:
            self.scope.restrict(noun)
        who = noun.full if noun.is_definite else f"the {noun.head}"
        quantity = _quantity(tree)
        return self.fixed(f"the cost of {who}{_per(tree)}", literal(quantity, REAL), quantity.unit)

    def flat_charge(self, tree: Node) -> Effect:
        """`a $10 processing fee applies`."""
        return self.charge(child(tree, "words"), tree)

    def charge(self, name: Node, tree: Node) -> Effect:
        quantity = _quantity(tree)
        said = _the(noun_of(name)) + _per(tree)
        return self.fixed(said, literal(quantity, REAL), quantity.unit)

    def share_charge(self, tree: Node) -> Effect:
        """`a tax of 10% applies to the final fee`: the tax is 10% of it."""
        charge, base = (noun_of(words) for words in subtrees(tree))
        quantity = _quantity(tree)
        base = base if base.is_definite else base.one
        self.scope.where += self.scope.predicates.facts.described(base)
        symbol = self.base(base.undescribed)
        unit = self.vocabulary.variable(symbol).unit
        return self.fixed(_the(charge), mul(literal(quantity, REAL), symbol), unit)

    # What is given back.

    def we_refund(self, tree: Node) -> Effect:
        """`we refund half of the price paid`: the refund."""
        verb = next(x for x in tree.children if isinstance(x, Lexeme))
        name = "the reimbursement" if "reimburse" in verb.text.lower() else "the refund"
        term, unit = self.amounts.read(subtrees(tree)[0])
        return self.fixed(name, term, unit)

    def refunded_less(self, tree: Node) -> Effect:
        """`the fare is refunded less a fee of $20`: the refund is the fare less that."""
        whole, done, less = subtrees(tree)
        name = _refunded(done)
        term, unit = self.amounts.read(less)
        symbol = self.scope.predicates.sizes.amount(noun_of(whole), unit)
        if self.vocabulary.variable(symbol).unit != unit:
            raise NotUnderstoodError("amounts of different units are subtracted")
        return self.fixed(name, sub(symbol, term), unit)

    def refunded_part(self, tree: Node) -> Effect:
        """`half of the price is refunded`."""
        whole, done = subtrees(tree)
        name = _refunded(done)
        symbol = self.scope.predicates.sizes.amount(noun_of(whole))
        unit = self.vocabulary.variable(symbol).unit
        return self.fixed(name, mul(literal(_quantity(tree), REAL), symbol), unit)

    def fixed(self, name: str, term: Term, unit: str) -> Effect:
        symbol = self.vocabulary.decided_number(name, unit)
        return Effect("is", symbol, term)

    def named(self, noun: Noun) -> str:
        """An amount is one thing: `the fee`, `compensation`; not `fees`."""
        if not noun.is_definite and not (noun.is_bare and noun.head in AMOUNTS):
            raise NotUnderstoodError(f"which `{noun.kind}` is meant", noun.words)
        return noun.full

    def base(self, noun: Noun) -> Symbol:
        """What a percentage is taken of; the amount of a thing may be new."""
        if noun.head in AMOUNTS:
            return self.scope.predicates.sizes.amount(noun)
        if noun.head not in _BILLED:
            raise NotUnderstoodError(f"what of `{noun.kind}` is meant", noun.words)
        if not noun.is_definite:
            self.scope.restrict(noun)
        name = f"the amount of {noun.full if noun.is_definite else f'the {noun.head}'}"
        return self.vocabulary.known_number(name) or self.vocabulary.number(name, REAL, "")


def _the(noun: Noun) -> str:
    """An amount that the policy fixes is one thing: `the processing fee`."""
    words = noun.full.removeprefix("the ")
    return words if noun.describing and noun.describing[0] in ("your", "our") else f"the {words}"


def _per(tree: Node) -> str:
    """`per person`, `per calendar year`, where it is said."""
    found = [t for t in subtrees(tree) if t.data == "per"]
    return f" per {text_of(child(found[0], 'words'))}" if found else ""


def _refunded(words: Node) -> str:
    name = _REFUNDED.get(text_of(words).lower())
    if name is None:
        raise NotUnderstoodError(
            "what is done with the amount", [x.word for x in lexemes_of(words)]
        )
    return name


def _quantity(tree: Node) -> Quantity:
    """The quantity that the rule of the grammar itself names, not one of its parts."""
    own = [x for x in tree.children if isinstance(x, Lexeme)]
    return next(x.quantity for x in own if x.quantity)
