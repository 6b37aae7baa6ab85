"""Which outcomes come first, and which facts an outcome can depend on.

Facts reach an outcome through rules, and from there through variables that are no facts:
a fact that nobody gave leads nowhere else, since it may have any value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from policywright.model import PolicyModel, Role
from policywright.solver import compiled


def outcomes_in_order(
    model: PolicyModel, given: Collection[str], *, derived: bool = False
) -> list[str]:
    """The outcomes that are not given, those that the given variables touch first.

    The nearer the earlier, counted in rules; those equally near, and all that are not
    touched, in the order of the model. With `derived`, derived variables are among them.
    """
    roles = (Role.OUTCOME, Role.DERIVED) if derived else (Role.OUTCOME,)
    found = [one.id for one in model.variables if one.role in roles and one.id not in given]
    near = _distances(model, given)
    return sorted(found, key=lambda uid: near.get(uid, len(model.rules) + 1))


def facts_behind(model: PolicyModel, outcome: str) -> Mapping[str, int]:
    """The facts that rules between them and the outcome speak of, with their distance in rules."""
    by_id = model.variable_by_id
    found = _distances(model, [outcome])
    return {uid: near for uid, near in found.items() if by_id[uid].role is Role.FACT}


def touches(model: PolicyModel, outcome: str, given: Collection[str]) -> bool:
    """Whether what is given can reach an outcome."""
    return not _distances(model, [outcome]).keys().isdisjoint(given)


def _distances(model: PolicyModel, starts: Iterable[str]) -> dict[str, int]:
    """Of each variable that is reached how many rules lie between; facts lead no further."""
    prepared, by_id = compiled(model), model.variable_by_id
    found = dict.fromkeys(starts, 0)
    pending, read, distance = list(found), set[int](), 0
    while pending:
        distance += 1
        rules = {rule for uid in pending for rule in prepared.rules_of.get(uid, ())} - read
        read |= rules
        reached = {uid for rule in rules for uid in prepared.rule_symbols[rule] if uid in by_id}
        new = sorted(reached - found.keys())
        found |= dict.fromkeys(new, distance)
        pending = [uid for uid in new if by_id[uid].role is not Role.FACT]
    return found
