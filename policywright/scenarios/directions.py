"""Whether an edit can rule out more cases, and whether it can admit more.

Read off the edit and where it stands; where that does not tell, both are possible. Used
only to ask the solver first what it may say yes to.
"""

from __future__ import annotations

from fractions import Fraction

from policywright.model import PolicyModel
from policywright.normal import normal_form
from policywright.scenarios.edits import Edit, EditKind
from policywright.scenarios.mutants import Group
from policywright.terms import ORDERINGS, TRUE, Apply, Literal, Op, Term

_WIDER = {(Op.LT, Op.LE), (Op.GT, Op.GE), (Op.EQ, Op.LE), (Op.EQ, Op.GE)}


def directions(term: Term, edit: Edit) -> tuple[bool, bool]:
    """(whether it may rule out more, whether it may admit more), of a rule's term."""
    sign, node, parent = 1, term, None
    for step in edit.path:
        assert isinstance(node, Apply)
        if node.op is Op.NOT or (node.op is Op.IMPLIES and step == 0):
            sign = -sign
        elif node.op not in (Op.AND, Op.OR, Op.IMPLIES) and node.op not in ORDERINGS:
            return True, True
        parent, node = node, node.args[step]
    wider = _wider(edit, parent)
    if wider is None:
        return True, True
    admits = wider is (sign > 0)
    return not admits, admits


def ways(model: PolicyModel, group: Group) -> tuple[int, int]:
    """The bits of the mutants that may rule out more, and of those that may admit more."""
    forbidding = admitting = 0
    for bit, mutant in enumerate(group.mutants):
        both = True, True
        if len(group.rules) == 1 and group.owner in model.rule_by_id:
            both = directions(normal_form(model.rule_by_id[group.owner].term), mutant.edit)
        forbidding |= both[0] << bit
        admitting |= both[1] << bit
    return forbidding, admitting


def _wider(edit: Edit, parent: Apply | None) -> bool | None:
    """Whether what stands there then holds more often, never less; None if neither."""
    before, after = edit.before, edit.after
    if after == TRUE:
        return True
    if isinstance(before, Literal) and isinstance(after, Literal):
        return _constant(before, after, parent)
    if not isinstance(before, Apply):
        return None
    ops = before.op, after.op if isinstance(after, Apply) else None
    if edit.kind in (EditKind.ADDED, EditKind.EXCEPTION, EditKind.ALTERNATIVE):
        return edit.kind is EditKind.ALTERNATIVE or ops[1] is Op.IMPLIES
    if ops in _WIDER:
        return True
    if ops[::-1] in _WIDER:
        return False
    if before.op in (Op.AND, Op.OR) and ops[1] is not Op.NOT:
        joined = {(Op.AND, Op.OR): True, (Op.OR, Op.AND): False}
        return joined.get(ops, before.op is Op.AND)  # type: ignore[arg-type]
    return None


def _constant(before: Literal, after: Literal, parent: Apply | None) -> bool | None:
    if parent is None or parent.op not in ORDERINGS:
        return None
    if not isinstance(before.value, (int, Fraction)) or not isinstance(
        after.value, (int, Fraction)
    ):
        return None
    raised = after.value > before.value
    on_the_right = parent.args[1] is before
    below = parent.op in (Op.LT, Op.LE)
    return raised is (below is on_the_right)
