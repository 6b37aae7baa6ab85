"""How large a term is once every name in it is written out, and how large it may be.

`let` and definitions can double a term at each step: 60 short lines hold more
than any machine. What is read stays within what printing, replaying and saying
it can bear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from policywright.smtlib.sexpr import MAX_DEPTH
from policywright.terms import Symbol, Term, fold

MAX_SIZE = 200_000

Extent = tuple[int, int]
"""How many nodes a term has, and how deep they are nested."""


def extent(term: Term, known: Mapping[str, Extent]) -> Extent:
    """The extent of a term; `known` holds those of definitions by id."""

    def visit(node: Term, args: Sequence[Extent]) -> Extent:
        if isinstance(node, Symbol) and node.id in known:
            return known[node.id]
        size = 1 + sum(size for size, _ in args)
        # Beyond the limit it no longer matters how far.
        return min(size, 10 * MAX_SIZE), 1 + max((depth for _, depth in args), default=0)

    return fold(term, visit)


def too_large(found: Extent) -> str:
    """What is too large about an extent, as a sentence; nothing if it may be."""
    size, depth = found
    if depth > MAX_DEPTH:
        return f"this term is nested deeper than {MAX_DEPTH} once its names are written out"
    if size > MAX_SIZE:
        return f"this term has more than {MAX_SIZE:,} parts once its names are written out"
    return ""
