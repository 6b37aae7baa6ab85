"""A suite: few scenarios that tell every mutant apart that is not the policy in other words.

It is made component by component, since no rule of one has a say in another; so after an
edit only the components are remade that the edit touches. Tiers come in order, and what an
earlier one tells is not asked about again.

A mutant is *equivalent* if it has the very models that the policy has. It is *told apart* by
a scenario if the findings of both are decided and differ. All else is *undecided*.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from policywright.finding_kinds import BY_SIDES, FindingKind
from policywright.model import Kind, PolicyModel, Rule
from policywright.normal import canonical
from policywright.scenarios.cover import choose
from policywright.scenarios.cutting import Cut, claim_of, refuted
from policywright.scenarios.edits import TIERS, EditKind
from policywright.scenarios.ground import Ground
from policywright.scenarios.mutants import Group, Mutant, groups_of
from policywright.scenarios.scenario import Scenario
from policywright.scenarios.search import Fate, Search, bits
from policywright.scenarios.trials import Probe
from policywright.solver import Session, Status, compiled
from policywright.sorts import BOOL

RLIMIT = 2_000_000
"""For each question: twenty times what rules as policies have them take."""


@dataclass(frozen=True)
class Telling:
    """A scenario of a suite, and the mutants that it is the first to tell apart."""

    scenario: Scenario
    tier: int
    tells: tuple[Mutant, ...]


@dataclass(frozen=True)
class Part:
    """What was made of one component; `key` is of all that it rests on.

    `fates` has an entry for each mutant. `not_built` counts edits that were not looked at,
    by kind and tier.
    """

    key: str
    scenarios: tuple[Telling, ...]
    fates: tuple[tuple[Mutant, Fate], ...]
    not_built: Mapping[tuple[EditKind, int], int]
    limits: tuple[str, ...]


@dataclass(frozen=True)
class Tally:
    """How many mutants there are, and what became of them."""

    mutants: int = 0
    equivalent: int = 0
    killed: int = 0
    undecided: int = 0

    @property
    def score(self) -> float:
        """Of those that are not proven equivalent the share that is told apart; 1 of none."""
        rest = self.mutants - self.equivalent
        return self.killed / rest if rest else 1.0

    def plus(self, fate: Fate, count: int = 1) -> Tally:
        return Tally(
            self.mutants + count,
            self.equivalent + count * (fate is Fate.EQUIVALENT),
            self.killed + count * (fate is Fate.TOLD),
            self.undecided + count * (fate is Fate.UNDECIDED),
        )


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
) -> Suite:
    """The suite of a policy, of the first `tiers` tiers; mutants of others are not made.

    Parts of `previous` are taken over where all that they rest on is as it was. `rlimit`
    limits each question to the solver. The same policy gets the same suite. Without
    `packed` no case is made to tell more than the mutant it was looked for: sooner found,
    and more of them.
    """
    known = {part.key: part for part in previous.parts} if previous else {}
    ground = Ground(model)
    owners = _owners(model)
    keys = {rules: _key(model, rules, ids, tiers, rlimit, packed) for rules, ids in owners.items()}
    wanted = {i for rules, ids in owners.items() if keys[rules] not in known for i in ids}
    groups: dict[str, Group] = {}
    for group in groups_of(model, ground, wanted):
        groups[group.owner] = group.of_tiers(tiers)
    parts = []
    for rules, ids in owners.items():
        part = known.get(keys[rules])
        if part is None:
            some = [groups[i] for i in ids]
            part = _Making(model, rules, some, tiers, rlimit, packed).part(keys[rules])
        parts.append(part)
    return Suite(tuple(parts))


class _Making:
    """One part."""

    def __init__(
        self,
        model: PolicyModel,
        rules: tuple[int, ...],
        groups: Sequence[Group],
        tiers: int,
        rlimit: int,
        packed: bool,
    ) -> None:
        self.model, self.rules, self.groups, self.tiers = model, rules, groups, tiers
        self.search = Search(model, rules, groups, rlimit=rlimit, packed=packed)

    def part(self, key: str) -> Part:
        clash = self._clash()
        scenarios: list[Telling] = []
        if clash:
            self.search.give_up()
        else:
            for tier in range(self.tiers):
                self.search.run(tier)
            scenarios += self._scenarios()
        fates = tuple(
            (mutant, fate)
            for group, some in zip(self.groups, self.search.fates, strict=True)
            for mutant, fate in zip(group.mutants, some, strict=True)
        )
        not_built: dict[tuple[EditKind, int], int] = {}
        for group in self.groups:
            for kind, count in group.left_out.items():
                not_built[kind] = not_built.get(kind, 0) + count
        limits = tuple(self._limits(clash, not_built))
        return Part(key, tuple(scenarios), fates, not_built, limits)

    def _clash(self) -> str:
        """Why nothing can be told here: a sentence; empty where no contradiction is known."""
        with self.search.opened(()) as (session, _):
            if session.check(self.rules) is not Status.UNSAT:
                return ""
            core = sorted(session.core())
            clash = "contradict each other" if len(core) > 1 else "can never hold"
            return f"{self._named(core)} {clash}."

    def _scenarios(self) -> Iterator[Telling]:
        """Those chosen, tier by tier, cut to their facts."""
        chosen: list[tuple[int, Probe, list[int]]] = []
        trials = self.search.trials
        for tier in range(self.tiers):
            wanted = self.search.told(tier)
            for _, probe, told in chosen:
                for place, mask in enumerate(wanted):
                    mine = mask & trials.killed(place, probe) if mask else 0
                    told[place] |= mine
                    wanted[place] = mask & ~mine
            taken = {id(probe) for _, probe, _ in chosen}
            probes = [p for of, p in self.search.probes if of <= tier and id(p) not in taken]
            chosen += [(tier, probe, told) for probe, told in choose(trials, probes, wanted)]
        for tier, probe, told in chosen:
            tells = [
                group.mutants[bit]
                for group, mask in zip(self.groups, told, strict=True)
                for bit in bits(mask)
            ]
            yield Telling(self._scenario(probe, told), tier, tuple(tells))

    def _scenario(self, probe: Probe, told: Sequence[int]) -> Scenario:
        trials = self.search.trials
        proofs = list(refuted(trials, self.rules, self.groups, probe, told))
        with self.search.opened(()) as (session, _):
            cut = Cut(self.model, session, probe, trials.variables)
            facts = cut.facts(proofs)
            if facts is None:
                facts = {one.id: probe.case[one.id] for one in cut.variables}
                cut.kept = list(cut.numbers)
            return Scenario(facts, claim_of(probe), self._finding(probe, session, cut))

    def _finding(self, probe: Probe, session: Session, cut: Cut) -> FindingKind:
        variable = probe.claimed.variable
        if variable is None:
            return FindingKind.SATISFIABLE if probe.can_hold else FindingKind.IMPOSSIBLE
        can_hold, can_fail = probe.can_hold, probe.can_fail
        if variable.sort == BOOL and probe.case[variable.id] is False:
            can_hold, can_fail = can_fail, can_hold
        if variable.sort.is_number:
            status = session.check([*self.rules, *cut.kept, cut.sides[False]])
            if status is Status.UNKNOWN:
                return FindingKind.UNDECIDED
            can_fail = status is Status.SAT
        return BY_SIDES[can_hold, can_fail]

    def _limits(self, clash: str, not_built: Mapping[tuple[EditKind, int], int]) -> Iterator[str]:
        if clash:
            yield f"{clash} So no slip in what is connected with that can be told apart."
            return
        for group in self.groups:
            count = sum(group.left_out.values())
            if count:
                name = _name(self.model, group.owner)
                yield f"`{name}` is so long that {count:,} of its edits were not looked at."
        for group, fates in zip(self.groups, self.search.fates, strict=True):
            count = fates.count(Fate.UNDECIDED)
            if count:
                name = _name(self.model, group.owner)
                yield f"`{name}`: {count:,} edit{'s' * (count > 1)} were not decided."

    def _named(self, rules: Sequence[int]) -> str:
        names = [f"`{self.model.rules[n].name}`" for n in rules if n < len(self.model.rules)]
        shown = ", ".join(names[:5])
        return shown + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def _owners(model: PolicyModel) -> dict[tuple[int, ...], list[str]]:
    """The components' rules, with the ids of the rules and definitions whose edits are theirs."""
    prepared = compiled(model)
    found: dict[tuple[int, ...], list[str]] = {}
    for definition in model.definitions:
        used = bool(prepared.rules_of.get(definition.id))
        rules = prepared.slice_of([definition.symbol]) if used else ()
        found.setdefault(rules, []).append(definition.id)
    for rule in model.rules:
        rules = prepared.slice_of([rule.term])
        found.setdefault(rules, [])
        if rule.kind is not Kind.DEFAULT:
            found[rules].append(rule.id)
    return found


