"""Single edits of a term: the slips by which a rule comes to say something else.

A comparison strict or not, or the other way round; a constant one step down or up; a part
dropped, negated or added; an alternative or an exception added; `and` for `or`; the
conclusion flipped, weakened or strengthened; another value of an enumeration; a like-named
variable; if, only if, exactly if; a statement left out. What an edit makes, an edit undoes,
but for leaving out: the edits that undo it would be all the rules there are.

An edit is a place in the term and what stands there instead, so listing the edits of a long
rule costs its length; building one costs another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from policywright.normal import negate
from policywright.scenarios.ground import Ground
from policywright.scenarios.places import At, Place, below, of_sort
from policywright.sorts import BOOL
from policywright.terms import (
    FALSE,
    FLIPPED,
    ORDERINGS,
    TRUE,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    rebuild,
)


class EditKind(StrEnum):
    """The kinds; the value is the word that the pages show."""

    COMPARISON = "comparison strict, not strict or reversed"
    CONSTANT = "constant one step off"
    DROPPED = "part dropped"
    NEGATED = "part negated"
    CONCLUSION = "conclusion flipped or weakened"
    VALUE = "another value"
    LEFT_OUT = "left out"
    JOINED = "and / or"
    EXACTLY = "exactly, or at least or at most"
    DIRECTION = "if / only if / exactly if"
    VARIABLE = "like-named variable"
    ADDED = "condition added"
    ALTERNATIVE = "alternative added"
    EXCEPTION = "exception added"


TIERS: tuple[frozenset[EditKind], ...] = (
    frozenset(list(EditKind)[:7]),
    frozenset({EditKind.JOINED, EditKind.EXACTLY, EditKind.DIRECTION, EditKind.VARIABLE}),
    frozenset({EditKind.ADDED, EditKind.ALTERNATIVE, EditKind.EXCEPTION}),
)
"""Boundaries and outcomes first, what is added last; edits of assumptions are of the last, too."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`path` leads from the root by argument numbers to `before`; `after` stands there then."""

    kind: EditKind
    path: tuple[int, ...]
    before: Term
    after: Term

    def apply(self, term: Term) -> Term:
        """The term with the edit; what is beside the path is shared."""
        nodes = [term]
        for step in self.path:
            node = nodes[-1]
            assert isinstance(node, Apply)
            nodes.append(node.args[step])
        made = self.after
        for node, step in zip(reversed(nodes[:-1]), reversed(self.path), strict=True):
            assert isinstance(node, Apply)
            made = rebuild(node, [*node.args[:step], made, *node.args[step + 1 :]])
        return made


_STRICT = {Op.LT: Op.LE, Op.LE: Op.LT, Op.GT: Op.GE, Op.GE: Op.GT}
_DUAL = {Op.AND: Op.OR, Op.OR: Op.AND}


def edits(term: Term, ground: Ground, owner: str, *, is_rule: bool = True) -> Iterator[Edit]:
    """Every edit of a term in normal form, in document order, each result once a place.

    `owner` is the id of its rule or definition; a definition's term is no statement, and
    is not left out.
    """
    if is_rule and term != TRUE:
        yield Edit(EditKind.LEFT_OUT, (), term, TRUE)
    place = Place.STATEMENT if is_rule else of_sort(term)
    pending = [At(term, (), place)]
    while pending:
        at = pending.pop()
        yield from _edits_at(at, ground, owner)
        pending.extend(reversed(below(at, ground.is_decided)))


def _edits_at(at: At, ground: Ground, owner: str) -> Iterator[Edit]:
    node = at.node
    if isinstance(node, Literal):
        yield from _literals(at, node, ground, owner)
        return
    if isinstance(node, Symbol):
        for other in ground.like_named(node):
            yield Edit(EditKind.VARIABLE, at.path, node, other)
    elif node.op in ORDERINGS:
        for op in (_STRICT[node.op], FLIPPED[node.op]):
            yield Edit(EditKind.COMPARISON, at.path, node, Apply(op, node.args, BOOL))
    elif node.op in _DUAL:
        yield from _junction(at, node)
    if node.sort != BOOL:
        return
    if at.place in (Place.STATEMENT, Place.CONCLUSION):
        yield from _concluding(at)
    elif isinstance(node, Apply) and node.args[0].sort.is_number:
        yield from _exactly(at, node, EditKind.EXACTLY)
    if _is_statement(at):
        if at.place is Place.STATEMENT and isinstance(node, Apply) and node.op is not Op.IMPLIES:
            yield from _given(at, ground, owner)
        return
    if not at.negated:
        flipped = at.place in (Place.STATEMENT, Place.CONCLUSION)
        kind = EditKind.CONCLUSION if flipped else EditKind.NEGATED
        yield Edit(kind, at.path, node, negate(node))
    if not at.negated or ground.negates_several(owner):
        yield from _additions(at, ground, owner)


