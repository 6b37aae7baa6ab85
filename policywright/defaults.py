"""Defaults of outcomes: the closed world, generated from the rules that decide them.

'Approved unless forbidden' asserts the outcome where no rule forbids it;
'refused unless granted' asserts its negation where no rule grants it. The
assertion is never written by hand, so it cannot fall behind the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policywright.definitions import written_out
from policywright.errors import DefaultNotPossibleError
from policywright.model import DefaultChoice, Kind, PolicyModel, Role, Rule, Variable
from policywright.normal import negate, normal_form
from policywright.sorts import BOOL
from policywright.terms import (
    TRUE,
    Apply,
    Op,
    Symbol,
    Term,
    and_,
    implies,
    not_,
    or_,
    symbols,
)


@dataclass(frozen=True, slots=True)
class Generated:
    """A default's assertion and the ids of the rules it rests on, in document order."""

    term: Term
    rests_on: tuple[str, ...]


def generate_default(model: PolicyModel, outcome_id: str, choice: DefaultChoice) -> Generated:
    """The assertion of a default; `open` asserts nothing and rests on nothing.

    Raises DefaultNotPossibleError where a rule decides the outcome in a form
    whose condition cannot be read off, or already decides it both ways.
    """
    variable = model.variable_by_id[outcome_id]
    if variable.sort != BOOL:
        raise DefaultNotPossibleError(
            f"`{variable.name}` is not a yes-or-no outcome, so it has no default"
        )
    if choice is DefaultChoice.OPEN:
        return Generated(TRUE, ())
    forbids = choice is DefaultChoice.APPROVED
    deciding: dict[str, list[Term]] = {}
    reader = _Deciding(model, variable)
    for rule in model.rules:
        if rule.kind in (Kind.RULE, Kind.DEFINITION) and reader.mentions(rule.term):
            decided = reader.decides(rule)
            found = [condition for grants, condition in decided if grants is not forbids]
            if found:
                deciding[rule.id] = found
    # By id, not by place: moving a rule must not void the default's approval.
    conditions = [condition for rule_id in sorted(deciding) for condition in deciding[rule_id]]
    consequence = variable.symbol if forbids else not_(variable.symbol)
    if not conditions:
        return Generated(consequence, ())
    none_applies = negate(normal_form(or_(*conditions)))
    return Generated(implies(none_applies, consequence), tuple(deciding))


class _Deciding:
    """Reads off rules how they decide one outcome."""

    def __init__(self, model: PolicyModel, outcome: Variable) -> None:
        self.model = model
        self.outcome = outcome
        # A definition that speaks of the outcome speaks of it wherever it is used.
        self.ids = {outcome.id}
        for definition in model.ordered_definitions:
            if self.mentions(definition.term):
                self.ids.add(definition.id)

    def mentions(self, term: Term) -> bool:
        return any(symbol.id in self.ids for symbol in symbols(term))

    def decides(self, rule: Rule) -> Iterator[tuple[bool, Term]]:
        """(whether it grants, under which condition) for each way the rule decides the outcome.

        `(= x term)` and `(=> x term)` with an outcome or derived `x` on the left decide
        `x` ('exactly if', 'only if') and merely read what stands on the right.
        """
        for condition, consequence in _implications(normal_form(rule.term)):
            left = self.decided_on_the_left(condition, consequence)
            if left == self.outcome.id:
                yield from self.definition(rule, condition, consequence)
            elif left is None:
                yield from self.implication(rule, condition, consequence)

    def decided_on_the_left(self, condition: Term, consequence: Term) -> str | None:
        equation = isinstance(consequence, Apply) and consequence.op is Op.EQ and condition == TRUE
        left = consequence.args[0] if equation and isinstance(consequence, Apply) else condition
        if isinstance(left, Symbol):
            variable = self.model.variable_by_id.get(left.id)
            if variable is not None and variable.role is not Role.FACT:
                return left.id
        return None

    def definition(
        self, rule: Rule, condition: Term, consequence: Term
    ) -> Iterator[tuple[bool, Term]]:
        if condition == self.outcome.symbol:
            self.need_readable(rule, consequence)
            yield False, negate(consequence)
            return
        assert isinstance(consequence, Apply)
        right = consequence.args[1]
        self.need_readable(rule, right)
        yield True, right
        yield False, negate(right)

    def implication(
        self, rule: Rule, condition: Term, consequence: Term
    ) -> Iterator[tuple[bool, Term]]:
        sign = _literal(consequence, self.outcome)
        if sign is not None:
            self.need_readable(rule, condition)
            yield sign, condition
            return
        self.need_readable(rule, consequence)
        if self.mentions(condition) and not self.decides_another(consequence):
            yield self.only_if(rule, condition, consequence)

    def only_if(self, rule: Rule, condition: Term, consequence: Term) -> tuple[bool, Term]:
        """`(=> (and x other) fact)`: where the fact fails and the other holds, not `x`."""
        joined = isinstance(condition, Apply) and condition.op is Op.AND
        parts = condition.args if joined and isinstance(condition, Apply) else (condition,)
        signs = [_literal(part, self.outcome) for part in parts]
        others = [part for part, sign in zip(parts, signs, strict=True) if sign is None]
        found = [sign for sign in signs if sign is not None]
        if len(found) != 1:
            raise _unreadable(rule, self.outcome)
        for other in others:
            self.need_readable(rule, other)
        return not found[0], normal_form(and_(*others, negate(consequence)))

    def decides_another(self, consequence: Term) -> bool:
        """Whether it speaks of what the policy decides elsewhere: the outcome is merely read."""
        by_id = self.model.variable_by_id
        used = symbols(written_out(self.model, consequence))
        return any(by_id[symbol.id].role is not Role.FACT for symbol in used)

    def need_readable(self, rule: Rule, term: Term) -> None:
        if self.mentions(term):
            raise _unreadable(rule, self.outcome)


def _implications(term: Term) -> Iterator[tuple[Term, Term]]:
    """The term as implications: a bare consequence has the condition `true`."""
    if isinstance(term, Apply) and term.op is Op.AND:
        for part in term.args:
            yield from _implications(part)
    elif isinstance(term, Apply) and term.op is Op.IMPLIES:
        condition, consequence = term.args
        parts: Sequence[Term] = (consequence,)
        if isinstance(consequence, Apply) and consequence.op is Op.AND:
            parts = consequence.args
        for part in parts:
            yield condition, part
    else:
        yield TRUE, term


def _literal(term: Term, outcome: Variable) -> bool | None:
    if isinstance(term, Symbol) and term.id == outcome.id:
        return True
    if term == Apply(Op.NOT, (outcome.symbol,), BOOL):
        return False
    return None


def _unreadable(rule: Rule, outcome: Variable) -> DefaultNotPossibleError:
    return DefaultNotPossibleError(
        f"rule `{rule.name}` decides `{outcome.name}` in a form from which no default can be "
        "made; write it as 'if ..., then', or leave the outcome open"
    )
