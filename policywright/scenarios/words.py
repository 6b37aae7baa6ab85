"""An edit in English: 'at least' instead of 'more than'; the question of a scenario, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from policywright.english import render_term
from policywright.english.render import render_case, render_value
from policywright.english.values import number_text
from policywright.evaluate import Value
from policywright.model import PolicyModel
from policywright.normal import negate
from policywright.scenarios.edits import Edit, EditKind
from policywright.scenarios.ground import Ground
from policywright.scenarios.mutants import Mutant
from policywright.scenarios.places import compared_with
from policywright.terms import FLIPPED, Apply, Literal, Op, Symbol, Term

_COMPARED = {Op.LT: "less than", Op.LE: "at most", Op.GT: "more than", Op.GE: "at least"}


def say_mutant(model: PolicyModel, mutant: Mutant, ground: Ground | None = None) -> str:
    """One sentence: which rule or definition, and what it says instead of what."""
    rule = model.rule_by_id.get(mutant.owner)
    name = rule.name if rule else model.name_of(mutant.owner)
    term = (ground or Ground(model)).term(mutant.owner)
    return f"In `{name}`: {_say(model, term, mutant.edit)}."


def say_question(model: PolicyModel, facts: Mapping[str, Value], claim: Term | None) -> str:
    """What an owner is asked before the finding is shown."""
    asked = "can this case occur" if claim is None else f"is it so that {render_term(model, claim)}"
    case = render_case(model, facts)
    return f"{f'If {case}' if case else 'Whatever the facts'}: {asked}?"


def _say(model: PolicyModel, term: Term, edit: Edit) -> str:
    return _SAY.get(edit.kind, _instead)(model, term, edit)


def _comparison(model: PolicyModel, term: Term, edit: Edit) -> str:
    before, after = edit.before, edit.after
    assert isinstance(before, Apply)
    assert isinstance(after, Apply)
    ops = [after.op, before.op]
    if isinstance(before.args[0], Literal):
        ops = [FLIPPED[op] for op in ops]
    said = " instead of ".join(f"'{_COMPARED[op]}'" for op in ops)
    return f"{said}, where it says that {render_term(model, before)}"


def _constant(model: PolicyModel, term: Term, edit: Edit) -> str:
    parent = _parent(term, edit)
    beside = compared_with(parent) if parent is not None else None
    return _values(model, beside, edit)


def _value(model: PolicyModel, term: Term, edit: Edit) -> str:
    parent = _parent(term, edit)
    beside = next((a for a in parent.args if isinstance(a, Symbol)), None) if parent else None
    return _values(model, beside, edit)


def _values(model: PolicyModel, beside: Symbol | None, edit: Edit) -> str:
    texts = []
    for literal in (edit.after, edit.before):
        assert isinstance(literal, Literal)
        value = literal.value
        if beside is not None:
            texts.append(render_value(model, model.declared(beside.id), value))
        elif isinstance(value, str):
            named = model.datatype_by_id[literal.sort.key].value(value)
            texts.append(named.phrase or named.name)
        else:
            texts.append(number_text(value))
    said = " instead of ".join(f"'{text}'" for text in texts)
    return said + (f" for {_named(model, beside)}" if beside is not None else "")


def _named(model: PolicyModel, symbol: Symbol) -> str:
    return f"`{model.name_of(symbol.id)}`"


def _dropped(model: PolicyModel, term: Term, edit: Edit) -> str:
    before, after = edit.before, edit.after
    assert isinstance(before, Apply)
    if before.op is Op.IMPLIES:
        return f"whether or not {render_term(model, before.args[0])}"
    rest = list(after.args) if isinstance(after, Apply) and after.op is before.op else [after]
    for arg in before.args:
        if arg in rest:
            rest.remove(arg)
        else:
            return f"without '{render_term(model, arg)}'"
    return _instead(model, term, edit)


def _left_out(model: PolicyModel, term: Term, edit: Edit) -> str:
    if not edit.path and edit.before == term and not isinstance(edit.after, Apply):
        return "left out"
    return f"only that {render_term(model, edit.after)}"


def _joined(model: PolicyModel, term: Term, edit: Edit) -> str:
    assert isinstance(edit.before, Apply)
    said = "'or' instead of 'and'" if edit.before.op is Op.AND else "'and' instead of 'or'"
    return f"{said} in '{render_term(model, edit.before)}'"


def _direction(model: PolicyModel, term: Term, edit: Edit) -> str:
    before, after = edit.before, edit.after
    assert isinstance(before, Apply)
    assert isinstance(after, Apply)
    if after.op is Op.EQ:
        return "'exactly if' instead of 'if'"
    if before.op is Op.EQ:
        return "'if' instead of 'exactly if', in one direction: " + render_term(model, after)
    return "'only if' instead of 'if'"


def _added(model: PolicyModel, term: Term, edit: Edit) -> str:
    after = edit.after
    assert isinstance(after, Apply)
    part = after.args[0] if after.op is Op.IMPLIES else after.args[-1]
    if edit.kind is EditKind.ALTERNATIVE:
        return f"also if {render_term(model, part)}, beside '{render_term(model, edit.before)}'"
    if edit.kind is EditKind.EXCEPTION:
        return f"'{render_term(model, edit.before)}' except if {render_term(model, negate(part))}"
    return f"'{render_term(model, edit.before)}' and only if {render_term(model, part)}"


def _instead(model: PolicyModel, term: Term, edit: Edit) -> str:
    return f"'{render_term(model, edit.after)}' instead of '{render_term(model, edit.before)}'"


def _parent(term: Term, edit: Edit) -> Apply | None:
    node, parent = term, None
    for step in edit.path:
        assert isinstance(node, Apply)
        parent, node = node, node.args[step]
    return parent


_SAY: Mapping[EditKind, Callable[[PolicyModel, Term, Edit], str]] = {
    EditKind.COMPARISON: _comparison,
    EditKind.CONSTANT: _constant,
    EditKind.VALUE: _value,
    EditKind.DROPPED: _dropped,
    EditKind.LEFT_OUT: _left_out,
    EditKind.JOINED: _joined,
    EditKind.DIRECTION: _direction,
    EditKind.ADDED: _added,
    EditKind.ALTERNATIVE: _added,
    EditKind.EXCEPTION: _added,
}