def _key(
    model: PolicyModel,
    rules: Sequence[int],
    owners: Sequence[str],
    tiers: int,
    rlimit: int,
    packed: bool,
) -> str:
    """Of everything that the part of a component is made of."""
    prepared = compiled(model)
    used = {i for number in rules for i in prepared.rule_symbols[number]}
    used |= {i for i in owners if i in model.definition_by_id}
    free = [v for v in model.variables if v.id not in prepared.component_of]
    variables = [v for v in model.variables if v.id in used]
    sorts = {v.sort.key for v in variables}
    content = [
        [tiers, rlimit, packed],
        [[r.id, r.kind, r.outcome, r.choice, canonical(r.term)] for r in _some(model, rules)],
        [[d.id, canonical(d.term)] for d in model.ordered_definitions if d.id in used],
        [[v.id, v.name, v.sort.key, v.role, v.unit] for v in (*variables, *free)],
        [[d.id, [value.id for value in d.values]] for d in model.datatypes if d.id in sorts],
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _some(model: PolicyModel, rules: Sequence[int]) -> Iterator[Rule]:
    return (model.rules[number] for number in rules)


def _name(model: PolicyModel, owner: str) -> str:
    rule = model.rule_by_id.get(owner)
    return rule.name if rule else model.name_of(owner)
