"""Which mutants a case tells from the policy, by evaluation.

A rule and its mutants read few variables, so what they say is kept by the values of those:
most cases of a large component differ elsewhere. What a set of mutants says is a number,
a bit for each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from policywright.errors import EvaluationError
from policywright.evaluate import Assignment, Meaning, Value, meaning
from policywright.model import PolicyModel, Variable
from policywright.scenarios.claims import Claimed, takes_many
from policywright.scenarios.mutants import Group
from policywright.solver import LARGE, compiled
from policywright.sorts import BOOL
from policywright.terms import Term

MAX_AWAY = 24
"""Groups before and after that a case of a large component is tried on."""


@dataclass(frozen=True)
class Probe:
    """A case of which the claim is that a variable has its value; or that it can occur.

    `worlds` are the case, and it with each other value of the claim's variable and of those
    that it leaves open, of each what is not as in the case; `holding` are those in which the
    claim holds, `failing` the rules that fail in each. Of a variable with many values only
    its own is looked at: then it `has_one_side`. `place` is the group that it was found for.
    """

    place: int

    claimed: Claimed
    has_one_side: bool
    case: Mapping[str, Value]
    worlds: tuple[Mapping[str, Value], ...]
    holding: tuple[bool, ...]
    failing: tuple[frozenset[int], ...]

    @property
    def is_allowed(self) -> bool:
        """Whether the policy admits the case itself."""
        return not self.failing[0]

    @property
    def can_hold(self) -> bool:
        return self._some(True)

    @property
    def can_fail(self) -> bool:
        return self._some(False)

    def _some(self, side: bool) -> bool:
        both = zip(self.holding, self.failing, strict=True)
        return any(holds is side and not rules for holds, rules in both)


class _Moved(Mapping[str, Value]):
    """A case that is kept as what is not as in another: most of a large one is the same."""

    def __init__(self, base: Mapping[str, Value], moved: Mapping[str, Value]) -> None:
        self.base, self.moved = base, moved

    def __getitem__(self, key: str) -> Value:
        return self.moved[key] if key in self.moved else self.base[key]

    def __iter__(self) -> Iterator[str]:
        yield from self.base
        yield from (key for key in self.moved if key not in self.base)

    def __len__(self) -> int:
        return len(self.base) + sum(key not in self.base for key in self.moved)


@dataclass
class _Reader:
    """A rule or a group with the variables it reads, and what it said by their values."""

    reads: tuple[str, ...]
    meanings: tuple[tuple[Meaning, ...], ...]
    known: dict[tuple[Value, ...], tuple[int, int]] = field(default_factory=dict)

    def says(self, case: Assignment, world: Assignment) -> tuple[int, int]:
        """(bits of those that hold, bits of those without a value) in a world of a case."""
        if world:
            key = tuple([world[i] if i in world else case[i] for i in self.reads])
        else:
            key = tuple([case[i] for i in self.reads])
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._evaluate(dict(zip(self.reads, key, strict=True)))
        return found

    def _evaluate(self, case: Assignment) -> tuple[int, int]:
        holding = unknown = 0
        for bit, parts in enumerate(self.meanings):
            try:
                if all(part(case) for part in parts):
                    holding |= 1 << bit
            except EvaluationError:
                unknown |= 1 << bit
        return holding, unknown


class Trials:
    """The rules and the groups of one component.

    Of a large component a case is tried on the groups near its own: one that tells slips
    everywhere would have to fix everything. `base` is a case that its rules admit, most of
    which other cases share. `work` is what was evaluated so far, in about a microsecond each.
    """

    def __init__(
        self,
        model: PolicyModel,
        rules: Sequence[int],
        groups: Sequence[Group],
        base: Assignment | None = None,
    ) -> None:
        self.model, self.groups = model, groups
        self._is_large = len(rules) > LARGE
        self._compiled = compiled(model)
        self._variables = model.variable_by_id.keys()
        self._rules = {number: self._reader([(model.rules[number].term,)]) for number in rules}
        self._readers: list[_Reader | None] = [None] * len(groups)
        read = {i for number in rules for i in self._compiled.rule_symbols[number]}
        read |= {
            i
            for group in groups
            for terms in group.changed
            for term in terms
            for i in self._compiled.symbols(term)
        }
        self.variables = [v for v in model.variables if v.id in read]
        self.work = 0
        self._base: Assignment | None = None
        if base is not None and self._failing(self._rules, base, {}) == frozenset():
            self._base = base

    def near(self, probe: Probe) -> range:
        """The groups that a case is tried on."""
        return self.around(probe.place)

    def around(self, place: int) -> range:
        if not self._is_large:
            return range(len(self.groups))
        return range(max(0, place - MAX_AWAY), min(len(self.groups), place + MAX_AWAY + 1))

    def variables_around(self, place: int) -> list[Variable]:
        """What the groups there read, and their rules."""
        if not self._is_large:
            return list(self.variables)
        read: set[str] = set()
        for other in self.around(place):
            read.update(self._reader_of(other).reads)
            for number in self.groups[other].rules:
                read |= self._compiled.rule_symbols[number]
        return [v for v in self.variables if v.id in read]

    def probe(self, place: int, case: Mapping[str, Value], claimed: Claimed) -> Probe | None:
        """The case with what its claim is about; None where a rule has no value in it."""
        whole = self._whole(case)
        worlds = tuple(self._worlds(whole, claimed))
        self.work += len(self.variables) // 10
        variable = claimed.variable
        holding = [variable is None or variable.id not in world for world in worlds]
        failing: list[frozenset[int]] = []
        for world in worlds:
            rules = self._failing(self._asked(whole, world), whole, world)
            if rules is None:
                return None
            if world:  # the rest is as in the case itself
                rules |= {n for n in failing[0] if n not in self._readers_of(world)}
            failing.append(rules)
        one_side = variable is None or takes_many(self.model, variable)
        return Probe(place, claimed, one_side, whole, worlds, tuple(holding), tuple(failing))

    def _whole(self, case: Mapping[str, Value]) -> Mapping[str, Value]:
        """The case with a value for every variable."""
        base = self._base or {}
        moved = {i: v for i, v in case.items() if i not in base or base[i] != v}
        for one in self.variables:
            if one.id not in moved and one.id not in base:
                moved[one.id] = self._compiled.default_value(one)
        return _Moved(base, moved) if base else moved

    def _worlds(self, case: Mapping[str, Value], claimed: Claimed) -> Iterator[Mapping[str, Value]]:
        """The case first, then it with all other values of what is not fixed in it."""
        variables = [one for one in (claimed.variable, *claimed.between) if one is not None]
        choices = [self._values(one, case[one.id]) for one in variables]
        for values in product(*choices):
            chosen = zip(variables, values, strict=True)
            yield {v.id: value for v, value in chosen if value != case[v.id]}

    def killed(self, place: int, probe: Probe) -> int:
        """The bits of the mutants of a group of which the finding is another one."""
        own = frozenset(self.groups[place].rules)
        every = (1 << len(self.groups[place].mutants)) - 1
        holds, fails, unknown = 0, 0, 0
        self.work += len(probe.worlds)
        for world, side, failing in zip(probe.worlds, probe.holding, probe.failing, strict=True):
            if not failing <= own:
                continue
            holding, missing = self._reader_of(place).says(probe.case, world)
            unknown |= missing
            if side:
                holds |= holding
            else:
                fails |= holding
        differs = holds ^ (every if probe.can_hold else 0)
        differs |= fails ^ (every if probe.can_fail else 0)
        return differs & ~unknown

    def sides(self, place: int, bit: int, probe: Probe) -> tuple[bool, bool]:
        """Whether the claim can hold, and can fail, by a mutant."""
        own = frozenset(self.groups[place].rules)
        allowed: set[bool] = set()
        for world, side, failing in zip(probe.worlds, probe.holding, probe.failing, strict=True):
            if failing <= own and self._reader_of(place).says(probe.case, world)[0] >> bit & 1:
                allowed.add(side)
        return True in allowed, False in allowed

    def _failing(
        self, rules: Iterable[int], case: Assignment, world: Assignment
    ) -> frozenset[int] | None:
        """Those of some rules that fail in a world of a case; None if one has no value."""
        found = []
        for number in rules:
            self.work += 1
            holding, unknown = self._rules[number].says(case, world)
            if unknown:
                return None
            if not holding:
                found.append(number)
        return frozenset(found)

    def _asked(self, case: Mapping[str, Value], world: Assignment) -> Iterable[int]:
        """The rules that may fail: in the case those that read what is not as in the base."""
        if world:
            return self._readers_of(world)
        return self._readers_of(case.moved) if isinstance(case, _Moved) else self._rules

    def _readers_of(self, some: Iterable[str]) -> Collection[int]:
        readers = self._compiled.readers_of
        return {n for i in some for n in readers.get(i, ()) if n in self._rules}

    def _values(self, variable: Variable, value: Value) -> Sequence[Value]:
        """The values that are looked at, the one that it has first."""
        if takes_many(self.model, variable):
            return [value]
        if variable.sort == BOOL:
            return [value, not value]
        values = self.model.datatype_by_id[variable.sort.key].values
        return [value, *(one.id for one in values if one.id != value)]

    def _reader_of(self, place: int) -> _Reader:
        reader = self._readers[place]
        if reader is None:
            reader = self._readers[place] = self._reader(self.groups[place].changed)
        return reader

    def _reader(self, changed: Sequence[Sequence[Term]]) -> _Reader:
        reads = {i for parts in changed for term in parts for i in self._compiled.symbols(term)}
        meanings = tuple(tuple(meaning(term, self.model) for term in parts) for parts in changed)
        return _Reader(tuple(sorted(reads & self._variables)), meanings)
