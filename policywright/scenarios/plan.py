"""What a suite is made of, before anything is searched: components, their keys, their edits.

No rule of one component has a say in another, so each is made by itself. Its key is of all
that the part rests on: as long as it is the same, so is the part.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple, dataclass

from policywright.model import Kind, PolicyModel, Variable
from policywright.normal import canonical
from policywright.scenarios.budget import work_for
from policywright.scenarios.claims import Claims
from policywright.scenarios.edits import TIERS, EditKind
from policywright.scenarios.ground import Ground
from policywright.scenarios.mutants import Group, groups_of
from policywright.scenarios.part import Making, Part
from policywright.scenarios.search import Search
from policywright.scenarios.telling import Telling
from policywright.solver import compiled
from policywright.terms import subterms

RLIMIT = 2_000_000
"""For each question: twenty times what rules as policies have them take."""


@dataclass(frozen=True)
class Component:
    """Numbers of rules, and the ids of the rules and definitions whose edits are its own."""

    key: str
    rules: tuple[int, ...]
    owners: tuple[str, ...]


class Plan:
    """Made for one model; components are in document order."""

    def __init__(
        self,
        model: PolicyModel,
        *,
        tiers: int = len(TIERS),
        rlimit: int = RLIMIT,
        packed: bool = True,
        work: int | None = None,
    ) -> None:
        self.model, self.ground = model, Ground(model)
        self.tiers, self.rlimit, self.packed, self.work = tiers, rlimit, packed, work
        self._groups: dict[str, Group] = {}
        self._claims = Claims(model)
        prepared = compiled(model)
        free = [_declared(v) for v in model.variables if v.id not in prepared.component_of]
        self._free = hashlib.sha256(json.dumps(free).encode()).hexdigest()
        self._definitions_with: dict[str, list[int]] = {}
        for place, definition in enumerate(model.ordered_definitions):
            for i in prepared.symbols(definition.symbol):
                self._definitions_with.setdefault(i, []).append(place)
        self.components = tuple(
            Component(self._key(rules, owners), rules, tuple(owners))
            for rules, owners in _owners(model).items()
        )

    @property
    def keys(self) -> list[str]:
        return [component.key for component in self.components]

    def counts(self) -> Counter[tuple[int, EditKind]]:
        """How many edits there are by tier and kind, of all tiers, also of those not built."""
        self._build({owner for component in self.components for owner in component.owners})
        found: Counter[tuple[int, EditKind]] = Counter()
        for group in self._groups.values():
            found.update((mutant.tier, mutant.kind) for mutant in group.mutants)
            for (kind, tier), count in group.left_out.items():
                found[tier, kind] += count
        return found

    def parts(self, known: Collection[str], seeds: Sequence[Telling] = ()) -> Iterator[Part]:
        """The parts whose keys are not known, each as it is done, those of few rules first.

        `seeds` are scenarios of an earlier suite: they stay where they still tell something,
        those that come first rather than others.
        """
        seeds_of = self._seeds_of(seeds)
        for component, search in self._searches(known):
            making = Making(search, seeds_of.get(component.rules, ()), tiers=self.tiers)
            yield making.part(component.key)

    def searches(self) -> Iterator[Search]:
        """What would be searched for each part, not begun yet."""
        yield from (search for _, search in self._searches(()))

    def _searches(self, known: Collection[str]) -> Iterator[tuple[Component, Search]]:
        todo = [component for component in self.components if component.key not in known]
        # Whoever has no time for all has most parts then.
        todo.sort(key=lambda component: len(component.rules))
        self._build({owner for component in todo for owner in component.owners})
        for component in todo:
            groups = [self._groups[owner].of_tiers(self.tiers) for owner in component.owners]
            yield (
                component,
                Search(
                    self.model,
                    component.rules,
                    groups,
                    claims=self._claims,
                    rlimit=self.rlimit,
                    packed=self.packed,
                    work=self.work,
                ),
            )

    def _build(self, owners: set[str]) -> None:
        new = owners - self._groups.keys()
        if new:
            self._groups |= {g.owner: g for g in groups_of(self.model, self.ground, new)}

    def _seeds_of(self, seeds: Sequence[Telling]) -> dict[tuple[int, ...], list[Telling]]:
        """By the rules of the component that each is about."""
        prepared, found = compiled(self.model), dict[tuple[int, ...], list[Telling]]()
        by_id = self.model.variable_by_id
        for seed in seeds:
            terms = [by_id[uid].symbol for uid in seed.scenario.facts if uid in by_id][:1]
            about = [seed.scenario.claim] if seed.scenario.claim is not None else terms
            found.setdefault(prepared.slice_of(about), []).append(seed)
        return found

    def _key(self, rules: Sequence[int], owners: Sequence[str]) -> str:
        """Of everything that the part of a component is made of, and of the words it is said in."""
        model, prepared = self.model, compiled(self.model)
        used = {i for number in rules for i in prepared.rule_symbols[number]}
        used |= {i for i in owners if i in model.definition_by_id}
        variables = [model.variable_by_id[i] for i in used & model.variable_by_id.keys()]
        variables.sort(key=lambda one: prepared.place_of[one.id])
        some = [model.rules[number] for number in rules]
        # One that nothing uses yet names a step of the variables that it reads.
        naming = {place for i in used for place in self._definitions_with.get(i, ())}
        definitions = [model.ordered_definitions[place] for place in sorted(naming)]
        sorts = {v.sort.key for v in variables if v.sort.is_enumeration}
        for term in (*(r.term for r in some), *(d.term for d in definitions)):
            sorts |= {node.sort.key for node in subterms(term) if node.sort.is_enumeration}
        content = [
            [self.tiers, self.rlimit, self.packed, self.work or work_for(len(rules))],
            [[r.id, r.name, r.kind, r.outcome, r.choice, canonical(r.term)] for r in some],
            [[d.id, d.name, *astuple(d.phrases), canonical(d.term)] for d in definitions],
            [_declared(v) for v in variables],
            self._free,
            [[i, [astuple(v) for v in model.datatype_by_id[i].values]] for i in sorted(sorts)],
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _declared(variable: Variable) -> list[str | None]:
    words = (variable.name, *astuple(variable.phrases))
    return [variable.id, *words, variable.sort.key, variable.role, variable.unit]


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
