"""What is made of one component: the scenarios that tell its mutants apart, and what did not.

Tiers come in order, and what an earlier one tells is not asked about again. Cases of an
earlier suite come first: as long as they tell something they stay, with the very facts that
a person may have answered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from policywright.finding_kinds import BY_SIDES, FindingKind
from policywright.findings.conditions import equals
from policywright.model import PolicyModel
from policywright.scenarios.cover import Told, choose, take
from policywright.scenarios.cutting import (
    Cut,
    claim_of,
    fixed_in,
    refuted,
    refuted_by_mutant,
    refuted_by_rules,
)
from policywright.scenarios.edits import EditKind
from policywright.scenarios.fates import Fate, bits
from policywright.scenarios.mutants import Mutant
from policywright.scenarios.scenario import Scenario
from policywright.scenarios.search import Search
from policywright.scenarios.seeds import fitting
from policywright.scenarios.telling import Telling
from policywright.scenarios.trials import Probe
from policywright.solver import Session, Status
from policywright.sorts import BOOL


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
class _Chosen:
    """`facts` are those of an earlier scenario, which it keeps as they are."""

    tier: int
    probe: Probe
    facts: frozenset[str] | None
    told: Told = field(default_factory=dict)


class Making:
    """One part; `seeds` are scenarios of an earlier suite, those first that had better stay."""

    def __init__(self, search: Search, seeds: Sequence[Telling] = (), *, tiers: int) -> None:
        self.model, self.rules, self.groups = search.model, search.rules, search.groups
        self.search, self.tiers = search, tiers
        self.seeds = list(fitting(self.search, seeds))

    def part(self, key: str) -> Part:
        clash = self._clash()
        scenarios: list[Telling] = []
        if clash:
            self.search.fates.give_up()
        else:
            for tier in range(self.tiers):
                for seed, probe in self.seeds:
                    if seed.tier == tier:
                        self.search.fates.take(tier, probe)
                self.search.run(tier)
            scenarios += self._scenarios()
        fates = tuple(
            (mutant, fate)
            for group, some in zip(self.groups, self.search.fates.of_group, strict=True)
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
        with self.search.asking.opened(()) as (session, _):
            if session.check(self.rules) is not Status.UNSAT:
                return ""
            core = sorted(session.core())
            clash = "contradict each other" if len(core) > 1 else "can never hold"
            return f"{self._named(core)} {clash}."

    def _scenarios(self) -> list[Telling]:
        """Those chosen, tier by tier, cut to their facts."""
        chosen: list[_Chosen] = []
        trials = self.search.trials
        for tier in range(self.tiers):
            wanted = self.search.fates.told(tier)
            for one in chosen:
                for place, told in take(self._tells(one, wanted), wanted).items():
                    one.told[place] = one.told.get(place, 0) | told
            kept = list(self._kept(tier, chosen, wanted))
            taken = {id(one.probe) for one in chosen if one.facts is None}
            probes = self.search.fates.probes
            new = [p for of, p in probes if of <= tier and id(p) not in taken]
            tried = [*kept, *(_Chosen(tier, probe, None) for probe in new)]
            for number, mine in choose(trials, new, wanted, first=[one.told for one in kept]):
                chosen.append(replace(tried[number], told=mine))
        found = []
        for one in chosen:
            if self.search.budget.is_spent:
                for place, mask in one.told.items():
                    self.search.fates.drop(place, mask)
            else:
                found.append(self._telling(one))
        return _merged(found)

    def _kept(
        self, tier: int, chosen: Sequence[_Chosen], wanted: Mapping[int, int]
    ) -> Iterator[_Chosen]:
        """Earlier scenarios that tell something of what is wanted with the facts that they have."""
        rest = dict(wanted)
        taken = {id(one.probe) for one in chosen if one.facts is not None}
        for seed, probe in self.seeds:
            if seed.tier <= tier and id(probe) not in taken:
                one = _Chosen(tier, probe, frozenset(seed.scenario.facts))
                told = take(self._tells(one, rest), rest)
                if told:
                    yield replace(one, told=told)

    def _tells(self, one: _Chosen, wanted: Mapping[int, int]) -> Told:
        """What a case tells of the wanted; of an earlier scenario without any further fact."""
        trials, probe = self.search.trials, one.probe
        every = {p: wanted[p] & trials.killed(p, probe) for p in trials.near(probe) if p in wanted}
        told = {place: mask for place, mask in every.items() if mask}
        if one.facts is None or not told:
            return told
        fixed = [v for v in fixed_in(probe, trials.variables) if v.id in one.facts]
        values = [equals(v, probe.case[v.id]) for v in fixed]
        with self.search.asking.opened(values) as (session, numbers):
            cut = Cut(self.model, session, probe, fixed, numbers, one.facts)
            if not all(map(cut.holds, refuted_by_rules(self.rules, probe))):
                return {}
            return {
                place: sum(
                    1 << bit
                    for bit in bits(mask)
                    if all(
                        map(
                            cut.holds,
                            refuted_by_mutant(
                                trials, self.rules, self.groups[place], probe, place, bit
                            ),
                        )
                    )
                )
                for place, mask in told.items()
            }

    def _telling(self, one: _Chosen) -> Telling:
        probe, told = one.probe, one.told
        tells = [self.groups[p].mutants[bit] for p in sorted(told) for bit in bits(told[p])]
        case = {v.id: probe.case[v.id] for v in self.search.trials.variables_around(probe.place)}
        scenario = self._scenario(probe, told, one.facts or ())
        return Telling(scenario, one.tier, tuple(tells), case)

    def _scenario(self, probe: Probe, told: Told, wished: Collection[str]) -> Scenario:
        """Cut to the facts that are needed; those wished for stay."""
        trials = self.search.trials
        proofs = list(refuted(trials, self.rules, self.groups, probe, told))
        nearby = trials.variables_around(probe.place)
        nearby += [v for v in trials.variables if v.id in wished and v not in nearby]
        for variables in (nearby, trials.variables):
            fixed = fixed_in(probe, variables)
            values = [equals(v, probe.case[v.id]) for v in fixed]
            with self.search.asking.opened(values) as (session, numbers):
                cut = Cut(self.model, session, probe, fixed, numbers, wished)
                facts = cut.facts(proofs)
                if facts is None and len(variables) < len(trials.variables):
                    continue  # what is far away has a say
                if facts is None:
                    facts = {one.id: probe.case[one.id] for one in cut.variables}
                    cut.kept = list(cut.numbers)
                return Scenario(facts, claim_of(probe), self._finding(probe, session, cut))
        raise AssertionError("the last try returns")

    def _finding(self, probe: Probe, session: Session, cut: Cut) -> FindingKind:
        variable = probe.claimed.variable
        if variable is None:
            return FindingKind.SATISFIABLE if probe.can_hold else FindingKind.IMPOSSIBLE
        can_hold, can_fail = probe.can_hold, probe.can_fail
        if variable.sort == BOOL and probe.case[variable.id] is False:
            can_hold, can_fail = can_fail, can_hold
        if probe.has_one_side:
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
                name = name_of(self.model, group.owner)
                yield f"`{name}` is so long that {count:,} of its edits were not looked at."
        left = sum(self.search.fates.left)
        if left:
            yield (
                f"{self._named(self.rules)}: their cases cost more work than is done at once, "
                f"so {left:,} edit{'s' * (left > 1)} were not decided."
            )
        every = zip(self.groups, self.search.fates.of_group, self.search.fates.left, strict=True)
        for group, fates, left in every:
            count = fates.count(Fate.UNDECIDED) - left
            if count:
                name = name_of(self.model, group.owner)
                yield f"`{name}`: {count:,} edit{'s' * (count > 1)} were not decided."

    def _named(self, rules: Sequence[int]) -> str:
        names = [f"`{self.model.rules[n].name}`" for n in rules if n < len(self.model.rules)]
        shown = ", ".join(names[:5])
        return shown + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def _merged(found: Sequence[Telling]) -> list[Telling]:
    """Each question once: cases that are cut may come to ask the same."""
    by_question: dict[object, Telling] = {}
    for one in found:
        asked = frozenset(one.scenario.facts.items()), one.scenario.claim
        first = by_question.get(asked)
        by_question[asked] = replace(first, tells=first.tells + one.tells) if first else one
    return list(by_question.values())


def name_of(model: PolicyModel, owner: str) -> str:
    rule = model.rule_by_id.get(owner)
    return rule.name if rule else model.name_of(owner)
