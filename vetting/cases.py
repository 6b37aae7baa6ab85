"""The case at which the readings of a question part, and what each says of it there.

A question names values at an edge. The case is made whole with values for all that the
readings speak of, likely ones first: the other conditions of the drafted reading met.
Found by evaluation, the same every time; a case that is whole already is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.model import PolicyModel
from policywright.normal import normal_form
from policywright.scenarios import claims_in, concluded, says
from policywright.sorts import BOOL
from policywright.terms import Apply, Op, Symbol, Term, and_
from vetting.edges import Search, wishes_for


@dataclass(frozen=True)
class Said:
    """What a reading says of a claim in the case; a `claim` of None is that it can be."""

    claim: Term | None
    kind: FindingKind


@dataclass(frozen=True)
class Parting:
    """A case by variable id, and what each reading says there; None where nobody can tell."""

    case: Mapping[str, Value]
    said: tuple[Said | None, ...]


def find_parting(
    model: PolicyModel, readings: Sequence[Term], boundary: Mapping[str, Value]
) -> Parting | None:
    """The first case around the boundary in which the readings differ; None if none is found."""
    decided = {symbol.id for term in readings for symbol in concluded(model, term)}
    fixed = {uid: value for uid, value in boundary.items() if uid not in decided}
    conditions = [_condition(normal_form(term)) for term in readings]
    wishes = [wish for condition in conditions for wish in wishes_for(condition, True)]
    for case in Search(model, and_(*conditions)).cases(fixed, wishes, decided):
        said = _said(model, readings, case)
        if said is not None:
            return Parting(case, said)
    return None


def said_of(
    model: PolicyModel, readings: Sequence[Term], case: Mapping[str, Value], claim: Term | None
) -> tuple[Said | None, ...]:
    """What each reading says of one claim in a case."""
    kinds = [says(model, term, case, claim) for term in readings]
    return tuple(None if kind is None else Said(claim, kind) for kind in kinds)


def _said(
    model: PolicyModel, readings: Sequence[Term], case: Mapping[str, Value]
) -> tuple[Said | None, ...] | None:
    """Of each reading what tells it from the others; None where they agree on every claim."""
    claims = claims_in(model, readings, case)
    told = [said_of(model, readings, case, claim) for claim in claims]
    parted = [row for row in told if len({one.kind if one else None for one in row}) > 1]
    if not parted:
        return None
    return tuple(_most_telling([row[place] for row in parted]) for place in range(len(readings)))


def _most_telling(found: Sequence[Said | None]) -> Said | None:
    """A claim that the reading decides, before one of which nothing follows."""
    told = [one for one in found if one is not None]
    decided = [one for one in told if one.kind is not FindingKind.SATISFIABLE]
    return next(iter(decided or told), None)


def _condition(term: Term) -> Term:
    """What a rule asks before it says something; the rule itself if it asks nothing."""
    if isinstance(term, Apply) and term.op is Op.IMPLIES:
        return term.args[0]
    if isinstance(term, Apply) and term.op is Op.AND:
        return and_(*(_condition(arg) for arg in term.args))
    if isinstance(term, Apply) and term.op is Op.EQ and term.args[0].sort == BOOL:
        return next((arg for arg in term.args if not isinstance(arg, Symbol)), term)
    return term
