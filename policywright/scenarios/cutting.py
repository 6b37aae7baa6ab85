"""Cuts the facts of a case down to those that its finding and what it tells rest on.

What is ruled out with few facts is ruled out with more, and what is possible with many is
possible with fewer. So of a claim and of each mutant that it tells only what is ruled out
has to be looked at: the facts in its proof are kept. What the policy itself decides is no
fact: it is kept only where a proof needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from policywright.evaluate import Value
from policywright.findings.conditions import equals
from policywright.findings.minimal import minimal_core
from policywright.model import PolicyModel, Role, Variable
from policywright.scenarios.cover import Told
from policywright.scenarios.fates import bits
from policywright.scenarios.mutants import Group
from policywright.scenarios.trials import Probe, Trials
from policywright.solver import Session, Status
from policywright.terms import TRUE, Term, not_

MAX_MINIMISED = 100
"""Facts of one proof; more are not tried one by one."""


@dataclass(frozen=True)
class Refuted:
    """That a side of the claim cannot be by these rules, and terms in place of others."""

    claim_holds: bool
    rules: tuple[int, ...]
    instead: tuple[Term, ...] = ()


def claim_of(probe: Probe) -> Term | None:
    """`variable = value` as in the case, a yes-or-no outcome as it is; None: it can occur."""
    variable = probe.claimed.variable
    if variable is None:
        return None
    value = probe.case[variable.id]
    return variable.symbol if isinstance(value, bool) else equals(variable, value)


def refuted(
    trials: Trials, rules: Sequence[int], groups: Sequence[Group], probe: Probe, told: Told
) -> Iterator[Refuted]:
    """Everything that must stay ruled out: by the policy, and by the mutants told."""
    yield from refuted_by_rules(rules, probe)
    for place, mask in told.items():
        for bit in bits(mask):
            yield from refuted_by_mutant(trials, rules, groups[place], probe, place, bit)


def refuted_by_rules(rules: Sequence[int], probe: Probe) -> Iterator[Refuted]:
    for side, possible in _sides(probe).items():
        if not possible:
            yield Refuted(side, tuple(rules))


def refuted_by_mutant(
    trials: Trials, rules: Sequence[int], group: Group, probe: Probe, place: int, bit: int
) -> Iterator[Refuted]:
    """What the policy admits and the mutant does not."""
    others = tuple(n for n in rules if n not in group.rules)
    allowed = dict(zip((True, False), trials.sides(place, bit, probe), strict=True))
    for side, possible in _sides(probe).items():
        if possible and not allowed[side]:
            yield Refuted(side, others, group.changed[bit])


def _sides(probe: Probe) -> Mapping[bool, bool]:
    """The sides of a claim that are looked at, and whether each can be."""
    if probe.has_one_side:
        return {True: probe.can_hold}
    return {True: probe.can_hold, False: probe.can_fail}


def fixed_in(probe: Probe, variables: Sequence[Variable]) -> list[Variable]:
    """What a case fixes, that first which had better not be needed."""
    left_open = {one.id for one in (probe.claimed.variable, *probe.claimed.between) if one}
    return sorted((one for one in variables if one.id not in left_open), key=_role_order)


class Cut:
    """One case in a session over its rules: which facts the proofs need."""

    def __init__(
        self,
        model: PolicyModel,
        session: Session,
        probe: Probe,
        fixed: Sequence[Variable],
        numbers: Sequence[int],
        wished: Collection[str] = (),
    ) -> None:
        """`numbers` are of what is `fixed` having its value; ids `wished` for are kept."""
        self.model, self.session, self.probe = model, session, probe
        self.variables, self.numbers = fixed, numbers
        variable = probe.claimed.variable
        claim = claim_of(probe) or TRUE
        holding, failing = session.add_all([claim, not_(claim)])
        if variable is not None and probe.case[variable.id] is False:
            # The claim is then that it is not so.
            holding, failing = failing, holding
        self.sides = {True: holding, False: failing}
        self.kept = [n for v, n in zip(fixed, self.numbers, strict=True) if v.id in wished]

    def facts(self, proofs: Sequence[Refuted]) -> Mapping[str, Value] | None:
        """The facts that are needed, in the order of the model; None if one is not proved."""
        for proof in proofs:
            if not self._prove(proof):
                return None
        needed = {
            v.id
            for v, number in zip(self.variables, self.numbers, strict=True)
            if number in self.kept
        }
        return {v.id: self.probe.case[v.id] for v in self.model.variables if v.id in needed}

    def holds(self, proof: Refuted) -> bool:
        """Whether what is kept is enough for a proof."""
        added = self.session.add_all(proof.instead)
        side = self.sides[proof.claim_holds]
        return self._clash([*proof.rules, *added, side, *self.kept]) is not None

    def _prove(self, proof: Refuted) -> bool:
        added = self.session.add_all(proof.instead)
        fixed = [*proof.rules, *added, self.sides[proof.claim_holds]]
        if self._clash([*fixed, *self.kept]) is not None:
            return True
        rest = [n for n in self.numbers if n not in self.kept]
        facts = [
            n
            for v, n in zip(self.variables, self.numbers, strict=True)
            if n in rest and v.role is Role.FACT
        ]
        for some in (facts, rest):
            core = self._clash([*fixed, *self.kept, *some])
            if core is not None:
                self.kept += self._needed(some, fixed, core)
                return True
        return False

    def _needed(self, some: Sequence[int], fixed: Sequence[int], core: frozenset[int]) -> list[int]:
        """A minimal set of facts; of very many, those in the proof as it comes."""
        found = [number for number in some if number in core]
        if len(found) > MAX_MINIMISED:
            return found
        return minimal_core(found, [*fixed, *self.kept], core, self._clash)[0]

    def _clash(self, numbers: Sequence[int]) -> frozenset[int] | None:
        status = self.session.check(numbers)
        return self.session.core() if status is Status.UNSAT else None


def _role_order(variable: Variable) -> int:
    return [Role.OUTCOME, Role.DERIVED, Role.FACT].index(variable.role)
