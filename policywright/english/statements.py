"""Whole sentences as terms: conditions in front and behind, and what follows.

`Unless` adds a condition and says nothing about the exempt. `Only if` needs,
`if` grants; `may, once` can be either, and is asked about.
"""

from __future__ import annotations

from collections.abc import Callable

from policywright.english.claims import Claims
from policywright.english.drafts import QuestionKind
from policywright.english.duties import Duties
from policywright.english.fixed import FixedAmounts
from policywright.english.lexemes import Lexeme
from policywright.english.limits import Limits
from policywright.english.nouns import NotUnderstoodError
from policywright.english.parse import Node
from policywright.english.scope import Effect, Scope
from policywright.english.settings import Settings
from policywright.english.trees import child, lexemes_of, noun_of, subtrees, text_of
from policywright.english.verbs import granted, is_participle
from policywright.english.words import word_set
from policywright.errors import SortError
from policywright.normal import normal_form
from policywright.terms import Apply, Op, Term, and_, eq, implies, not_

_CONDITIONS = ("conditions", "all_of", "any_of")
_WANTED = word_set("eligible entitled valid exempt")
_NOT_BEFORE = ("it is needed: not before", "it is enough: from then on")
_LIMIT = ("it is needed: not beyond that limit", "it is enough: within the limit, always")
_PLAIN = word_set(
    "claim claim_limited grant grant_not grant_rate grant_amount none_is amount_is amount_per "
    "exempts capped_at amount_for charge_for pays pays_charge we_refund "
    "refunded_less refunded_part flat_charge share_charge price_is"
)


