"""The questions put to a solver, as assertions.

Each function returns terms that are unsatisfiable iff the property holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from policywright.definitions import written_out
from policywright.model import PolicyModel
from policywright.terms import Literal, Op, Symbol, Term, eq, not_, subterms


def equivalent(left: Term, right: Term, assumptions: Sequence[Term] = ()) -> list[Term]:
    """Unsatisfiable iff both conditions say the same wherever the assumptions hold."""
    return [*assumptions, not_(eq(left, right))]


def divisors(model: PolicyModel, terms: Sequence[Term]) -> list[Term]:
    """Every divisor in the terms that is not a constant, definitions written out, each once."""
    found: dict[Term, None] = {}
    for term in terms:
        for node in subterms(written_out(model, term)):
            if not isinstance(node, (Literal, Symbol)) and node.op is Op.DIV:
                divisor = node.args[1]
                if not isinstance(divisor, Literal) or divisor.value == 0:
                    found[divisor] = None
    return list(found)
