"""Mutants: the policy with one edit of one rule, definition or assumption.

An edit of a definition applies wherever the definition is used. Defaults are derived, not
mutated: a default that rests on an edited rule is generated anew from it; where none can be
generated it stays as it is. Of a rule of thousands of conditions not every edit is built:
those that are not are counted, and are told apart by nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from policywright.defaults import generate_default
from policywright.definitions import written_out
from policywright.errors import DefaultNotPossibleError
from policywright.model import Definition, Kind, PolicyModel, Rule
from policywright.scenarios.edits import TIERS, Edit, EditKind, edits
from policywright.scenarios.ground import Ground
from policywright.solver import compiled
from policywright.terms import Term, subterms

MAX_EDITS, MAX_NODES, MAX_SIZE = 600, 120_000, 5_000
"""How many edits of one rule are built, how large they may be together, and the rule itself."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """`owner` is the id of the rule or definition."""

    owner: str
    kind: EditKind
    tier: int
    edit: Edit


@dataclass(frozen=True)
class Group:
    """The mutants of one owner.

    `rules` are the numbers of the rules that change with it; `changed` holds, for each
    mutant, their terms as they are then. `left_out` counts edits that were not built.
    """

    owner: str
    rules: tuple[int, ...]
    mutants: tuple[Mutant, ...]
    changed: tuple[tuple[Term, ...], ...]
    left_out: Mapping[tuple[EditKind, int], int]

    def of_tiers(self, count: int) -> Group:
        """Those of the first tiers only."""
        kept = [i for i, mutant in enumerate(self.mutants) if mutant.tier < count]
        return Group(
            self.owner,
            self.rules,
            tuple(self.mutants[i] for i in kept),
            tuple(self.changed[i] for i in kept),
            {key: number for key, number in self.left_out.items() if key[1] < count},
        )


def mutants_of(model: PolicyModel) -> list[Mutant]:
    """Every mutant that is built, in document order, definitions first."""
    return [mutant for group in groups_of(model) for mutant in group.mutants]


def groups_of(
    model: PolicyModel, ground: Ground | None = None, owned_by: Collection[str] | None = None
) -> Iterator[Group]:
    """The mutants, owner by owner; of some owners only, given their ids."""
    ground = ground or Ground(model)
    changing = _Changing(model)
    owners: list[Rule | Definition] = list(model.definitions)
    owners += [rule for rule in model.rules if rule.kind is not Kind.DEFAULT]
    for owner in owners:
        if owned_by is not None and owner.id not in owned_by:
            continue
        found, left_out = _built(owner, ground)
        mutants = tuple(Mutant(owner.id, edit.kind, tier, edit) for edit, tier in found)
        rules, changed = changing.by(
            owner, [edit.apply(ground.term(owner.id)) for edit, _ in found]
        )
        yield Group(owner.id, rules, mutants, changed, left_out)


def mutated(model: PolicyModel, group: Group, mutant: Mutant) -> PolicyModel:
    """The whole policy with the edit, definitions written out in the rules that change."""
    terms = dict(zip(group.rules, group.changed[group.mutants.index(mutant)], strict=True))
    rules = [
        replace(rule, term=terms[number]) if number in terms else rule
        for number, rule in enumerate(model.rules)
    ]
    return model.with_rules(rules)


def edited(model: PolicyModel, owner: str, term: Term) -> PolicyModel:
    """The whole policy with another term for a rule or definition; defaults follow it.

    Definitions are written out in the rules that change. Raises KeyError for an owner that
    the model does not hold.
    """
    own = model.rule_by_id.get(owner) or model.definition_by_id[owner]
    numbers, changed = _Changing(model).by(own, [term])
    terms = dict(zip(numbers, changed[0], strict=True))
    return model.with_rules(
        tuple(replace(r, term=terms.get(n, r.term)) for n, r in enumerate(model.rules))
    )


def tier_of(kind: EditKind, *, assumed: bool) -> int:
    """The tier of an edit, from 0 on."""
    last = len(TIERS) - 1
    return last if assumed else next(i for i, kinds in enumerate(TIERS) if kind in kinds)


def _built(
    owner: Rule | Definition, ground: Ground
) -> tuple[list[tuple[Edit, int]], Mapping[tuple[EditKind, int], int]]:
    """The edits that are built, each with its tier, and how many of each kind are not."""
    term, is_rule = ground.term(owner.id), isinstance(owner, Rule)
    assumed = isinstance(owner, Rule) and owner.kind is Kind.ASSUMPTION
    size = sum(1 for _ in subterms(term))
    most = min(MAX_EDITS, MAX_NODES // size) if size <= MAX_SIZE else 0
    kept: dict[int, list[tuple[int, Edit]]] = {tier: [] for tier in range(len(TIERS))}
    left_out: Counter[tuple[EditKind, int]] = Counter()
    for place, edit in enumerate(edits(term, ground, owner.id, is_rule=is_rule)):
        tier = tier_of(edit.kind, assumed=assumed)
        if len(kept[tier]) < most:
            kept[tier].append((place, edit))
        else:
            left_out[edit.kind, tier] += 1
    return _cut_to(most, kept, left_out), left_out


def _cut_to(
    most: int,
    kept: dict[int, list[tuple[int, Edit]]],
    left_out: Counter[tuple[EditKind, int]],
) -> list[tuple[Edit, int]]:
    """The edits in order, those of the first tiers before others; the rest is counted."""
    found: list[tuple[int, Edit, int]] = []
    for tier, some in kept.items():
        room = max(0, most - len(found))
        found += [(place, edit, tier) for place, edit in some[:room]]
        left_out.update((edit.kind, tier) for _, edit in some[room:])
    found.sort(key=lambda one: one[0])
    return [(edit, tier) for _, edit, tier in found]


class _Changing:
    """Which rules change with an owner, and how."""

    def __init__(self, model: PolicyModel) -> None:
        self.model = model
        self._compiled = compiled(model)
        self._number = {rule.id: number for number, rule in enumerate(model.rules)}
        self._defaults = [
            (number, rule) for number, rule in enumerate(model.rules) if rule.kind is Kind.DEFAULT
        ]

    def by(
        self, owner: Rule | Definition, terms: Sequence[Term]
    ) -> tuple[tuple[int, ...], tuple[tuple[Term, ...], ...]]:
        """The numbers of the rules, and their terms for each of the owner's."""
        numbers = self._users(owner)
        derived = self._derived(owner, terms)
        changed = []
        for term in terms:
            edited = self._definitions(owner, term)
            new = [self._rule(owner, edited, number, term) for number in numbers]
            new += [self._generated(edited, default, numbers, new) for default in derived]
            changed.append(tuple(new))
        return (*numbers, *(self._number[default.id] for default in derived)), tuple(changed)

    def _users(self, owner: Rule | Definition) -> list[int]:
        if isinstance(owner, Rule):
            return [self._number[owner.id]]
        users = self._compiled.rules_of.get(owner.id, ())
        return [number for number in users if self.model.rules[number].kind is not Kind.DEFAULT]

    def _definitions(self, owner: Rule | Definition, term: Term) -> PolicyModel:
        """The policy without rules, with the definition as edited."""
        if isinstance(owner, Rule):
            return self.model
        definitions = tuple(
            replace(one, term=term) if one.id == owner.id else one for one in self.model.definitions
        )
        return PolicyModel(self.model.datatypes, self.model.variables, definitions)

    def _rule(self, owner: Rule | Definition, edited: PolicyModel, number: int, term: Term) -> Term:
        if isinstance(owner, Rule):
            return term
        return written_out(edited, self.model.rules[number].term)

    def _derived(self, owner: Rule | Definition, terms: Sequence[Term]) -> list[Rule]:
        """The defaults that may come out otherwise: of outcomes that an owner speaks of."""
        if not self._defaults:
            return []
        spoken = {i for term in (owner.term, *terms) for i in self._compiled.symbols(term)}
        uses = {owner.id}
        if isinstance(owner, Definition):
            for number in self._users(owner):
                spoken |= self._compiled.rule_symbols[number]
        return [
            rule
            for number, rule in self._defaults
            if rule.outcome in spoken or uses & self._compiled.rule_symbols[number]
        ]

    def _generated(
        self, edited: PolicyModel, default: Rule, numbers: Sequence[int], new: Sequence[Term]
    ) -> Term:
        """The default as the rules are then; as it is where none can be generated."""
        assert default.choice is not None
        terms = dict(zip(numbers, new, strict=False))
        model = self.model
        deciding = [
            replace(rule, term=terms.get(number, rule.term))
            for number, rule in enumerate(model.rules)
            if number in terms or default.outcome in self._compiled.rule_symbols[number]
        ]
        small = PolicyModel(model.datatypes, model.variables, edited.definitions, tuple(deciding))
        try:
            made = generate_default(small, default.outcome, default.choice).term
        except DefaultNotPossibleError:
            return default.term
        return written_out(small, made)