class Statements:
    """Reads a tree of `policy.lark` in one scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        duties, fixed = Duties(scope), FixedAmounts(scope)
        claims, limits = Claims(scope), Limits(scope)
        self.effects: dict[str, Callable[[Node], Effect]] = {
            "requires": duties.requires, "required_for": duties.required_for,
            "duty": duties.duty, "ban": duties.ban, "allow": duties.allow,
            "allow_only": duties.allow_only, "forbid": duties.forbid,
            "none_may": duties.none_may, "grant": claims.grant, "claim": claims.claim,
            "grant_not": claims.grant, "none_is": claims.none_is, "defined": claims.defined,
            "defined_term": claims.defined, "claim_limited": claims.claim_limited,
            "claim_only": claims.claim_only, "claim_plain": claims.claim_plain,
            "exempts": claims.exempts, "provide_rate": limits.provide_rate,
            "grant_amount": fixed.grant_amount, "pays_charge": fixed.pays_charge,
            "pays": fixed.pays, "pays_part": fixed.pays_part,
            "either_amount": fixed.either_amount,
            "price_is": fixed.price_is, "capped_at": fixed.capped_at,
            "reduced_by": fixed.reduced_by, "we_refund": fixed.we_refund,
            "refunded_less": fixed.refunded_less, "refunded_part": fixed.refunded_part,
            "amount_per": fixed.amount_per, "amount_for": fixed.amount_for,
            "charge_for": fixed.charge_for, "extreme": limits.extreme,
            "allow_up_to": limits.allow_up_to,
            "grant_rate": fixed.grant_rate, "flat_charge": fixed.flat_charge,
            "share_charge": fixed.share_charge, "amount_is": fixed.amount_is,
        }  # fmt: skip

    def read(self, tree: Node) -> Term:
        """The term of a whole sentence.

        Raises NotUnderstoodError where the words do not settle the meaning.
        """
        main = next(t for t in subtrees(tree) if t.data in self.effects)
        self.scope.predicates.main = main
        before = [
            self.scope.predicates.conditions(t) for t in subtrees(tree) if t.data in _CONDITIONS
        ]
        self.scope.where += [not_(t) if tree.data == "fronted_not" else t for t in before[:1]]
        if tree.data == "fronted_case":
            self.scope.where.append(self.case(subtrees(tree)[0]))
        if tree.data == "purposed":
            self.scope.purpose = self.purpose(tree)
        if tree.data == "leaning":
            self.scope.where.append(self.leant_on(tree))
        tails = [t.data for t in subtrees(tree)[1:]] if tree.data == "tailed" else []
        conditional = tree.data == "tailed_unless" or tails in (["if_tail"], ["case_tail"])
        self.scope.is_conditional = conditional
        effect = self.effects[str(main.data)](main)
        if tree.data == "purposed" and effect.how != "needs":
            raise NotUnderstoodError("what is needed for it", (lexemes_of(tree)[0].word,))
        if tree.data in ("fronted_unless", "tailed_unless"):
            self.scope.where.append(not_(before[1]))
        if tree.data == "tailed":
            return self.with_tail(main, effect, subtrees(tree)[-1])
        return self.concluded(effect)

    def with_tail(self, main: Node, effect: Effect, tail: Node) -> Term:
        if main.data == "allow_only":
            raise _tail_error(tail)
        if tail.data == "after_tail":
            return self.after(main, effect, tail)
        part = subtrees(tail)[0]
        if tail.data == "case_tail":
            self.scope.where.append(self.case(part))
            return self.concluded(effect)
        predicates = self.scope.predicates
        is_one = tail.data == "before_tail"
        condition = predicates.condition(part) if is_one else predicates.conditions(part)
        match tail.data:
            case "if_tail":
                self.scope.where.append(condition)
            case "unless_tail":
                self.scope.where.append(not_(condition))
            case "before_tail" if main.data in ("forbid", "none_may"):
                self.scope.where.append(not_(condition))
            case "only_if_tail" if effect.how in ("holds", "claims"):
                return self.needed(effect.outcome, condition)
            case "exactly_if_tail" if effect.how in ("holds", "claims"):
                return self.under(eq(effect.outcome, condition))
            case "once_tail" if effect.how in ("holds", "claims"):
                return self.once(effect.outcome, condition)
            case "only_once_tail" if effect.how in ("holds", "claims"):
                return self.needed(effect.outcome, condition)
            case _:
                raise _tail_error(tail)
        return self.concluded(effect)

    def purpose(self, tree: Node) -> tuple[str, str]:
        """`to be eligible for a grant`: the verb and the rest of what somebody wants to be."""
        verb = next(x for x in tree.children if isinstance(x, Lexeme) and x.type != "TO")
        words = text_of(child(tree, "words"))
        wanted = words.split()[0].lower()
        if verb.type == "BE" and not (wanted in _WANTED or is_participle(wanted)):
            raise NotUnderstoodError("whether that is what the rule decides", (verb.word,))
        return ("are" if verb.type == "BE" else granted(verb.text)), words

    def case(self, words: Node) -> Term:
        """`in case of illness`."""
        return self.scope.predicates.facts.there_is(noun_of(words), lexemes_of(words))

    def leant_on(self, tree: Node) -> Term:
        """`In that case`, `Otherwise`: the condition of the sentence before, or its opposite.

        Raises NotUnderstoodError unless that sentence has one condition and states a
        plain consequence: of a duty or a permission, the case may be that it is done.
        """
        lexeme = lexemes_of(tree)[0]
        found: list[Term] = []
        for before in self.scope.before:
            settings = Settings()
            scope = Scope(self.scope.vocabulary, settings, self.scope.heading)
            try:
                condition = Statements(scope).condition(before)
            except (NotUnderstoodError, SortError):
                continue
            if condition is not None and not settings.asked and condition not in found:
                found.append(condition)
        if len(found) != 1:
            raise NotUnderstoodError(f"which case `{lexeme.text}` means", (lexeme.word,))
        return found[0] if lexeme.type == "THATCASE" else not_(found[0])

    def condition(self, tree: Node) -> Term | None:
        """The condition of a sentence that says `if` once and decides something plain."""
        main = next(t for t in subtrees(tree) if t.data in self.effects)
        tails = [t.data for t in subtrees(tree) if t.data.endswith("_tail")]
        simple = tree.data == "fronted" and not tails
        simple = simple or (tree.data == "tailed" and tails == ["if_tail"])
        if not simple or main.data not in _PLAIN:
            return None
        self.scope.predicates.main = main
        if main.data != "exempts":
            self.effects[str(main.data)](main)
        parts = [t for t in _parts(tree) if t.data in _CONDITIONS]
        return and_(*self.scope.where, *(self.scope.predicates.conditions(t) for t in parts))

    def concluded(self, effect: Effect) -> Term:
        """The effect under the conditions that were collected."""
        match effect.how:
            case "holds":
                return self.under(effect.outcome)
            case "holds_not":
                return self.under(not_(effect.outcome))
            case "claims":
                if not self.scope.where:
                    raise NotUnderstoodError("it states a fact without a condition")
                return self.under(effect.outcome)
            case "once":
                assert effect.term is not None
                return self.once(effect.outcome, effect.term, _LIMIT)
            case "is":
                assert effect.term is not None
                return self.under(eq(effect.outcome, effect.term))
        assert effect.how == "needs", effect.how
        assert effect.term is not None
        self.scope.where.append(not_(effect.term))
        return self.under(not_(effect.outcome))

    def needed(self, outcome: Term, condition: Term) -> Term:
        """`only if`: without further conditions the outcome stands on the left."""
        if not self.scope.where and not _is_negated(outcome):
            return normal_form(implies(outcome, condition))
        self.scope.where.append(not_(condition))
        return self.under(not_(outcome))

    def once(self, outcome: Term, condition: Term, labels: tuple[str, str] = _NOT_BEFORE) -> Term:
        """`may, once`: not before, or enough."""
        enough = self.scope.settings.choose(
            QuestionKind.DIRECTION,
            question="Is the condition needed, or is it enough on its own?",
            labels=labels,
        )
        if not enough:
            return self.needed(outcome, condition)
        self.scope.where.append(condition)
        return self.under(outcome)

    def after(self, main: Node, effect: Effect, tail: Node) -> Term:
        """`may ... after 90 days of service`, of the subject."""
        if main.data != "allow":
            raise _tail_error(tail)
        subject = noun_of(next(iter(main.find_data("noun")))).one
        time = next(lexeme for lexeme in lexemes_of(tail) if lexeme.quantity)
        what = text_of(child(tail, "words"))
        enough = self.scope.predicates.sizes.enough_time(subject, what, time)
        return self.once(effect.outcome, enough)

    def under(self, result: Term) -> Term:
        where = self.scope.where
        return normal_form(implies(and_(*where), result) if where else result)


def _is_negated(term: Term) -> bool:
    return isinstance(term, Apply) and term.op is Op.NOT


def _tail_error(tail: Node) -> NotUnderstoodError:
    first = lexemes_of(tail)[0]
    return NotUnderstoodError(
        f"what `{first.text}` does to this sentence is not settled", (first.word,)
    )


def _parts(tree: Node) -> list[Node]:
    """The parts of a sentence with the part of its tail, if it has one."""
    own = subtrees(tree)
    return own + [
        part for tail in own if str(tail.data).endswith("_tail") for part in subtrees(tail)
    ]
