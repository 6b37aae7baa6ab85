"""Gives a term other ids: of symbols, of datatypes and of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from policywright.sorts import Sort
from policywright.terms import Apply, Literal, Symbol, Term, fold


def rename_ids(term: Term, ids: Mapping[str, str]) -> Term:
    """The term with each id replaced that `ids` names; all others stay."""

    def visit(node: Term, args: Sequence[Term]) -> Term:
        sort = Sort(ids.get(node.sort.key, node.sort.key), node.sort.is_enumeration)
        if isinstance(node, Apply):
            return Apply(node.op, tuple(args), sort)
        if isinstance(node, Symbol):
            return Symbol(ids.get(node.id, node.id), sort)
        if sort.is_enumeration:
            return Literal(ids.get(str(node.value), str(node.value)), sort)
        return node

    return fold(term, visit)