def _is_statement(at: At) -> bool:
    """Whether the position holds a rule of its own: not negated, and only made conditional."""
    node = at.node
    if at.place not in (Place.STATEMENT, Place.CONCLUSION) or not isinstance(node, Apply):
        return False
    if node.op is Op.AND and at.place is Place.STATEMENT:
        return True
    return node.op is Op.IMPLIES or (node.op is Op.EQ and node.args[0].sort == BOOL)


def _junction(at: At, node: Apply) -> Iterator[Edit]:
    yield Edit(EditKind.JOINED, at.path, node, Apply(_DUAL[node.op], node.args, BOOL))
    kind = {Place.STATEMENT: EditKind.LEFT_OUT, Place.CONCLUSION: EditKind.CONCLUSION}
    for i in range(len(node.args) if len(node.args) > 1 else 0):
        rest = (*node.args[:i], *node.args[i + 1 :])
        after = rest[0] if len(rest) == 1 else Apply(node.op, rest, BOOL)
        yield Edit(kind.get(at.place, EditKind.DROPPED), at.path, node, after)


def _concluding(at: At) -> Iterator[Edit]:
    """Edits of an implication, of a definition by `=`, of a conclusion about a number."""
    node = at.node
    if not isinstance(node, Apply):
        return
    if node.op is Op.IMPLIES:
        condition, conclusion = node.args
        yield Edit(EditKind.DIRECTION, at.path, node, Apply(Op.EQ, node.args, BOOL))
        yield Edit(EditKind.DIRECTION, at.path, node, Apply(Op.IMPLIES, node.args[::-1], BOOL))
        if not (isinstance(condition, Apply) and condition.op in _DUAL):
            yield Edit(EditKind.DROPPED, at.path, node, conclusion)
    elif node.op is Op.EQ and node.args[0].sort == BOOL:
        for args in (node.args, node.args[::-1]):
            yield Edit(EditKind.DIRECTION, at.path, node, Apply(Op.IMPLIES, args, BOOL))
    else:
        yield from _exactly(at, node, EditKind.CONCLUSION)


def _exactly(at: At, node: Apply, kind: EditKind) -> Iterator[Edit]:
    """A number that is bounded where it is said exactly, and the other way round."""
    if node.op is Op.EQ and node.args[0].sort.is_number:
        for op in (Op.LE, Op.GE):
            yield Edit(kind, at.path, node, Apply(op, node.args, BOOL))
    elif node.op in (Op.LE, Op.GE):
        yield Edit(kind, at.path, node, Apply(Op.EQ, node.args, BOOL))


def _additions(at: At, ground: Ground, owner: str) -> Iterator[Edit]:
    """What is joined to a position: conditions to conditions, conclusions to conclusions.

    An element of a junction takes the other junction: the same one is the junction's own.
    """
    node = at.node
    own = node.op if isinstance(node, Apply) and node.op in _DUAL else None
    ops = [op for op in _DUAL if op is not at.joined or own is op]
    if at.place is Place.CONDITION:
        for atom in ground.conditions_for(owner):
            for op in ops:
                kind = EditKind.ALTERNATIVE if op is Op.OR else EditKind.ADDED
                yield from _joined(at, op, atom, kind)
            if Op.AND in ops and ground.is_plain(atom):
                yield from _joined(at, Op.AND, negate(atom), EditKind.EXCEPTION)
        return
    for atom in ground.conclusions_of(owner):
        for op in ops:
            yield from _joined(at, op, atom, EditKind.CONCLUSION)
    if at.place is Place.STATEMENT:
        yield from _given(at, ground, owner)


def _given(at: At, ground: Ground, owner: str) -> Iterator[Edit]:
    """A statement that is to hold under a condition, or but for an exception, only."""
    for atom in ground.conditions_for(owner):
        for given, kind in ((atom, EditKind.ADDED), (negate(atom), EditKind.EXCEPTION)):
            yield Edit(kind, at.path, at.node, Apply(Op.IMPLIES, (given, at.node), BOOL))


def _joined(at: At, op: Op, atom: Term, kind: EditKind) -> Iterator[Edit]:
    node = at.node
    parts: Sequence[Term] = (node,)
    if isinstance(node, Apply) and node.op is op:
        parts = node.args
    if atom not in parts and negate(atom) not in parts:
        yield Edit(kind, at.path, node, Apply(op, (*parts, atom), BOOL))


def _literals(at: At, node: Literal, ground: Ground, owner: str) -> Iterator[Edit]:
    if node in (TRUE, FALSE):
        return
    if node.sort.is_enumeration:
        for other in ground.other_values(node):
            yield Edit(EditKind.VALUE, at.path, node, other)
        return
    assert isinstance(node.value, (int, Fraction))
    step = ground.step(at.beside, node.sort, owner)
    for value in (node.value - step, node.value + step):
        exact = Fraction(value) if isinstance(node.value, Fraction) else int(value)
        yield Edit(EditKind.CONSTANT, at.path, node, Literal(exact, node.sort))
