"""The positions of a term and what each is for: a statement, a condition, a conclusion.

Both edits and what is added by them are read off the same positions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from policywright.sorts import BOOL
from policywright.terms import ORDERINGS, Apply, Op, Symbol, Term

JUNCTIONS = frozenset({Op.AND, Op.OR})


class Place(Enum):
    """What a position is for. A statement is a whole rule, or a part of one that is a rule."""

    STATEMENT = "statement"
    CONDITION = "condition"
    CONCLUSION = "conclusion"
    EXPRESSION = "expression"


@dataclass(frozen=True, slots=True)
class At:
    """A position: its node, how it is reached, what it is for and what it stands in.

    `joined` is the junction that it is an element of, `beside` the variable that a constant
    is compared with.
    """

    node: Term
    path: tuple[int, ...]
    place: Place
    joined: Op | None = None
    negated: bool = False
    beside: Symbol | None = None


def of_sort(term: Term) -> Place:
    return Place.CONDITION if term.sort == BOOL else Place.EXPRESSION


def below(at: At, is_decided: Callable[[Symbol], bool]) -> list[At]:
    node = at.node
    if not isinstance(node, Apply):
        return []
    places = _places(node, at.place, is_decided)
    junction = node.op if node.op in JUNCTIONS else None
    beside = compared_with(node) or (at.beside if node.op is Op.NEG else None)
    return [
        At(arg, (*at.path, i), place, junction, node.op is Op.NOT, beside)
        for i, (arg, place) in enumerate(zip(node.args, places, strict=True))
    ]


def _places(node: Apply, place: Place, is_decided: Callable[[Symbol], bool]) -> list[Place]:
    statement = place in (Place.STATEMENT, Place.CONCLUSION)
    if node.op in (Op.AND, Op.OR):
        return [place] * len(node.args)
    if node.op is Op.IMPLIES:
        return [Place.CONDITION, Place.CONCLUSION if statement else Place.CONDITION]
    if node.op is Op.EQ and node.args[0].sort == BOOL and statement:
        decided = [isinstance(arg, Symbol) and is_decided(arg) for arg in node.args]
        return [Place.CONCLUSION if one else Place.CONDITION for one in decided]
    if node.op is Op.NOT:
        return [Place.CONCLUSION if statement else Place.CONDITION]
    return [of_sort(arg) for arg in node.args]


def compared_with(node: Apply) -> Symbol | None:
    """The variable that a comparison holds against a constant."""
    if node.op not in ORDERINGS | {Op.EQ} or not node.args[0].sort.is_number:
        return None
    return next((arg for arg in node.args if isinstance(arg, Symbol)), None)
