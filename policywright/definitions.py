"""Terms with the definitions they name written out."""

from __future__ import annotations

from collections.abc import Sequence

from policywright.model import PolicyModel
from policywright.terms import Symbol, Term, fold, rebuild


def written_out(model: PolicyModel, term: Term) -> Term:
    """The term with definitions replaced by what they stand for."""
    bodies: dict[str, Term] = {}

    def visit(node: Term, args: Sequence[Term]) -> Term:
        if isinstance(node, Symbol) and node.id in bodies:
            return bodies[node.id]
        return rebuild(node, args)

    for definition in model.ordered_definitions:
        bodies[definition.id] = fold(definition.term, visit)
    return fold(term, visit)
