"""A suite: few scenarios that tell every mutant apart that is not the policy in other words.

It is made component by component, since no rule of one has a say in another; so after an
edit only the components are remade that the edit touches, and keep what they can of their
cases.

A mutant is *equivalent* if it has the very models that the policy has. It is *told apart* by
a scenario if the findings of both are decided and differ. All else is *undecided*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from policywright.model import PolicyModel
from policywright.scenarios.edits import TIERS, EditKind
from policywright.scenarios.fates import Fate
from policywright.scenarios.part import Part
from policywright.scenarios.plan import RLIMIT, Plan
from policywright.scenarios.tally import Tally
from policywright.scenarios.telling import Telling


@dataclass(frozen=True)
class Suite:
    """Parts in document order."""

    parts: tuple[Part, ...]

    @cached_property
    def scenarios(self) -> tuple[Telling, ...]:
        """Tier by tier, the one that tells most mutants apart first."""
        every = [one for part in self.parts for one in part.scenarios]
        return tuple(sorted(every, key=lambda one: (one.tier, -len(one.tells))))

    @cached_property
    def tally(self) -> Tally:
        total = Tally()
        for _, fate, count in self._all():
            total = total.plus(fate, count)
        return total

    @cached_property
    def by_kind(self) -> Mapping[EditKind, Tally]:
        """Of each kind of edit that the policy has, in the order of the kinds."""
        found: dict[EditKind, Tally] = {}
        for kind, fate, count in self._all():
            found[kind] = found.get(kind, Tally()).plus(fate, count)
        return {kind: found[kind] for kind in EditKind if kind in found}

    @property
    def limits(self) -> tuple[str, ...]:
        """What was not decided, and why: sentences."""
        return tuple(limit for part in self.parts for limit in part.limits)

    def _all(self) -> Iterator[tuple[EditKind, Fate, int]]:
        for part in self.parts:
            for mutant, fate in part.fates:
                yield mutant.kind, fate, 1
            for (kind, _), count in part.not_built.items():
                yield kind, Fate.UNDECIDED, count


def make_suite(
    model: PolicyModel,
    *,
    tiers: int = len(TIERS),
    previous: Suite | None = None,
    rlimit: int = RLIMIT,
    packed: bool = True,
    work: int | None = None,
) -> Suite:
    """The suite of a policy, of the first `tiers` tiers; mutants of others are not made.

    Parts of `previous` are taken over where all that they rest on is as it was, and of the
    others the cases that still tell something. `rlimit` limits each question to the solver,
    `work` those of one component together, by default as its rules are many (`budget`).
    The same policy with the same previous suite gets the same suite. Without `packed` no
    case is made to tell more than the mutant it was looked for: sooner found, and more of
    them.
    """
    plan = Plan(model, tiers=tiers, rlimit=rlimit, packed=packed, work=work)
    known = {part.key: part for part in previous.parts} if previous else {}
    made = {part.key: part for part in plan.parts(known, previous.scenarios if previous else ())}
    return Suite(tuple((known | made)[key] for key in plan.keys))
