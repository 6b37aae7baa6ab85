"""A policy model prepared for the solver, once: names, text and slices.

Users' names never reach a solver: a variable is `s0`, a value `v0`, a datatype
`d0`, a definition `f0`, in the order of the model. So no name can break out of
its bars, meet a label, or be a word that the solver keeps for itself.

A slice is what a question touches: the rules connected, through shared
variables, with the variables it reads. What a slice entails, the policy entails.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from policywright.definitions import written_out
from policywright.evaluate import Meaning, Value, meaning
from policywright.model import Datatype, PolicyModel, Variable
from policywright.per_model import PerModel
from policywright.smtlib.printer import TermPrinter
from policywright.sorts import Sort
from policywright.terms import ORDERINGS, Apply, Literal, Op, Symbol, Term, subterms

Limits: TypeAlias = Mapping[str, set[Fraction]]


class Compiled:
    """Read-only once built; what is computed lazily is the same whoever asks first."""

    def __init__(self, model: PolicyModel) -> None:
        # A strong reference would keep the model, and so this, alive for ever.
        self._model = weakref.ref(model)
        self.rule_terms = [rule.term for rule in model.rules]
        self.names = {variable.id: f"s{i}" for i, variable in enumerate(model.variables)}
        self.names |= {definition.id: f"f{i}" for i, definition in enumerate(model.definitions)}
        self.variable_of_name = {self.names[v.id]: v for v in model.variables}
        self._values: dict[tuple[str, str], str] = {}
        self.value_of_name: dict[str, str] = {}
        self._sorts = {"Bool": "Bool", "Int": "Int", "Real": "Real"}
        for i, datatype in enumerate(model.datatypes):
            self._sorts[datatype.id] = f"d{i}"
            for value in datatype.values:
                name = f"v{len(self.value_of_name)}"
                self._values[datatype.id, value.id] = name
                self.value_of_name[name] = value.id
        self._printer = TermPrinter(self.names, self._values)
        self.stored_models: dict[tuple[int, ...], dict[str, Value] | None] = {}
        self._texts: dict[int, str] = {}
        self._meanings: dict[int, Meaning] = {}
        self._rule_values: dict[int, frozenset[Sort]] = {}
        self._rule_limits: dict[int, Limits] = {}
        self._used: dict[str, frozenset[str]] = {}
        for definition in model.ordered_definitions:
            self._used[definition.id] = self._closed(definition.term) | {definition.id}

    @property
    def model(self) -> PolicyModel:
        model = self._model()
        assert model is not None, "a compiled model outlives its model"
        return model

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """Of each variable its place in the model."""
        return {variable.id: place for place, variable in enumerate(self.model.variables)}

    @cached_property
    def rule_symbols(self) -> list[frozenset[str]]:
        """Of each rule the ids of variables and definitions it reads, definitions opened."""
        return [self._closed(term) for term in self.rule_terms]

    @cached_property
    def rules_of(self) -> Mapping[str, Sequence[int]]:
        """Of each variable the numbers of the rules that read it, in document order."""
        found: dict[str, list[int]] = {}
        for number, used in enumerate(self.rule_symbols):
            for symbol_id in used:
                found.setdefault(symbol_id, []).append(number)
        return found

    @cached_property
    def readers_of(self) -> Mapping[str, frozenset[int]]:
        """`rules_of` as sets."""
        return {symbol_id: frozenset(rules) for symbol_id, rules in self.rules_of.items()}

    @cached_property
    def component_of(self) -> Mapping[str, int]:
        """Of each variable in a rule the number of its component."""
        component: dict[str, int] = {}
        for first in self.rules_of:
            if first in component:
                continue
            number, pending = len(self._component_rules), [first]
            rules: set[int] = set()
            component[first] = number
            while pending:
                for rule in self.rules_of[pending.pop()]:
                    if rule not in rules:
                        rules.add(rule)
                        for symbol_id in self.rule_symbols[rule]:
                            if symbol_id not in component:
                                component[symbol_id] = number
                                pending.append(symbol_id)
            self._component_rules.append(tuple(sorted(rules)))
        return component

    @cached_property
    def _lone_rules(self) -> list[int]:
        return [number for number, used in enumerate(self.rule_symbols) if not used]

    @cached_property
    def _component_rules(self) -> list[tuple[int, ...]]:
        return []

    def slice_of(self, terms: Iterable[Term]) -> tuple[int, ...]:
        """The numbers of the rules that terms touch, in document order."""
        components = {
            self.component_of[symbol_id]
            for term in terms
            for symbol_id in self.symbols(term)
            if symbol_id in self.component_of
        }
        found = [number for c in components for number in self._component_rules[c]]
        # Rules without a variable belong to every slice: one that is false spoils all.
        found += self._lone_rules
        return tuple(sorted(found))

    def symbols(self, term: Term) -> frozenset[str]:
        return self._closed(term)

    def rule_text(self, number: int) -> str:
        if number not in self._texts:
            self._texts[number] = self.text(self.rule_terms[number])
        return self._texts[number]

    def text(self, term: Term) -> str:
        return self._printer.text(term)

    def meaning(self, number: int) -> Meaning:
        """The rule as a function of an assignment."""
        if number not in self._meanings:
            self._meanings[number] = meaning(self.rule_terms[number], self.model)
        return self._meanings[number]

    def rule_limits(self, number: int) -> Limits:
        """The numbers that a rule compares variables with, definitions written out."""
        if number not in self._rule_limits:
            self._rule_limits[number] = self.limits(self.rule_terms[number])
        return self._rule_limits[number]

    def limits(self, term: Term) -> Limits:
        """Of each variable in a term the numbers it is compared with."""
        found: dict[str, set[Fraction]] = {}
        for node in subterms(written_out(self.model, term)):
            if isinstance(node, Apply) and node.op in ORDERINGS | {Op.EQ}:
                _constants_beside(node, found)
        return found

    def declarations(self, symbol_ids: Iterable[str], known: set[str]) -> str:
        """Declarations of what is not in `known` yet, which grows by it."""
        model, lines = self.model, []
        wanted = sorted(set(symbol_ids) - known)
        variables = [model.variable_by_id[i] for i in wanted if i in model.variable_by_id]
        for variable in variables:
            lines += self._datatype(variable.sort, known)
            name, sort = self.names[variable.id], self._sorts[variable.sort.key]
            lines.append(f"(declare-const {name} {sort})")
        if len(variables) < len(wanted):
            for definition in model.ordered_definitions:
                if definition.id in wanted:
                    lines += self._datatype(definition.sort, known)
                    name, sort = self.names[definition.id], self._sorts[definition.sort.key]
                    lines.append(f"(define-fun {name} () {sort} {self.text(definition.term)})")
        known.update(wanted)
        return "\n".join(lines)

    def rule_values(self, number: int) -> frozenset[Sort]:
        """The enumerations whose values a rule names."""
        if number not in self._rule_values:
            self._rule_values[number] = frozenset(_value_sorts(self.rule_terms[number]))
        return self._rule_values[number]

    def datatypes(self, numbers: Iterable[int], terms: Iterable[Term], known: set[str]) -> str:
        """Declarations of datatypes whose values are named without a variable of the sort."""
        named = chain(*map(self.rule_values, numbers), *map(_value_sorts, terms))
        missing = {sort.key: sort for sort in named if sort.key not in known}
        lines = (self._datatype(missing[key], known) for key in sorted(missing))
        return "\n".join(chain(*lines))

    def default_value(self, variable: Variable) -> bool | int | str:
        """A value for a variable for which any value would do; 0 is exact for Reals too."""
        if variable.sort.is_enumeration:
            return self.model.datatype_by_id[variable.sort.key].values[0].id
        return False if variable.sort.key == "Bool" else 0

    def _datatype(self, sort: Sort, known: set[str]) -> list[str]:
        if not sort.is_enumeration or sort.key in known:
            return []
        known.add(sort.key)
        datatype: Datatype = self.model.datatype_by_id[sort.key]
        values = " ".join(f"({self._values[datatype.id, v.id]})" for v in datatype.values)
        return [f"(declare-datatypes (({self._sorts[datatype.id]} 0)) (({values})))"]

    def _closed(self, term: Term) -> frozenset[str]:
        """Ids of the symbols of a term, with those inside the definitions it names."""
        found: set[str] = set()
        stack: list[Term] = [term]
        while stack:
            node = stack.pop()
            if isinstance(node, Apply):
                stack.extend(node.args)
            elif isinstance(node, Symbol):
                found.add(node.id)
            else:
                assert isinstance(node, Literal)
        opened = [self._used[symbol_id] for symbol_id in found if symbol_id in self._used]
        return frozenset(found.union(*opened))


def _value_sorts(term: Term) -> set[Sort]:
    """The enumerations whose values a term names."""
    found: set[Sort] = set()
    stack: list[Term] = [term]
    while stack:
        node = stack.pop()
        if isinstance(node, Apply):
            stack.extend(node.args)
        elif isinstance(node, Literal) and isinstance(node.value, str):
            found.add(node.sort)
    return found


def _constants_beside(node: Apply, found: dict[str, set[Fraction]]) -> None:
    left, right = node.args
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Symbol) and isinstance(other, Literal):
            value = other.value
            if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
                found.setdefault(one.id, set()).add(Fraction(value))


compiled = PerModel(Compiled)
"""The compiled form of a model."""
