"""Takes a rule apart into rules that together say the same: nothing is added, nothing lost."""

from __future__ import annotations

from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Apply, Op, Term, implies


def parts_of(term: Term) -> tuple[Term, ...]:
    """The parts whose conjunction is the term; the term alone where it has none.

    `A and B` is A, B; `if P then A and B` is two rules, `if P or Q then A` too;
    `A exactly if B` is both directions.
    """
    return _parts(normal_form(term))


def _parts(term: Term) -> tuple[Term, ...]:
    if not isinstance(term, Apply):
        return (term,)
    if term.op is Op.AND:
        return term.args
    if term.op is Op.EQ and term.args[0].sort == BOOL:
        left, right = term.args
        return implies(right, left), implies(left, right)
    if term.op is Op.IMPLIES:
        condition, then = term.args
        if isinstance(then, Apply) and then.op is Op.AND:
            return tuple(implies(condition, one) for one in then.args)
        if isinstance(condition, Apply) and condition.op is Op.OR:
            return tuple(implies(one, then) for one in condition.args)
    return (term,)
