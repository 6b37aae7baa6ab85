"""Whole sentences as terms: conditions in front and behind, and what follows.

`Unless` adds a condition and says nothing about the exempt. `Only if` needs,
`if` grants; `may, once` can be either, and is asked about.
"""

from __future__ import annotations

from collections.abc import Callable

from policywright.english.drafts import QuestionKind
from policywright.english.duties import Duties
from policywright.english.fixed import FixedAmounts
from policywright.english.nouns import NotUnderstoodError
from policywright.english.parse import Node
from policywright.english.scope import Effect, Scope
from policywright.english.trees import child, lexemes_of, noun_of, subtrees, text_of
from policywright.normal import normal_form
from policywright.terms import Apply, Op, Term, and_, eq, implies, not_

_CONDITIONS = ("conditions", "all_of", "any_of")


class Statements:
    """Reads a tree of `policy.lark` in one scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        duties, fixed = Duties(scope), FixedAmounts(scope)
        self.effects: dict[str, Callable[[Node], Effect]] = {
            "requires": duties.requires, "required_for": duties.required_for,
            "duty": duties.duty, "ban": duties.ban, "allow": duties.allow,
            "allow_only": duties.allow_only, "forbid": duties.forbid,
            "none_may": duties.none_may, "grant": duties.grant, "claim": duties.claim,
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
        effect = self.effects[str(main.data)](main)
        if tree.data == "fronted_unless":
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

    def once(self, outcome: Term, condition: Term) -> Term:
        """`may, once`: not before, or enough."""
        enough = self.scope.settings.choose(
            QuestionKind.DIRECTION,
            question="Is the condition needed, or is it enough on its own?",
            labels=("it is needed: not before", "it is enough: from then on"),
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
