"""Which fact not given matters most: the one that settles most of the open outcomes.

Asked of the first open outcomes that the given facts touch; where there are none, of the
first of all.
For each fact that such an outcome can depend on, each of its telling values is tried:
both of a yes or no, each of an enumeration, each constant that a number is compared with
and a step on either side of it (a few plain numbers where there is none). Of each value
that the case allows it is counted how many open outcomes would then have one value only.
The fact with the highest mean comes first; then the higher worst case; then the fact that
more rules speak of; then the nearer one.

The mean, since the worst case is 0 for nearly every fact of a policy in which several
conditions must come together, and so would tell no fact from another. A fact that has one
value only in this case is settled by the others, and asks nothing more of anybody.

Where no fact settles anything alone, each outcome is looked at in a case of each of its
values for the fewest facts that settle it together: one of two counts a half for its
outcome, one of three a third.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from policywright.evaluate import Value
from policywright.findings.conditions import as_number, equals
from policywright.model import PolicyModel, Variable
from policywright.playground.part import Part
from policywright.playground.played import Matter, Settling
from policywright.scenarios.plausible import Plausible
from policywright.solver import Status, compiled
from policywright.sorts import BOOL
from policywright.steps import step_beside

MAX_OPEN = 6
"""Open outcomes that are looked at."""
MAX_FACTS = 40
"""Facts tried: those that most open outcomes can depend on first, then the nearest."""
MAX_TRIES = 300
"""Pairs of a value and an open outcome that are tried."""
MAX_TRIES_LARGE = 80
"""The same where a part is so large that its rules are loaded as they are needed."""
MAX_VALUES = 12
MAX_CONSTANTS = 4
KEPT = 3
_PLAIN = 3


@dataclass(frozen=True)
class Open:
    """An open outcome with the part that it is in, and the facts that it can depend on."""

    variable: Variable
    part: Part
    facts: Mapping[str, int]


def what_matters(model: PolicyModel, found: Sequence[Open]) -> tuple[list[Matter], list[str]]:
    """The facts that matter most, the first first; and what was not looked at, in sentences."""
    order, rules_of = compiled(model).place_of, compiled(model).rules_of
    depend: dict[str, list[Open]] = {}
    for one in found:
        for uid in one.facts:
            depend.setdefault(uid, []).append(one)
    near = {uid: min(one.facts[uid] for one in depend[uid]) for uid in depend}
    candidates = sorted(depend, key=lambda uid: (-len(depend[uid]), near[uid], order[uid]))
    telling = telling_values(model)
    most = MAX_TRIES_LARGE if any(one.part.is_large for one in found) else MAX_TRIES
    matters, tries, tried = list[Matter](), 0, 0
    for uid in candidates[:MAX_FACTS]:
        variable, enough = model.variable_by_id[uid], len(depend[uid])
        if sum(one.mean > enough for one in matters) >= KEPT:
            # No fact from here on settles as much.
            tried = len(candidates)
            break
        values = telling(variable)
        tries += len(values) * enough
        if tries > most or found[0].part.clock.is_over:
            break
        tried += 1
        if (matter := _matter(variable, values, depend[uid])) is not None:
            matters.append(matter)
    shares = _shares(model, found) if not any(one.mean for one in matters) else {}
    matters.sort(
        key=lambda one: (
            -one.mean,
            -one.worst,
            -shares.get(one.variable, 0),
            -len(rules_of[one.variable]),
            near[one.variable],
        )
    )
    if tried == len(candidates):
        return matters[:KEPT], []
    limit = f"{tried} of {len(candidates)} further facts were tried for what they would settle"
    return matters[:KEPT], [limit]


def _shares(model: PolicyModel, found: Sequence[Open]) -> dict[str, Fraction]:
    """Of each fact its share in settling outcomes together with others."""
    shares: dict[str, Fraction] = {}
    for one in found:
        facts = [model.variable_by_id[uid] for uid in one.facts]
        together = one.part.deciding(one.variable, facts)
        for uid in together:
            shares[uid] = shares.get(uid, Fraction(0)) + Fraction(1, len(together))
    return shares


def telling_values(model: PolicyModel) -> Callable[[Variable], list[Value]]:
    """A function from a variable to its values at which the rules may change their mind."""
    plausible = Plausible(model)

    def numbers(variable: Variable) -> Iterator[Value]:
        limits = plausible.limits(variable)[:MAX_CONSTANTS]
        values = {at + step for at in limits for step in _beside(variable, at)}
        values = {value for value in values if value >= 0} or values
        yield from (as_number(variable, value) for value in sorted(values))
        if not limits:
            yield from plausible.values(variable)[:_PLAIN]

    def values(variable: Variable) -> list[Value]:
        if variable.sort == BOOL:
            return [True, False]
        if variable.sort.is_number:
            return list(numbers(variable))
        return [value.id for value in model.datatype_by_id[variable.sort.key].values[:MAX_VALUES]]

    return values


def _beside(variable: Variable, at: Fraction) -> tuple[Fraction, ...]:
    step = step_beside(variable, at)
    return (-step, Fraction(0), step)


def _matter(variable: Variable, values: Sequence[Value], depend: Sequence[Open]) -> Matter | None:
    """What the values would settle; None where fewer than two of them are possible."""
    tried = [one for value in values if (one := _try(variable, value, depend)) is not None]
    counts = [len(one.settled) for one in tried if one.possible]
    if len(counts) < 2:
        return None
    return Matter(variable.id, tuple(tried), Fraction(sum(counts), len(counts)), min(counts))


def _try(variable: Variable, value: Value, depend: Sequence[Open]) -> Settling | None:
    """None where it was not decided whether the value is possible."""
    part, where = depend[0].part, {variable.id: value}
    if value not in part.seen(variable, where):
        status = part.ask(equals(variable, value))
        if status is not Status.SAT:
            return Settling(value, False, {}) if status is Status.UNSAT else None
    settled: dict[str, Value] = {}
    for one in depend:
        found, _ = one.part.settled(one.variable, where)
        if found is not None:
            settled[one.variable.id] = found
    return Settling(value, True, settled)
