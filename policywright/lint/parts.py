"""A policy in parts that share no variable: what is found in one depends on nothing outside.

Each part is a policy model of its own, with a key made of all that its checks depend on. So
after an edit only the parts are asked about whose key is new, and the report is the very one
that asking about all of them would give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from policywright.hashing import content_hash
from policywright.lint.fixes import range_name, taken_names
from policywright.model import DefaultChoice, Definition, PolicyModel, Variable
from policywright.modeljson import model_to_json
from policywright.solver import Compiled, compiled
from policywright.sorts import Sort
from policywright.terms import Literal, Symbol, Term, subterms


@dataclass(frozen=True)
class Around:
    """What a part's checks ask of all that is outside of it.

    `open_` are its outcomes that somebody left open, `ranks` those of the documents that its
    rules come from, `taken` names in use outside that a fix of its own might want.
    """

    open_: frozenset[str] = frozenset()
    ranks: Mapping[str, int] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Part:
    """The rules connected through variables, with what they read; `numbers` are theirs in all."""

    model: PolicyModel
    numbers: tuple[int, ...]
    around: Around

    @cached_property
    def key(self) -> str:
        """Two parts of one key are found the same of, word for word."""
        around = self.around
        return content_hash(
            {
                "model": model_to_json(self.model),
                "open": sorted(around.open_),
                "ranks": dict(around.ranks),
                "taken": sorted(around.taken),
            }
        )


def parts_of(model: PolicyModel, ranks: Mapping[str, int]) -> Iterator[Part]:
    """The parts by their first rules; a rule that reads no variable is one by itself."""
    prepared = compiled(model)
    groups = list(_connected(prepared))
    shape = _Shape(model, prepared, groups)
    open_ = frozenset(r.outcome for r in model.rules if r.choice is DefaultChoice.OPEN)
    ranges = [name for name in taken_names(model) if name.startswith(range_name(""))]
    for number, rules in enumerate(groups):
        part = shape.model(number)
        documents = [source.document for rule in part.rules for source in rule.sources[:1]]
        own = taken_names(part)
        wanted = [range_name(v.name) for v in part.variables if v.sort.is_number]
        around = Around(
            frozenset(v.id for v in part.variables if v.id in open_),
            {title: ranks[title] for title in documents if title in ranks},
            frozenset(
                name
                for name in ranges
                if name not in own and any(name.startswith(one) for one in wanted)
            ),
        )
        yield Part(part, rules, around)


def _connected(prepared: Compiled) -> Iterator[tuple[int, ...]]:
    groups: dict[tuple[str, int], list[int]] = {}
    for number, used in enumerate(prepared.rule_symbols):
        key = ("", prepared.component_of[next(iter(used))]) if used else ("alone", number)
        groups.setdefault(key, []).append(number)
    yield from map(tuple, groups.values())


class _Shape:
    """Gives each group of rules a model with its own declarations, in the order of the whole."""

    def __init__(
        self, model: PolicyModel, prepared: Compiled, groups: list[tuple[int, ...]]
    ) -> None:
        self._model, self._prepared, self._groups = model, prepared, groups
        group_of = {
            uid: place
            for place, numbers in enumerate(groups)
            for number in numbers
            for uid in prepared.rule_symbols[number]
        }
        self._variables: list[list[Variable]] = [[] for _ in groups]
        self._definitions: list[list[Definition]] = [[] for _ in groups]
        for variable in model.variables:
            if variable.id in group_of:
                self._variables[group_of[variable.id]].append(variable)
        for definition in model.definitions:
            if definition.id in group_of:
                self._definitions[group_of[definition.id]].append(definition)
        self._place = {datatype.id: place for place, datatype in enumerate(model.datatypes)}

    def model(self, group: int) -> PolicyModel:
        rules = tuple(self._model.rules[number] for number in self._groups[group])
        variables, definitions = self._variables[group], self._definitions[group]
        sorts = {variable.sort for variable in variables}
        sorts |= _sorts([*(one.term for one in definitions), *(one.term for one in rules)])
        known = sorted(self._place[sort.key] for sort in sorts if sort.key in self._place)
        datatypes = tuple(self._model.datatypes[place] for place in known)
        return PolicyModel(datatypes, tuple(variables), tuple(definitions), rules)


def _sorts(terms: Iterable[Term]) -> set[Sort]:
    found: set[Sort] = set()
    for term in terms:
        found.update(n.sort for n in subterms(term) if isinstance(n, (Literal, Symbol)))
    return found
