"""What the edits of a policy draw on: its steps, its conditions, its like-named variables.

It is read once from the policy as it stands, and not from an edited one: so an edit that
undoes an edit is found with the same ground.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from policywright.english.values import is_currency
from policywright.english.words import split_name
from policywright.model import PolicyModel, Role, Variable
from policywright.normal import normal_form
from policywright.scenarios.places import JUNCTIONS, At, Place, below, of_sort
from policywright.solver import compiled
from policywright.sorts import BOOL, INT, Sort
from policywright.steps import step_beside
from policywright.terms import (
    CONNECTIVES,
    FALSE,
    TRUE,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    member,
    subterms,
    symbols,
)

MAX_OWN, MAX_NEAR = 16, 4
"""Conditions that are added to a rule: its own, and those of rules beside it."""

MAX_APART = 100
"""Names are compared with those of that many variables before and after, of the same kind."""

_MAX_PLACES = 4
_MAX_LETTERS = 2
_MIN_LETTERS = 3


class Ground:
    """Everything is in document order, so that the edits are the same each time."""

    def __init__(self, model: PolicyModel) -> None:
        self.model = model
        self._compiled = compiled(model)
        self._terms: dict[str, Term] = {d.id: normal_form(d.term) for d in model.definitions}
        self._terms |= {rule.id: normal_form(rule.term) for rule in model.rules}
        self._steps: dict[str, Fraction] = {}
        self._owner_steps: dict[str, Fraction] = {}
        for owner, term in self._terms.items():
            self._learn_steps(owner, term)
        self._own = {owner: _read(self, term) for owner, term in self._terms.items()}
        self._near: dict[str, tuple[Term, ...]] = {}
        self._alike: dict[str, tuple[Symbol, ...]] = {}
        self._alike_words = self._by_kind()
        self._numbers = {rule.id: number for number, rule in enumerate(model.rules)}

    def term(self, owner: str) -> Term:
        """The normal form of a rule's or definition's term."""
        return self._terms[owner]

    def is_decided(self, symbol: Symbol) -> bool:
        """Whether the policy, not a case, says what it is."""
        variable = self.model.variable_by_id.get(symbol.id)
        return variable is not None and variable.role is not Role.FACT

    def is_plain(self, condition: Term) -> bool:
        """Whether it has no connective but a negation."""
        node = condition
        if isinstance(node, Apply) and node.op is Op.NOT:
            node = node.args[0]
        return not (isinstance(node, Apply) and node.op in CONNECTIVES)

    def step(self, beside: Symbol | None, sort: Sort, owner: str) -> Fraction:
        """The step of a constant beside that variable; of a factor, that of its rule."""
        if sort == INT:
            return Fraction(1)
        if beside is not None and beside.id in self._steps:
            return self._steps[beside.id]
        return self._owner_steps.get(owner, Fraction(1, 10))

    def other_values(self, value: Literal) -> Iterator[Literal]:
        for other in self.model.datatype_by_id[value.sort.key].values:
            if other.id != value.value:
                yield member(value.sort.key, other.id)

    def conditions_for(self, owner: str) -> Sequence[Term]:
        """Conditions that may be added: its own, then some of the rules beside it."""
        if owner not in self._near:
            self._near[owner] = tuple(self._conditions(owner))
        return self._near[owner]

    def conclusions_of(self, owner: str) -> Sequence[Term]:
        """The parts of a conclusion that has several."""
        return self._own[owner].conclusions

    def negates_several(self, owner: str) -> bool:
        """Whether it negates joined conditions: only then is anything added to what is negated."""
        return self._own[owner].negates

    def like_named(self, symbol: Symbol) -> Sequence[Symbol]:
        """Variables of its kind and almost its name, in its component or in no rule."""
        if symbol.id not in self._alike:
            variable = self.model.variable_by_id.get(symbol.id)
            self._alike[symbol.id] = tuple(self._look_alikes(variable)) if variable else ()
        return self._alike[symbol.id]

    def _look_alikes(self, variable: Variable) -> Iterator[Symbol]:
        here = self._compiled.component_of.get(variable.id)
        place = self._compiled.place_of
        for component in (here, None):
            some = self._alike_words.get((*_kind(variable), component), ())
            at = bisect_left(some, place[variable.id], key=lambda v: place[v.id])
            for other in some[max(0, at - MAX_APART) : at + MAX_APART + 1]:
                if other.id != variable.id and _alike(variable, other):
                    yield other.symbol

    def _by_kind(self) -> dict[tuple[object, ...], list[Variable]]:
        """The variables by kind and component: where they may stand for each other."""
        found: dict[tuple[object, ...], list[Variable]] = {}
        for variable in self.model.variables:
            place = self._compiled.component_of.get(variable.id)
            found.setdefault((*_kind(variable), place), []).append(variable)
        return found

    def _conditions(self, owner: str) -> Iterator[Term]:
        own = (*self._own[owner].atoms, *self._own[owner].parts)[:MAX_OWN]
        yield from own
        number = self._numbers.get(owner)
        if number is None:
            return
        seen, mine = set(own), self._compiled.rule_symbols[number]
        decided = {i for i in mine if self._is_outcome(i)}
        near = sorted(
            {n for i in sorted(decided) for n in self._compiled.rules_of[i]} - {number},
            key=lambda n: (abs(n - number), n),
        )
        found = 0
        for other in near[: 4 * MAX_NEAR]:
            for atom in self._own[self.model.rules[other].id].atoms:
                reads = {symbol.id for symbol in symbols(atom)}
                if found < MAX_NEAR and atom not in seen and not reads & decided:
                    seen.add(atom)
                    found += 1
                    yield atom

    def _is_outcome(self, symbol_id: str) -> bool:
        variable = self.model.variable_by_id.get(symbol_id)
        return variable is not None and variable.role is not Role.FACT

    def _learn_steps(self, owner: str, term: Term) -> None:
        """The finest step beside any constant that a variable meets, so that all fit it."""
        free: list[Fraction] = []
        for node in subterms(term):
            if not isinstance(node, Apply):
                continue
            constants = [a.value for a in node.args if isinstance(a, Literal)]
            numbers = [Fraction(c) for c in constants if isinstance(c, Fraction)]
            named = next((a.id for a in node.args if isinstance(a, Symbol)), "")
            variable = self.model.variable_by_id.get(named)
            compares = node.sort == BOOL and node.op not in CONNECTIVES
            for number in numbers:
                if compares and variable is not None:
                    step = _step(variable, number)
                    self._steps[named] = min(self._steps.get(named, step), step)
                else:
                    free.append(number)
        if free:
            self._owner_steps[owner] = min(_tenth(number) for number in free)


def _step(variable: Variable, at: Fraction) -> Fraction:
    if variable.sort == INT or is_currency(variable.unit):
        return step_beside(variable, at)
    return max(step_beside(variable, at), Fraction(1, 10**_MAX_PLACES))


def _tenth(value: Fraction) -> Fraction:
    """A tenth of the last digit."""
    places = next((n for n in range(_MAX_PLACES) if (value * 10**n).denominator == 1), 3)
    return Fraction(1, 10 ** (places + 1))


@dataclass(frozen=True)
class _Own:
    """Conditions without connectives, those with some, and parts of conclusions."""

    atoms: tuple[Term, ...]
    parts: tuple[Term, ...]
    conclusions: tuple[Term, ...]
    negates: bool


def _read(ground: Ground, term: Term) -> _Own:
    conditions: dict[Term, None] = {}
    parts: dict[Term, None] = {}
    conclusions: dict[Term, None] = {}
    place = Place.STATEMENT if term.sort == BOOL else of_sort(term)
    pending = [At(term, (), place)]
    while pending:
        at = pending.pop()
        node = at.node
        inner = node.args[0] if isinstance(node, Apply) and node.op is Op.NOT else node
        is_atom = inner.sort == BOOL and not (
            isinstance(inner, Apply) and (inner.op in CONNECTIVES or inner.args[0].sort == BOOL)
        )
        if is_atom and node not in (TRUE, FALSE):
            if at.place is Place.CONDITION:
                conditions[node] = None
            elif at.place is Place.CONCLUSION and at.joined is not None:
                conclusions[node] = None
        elif at.place is Place.CONDITION and _is_dropped(at):
            parts[node] = None
        if not is_atom:
            pending.extend(reversed(below(at, ground.is_decided)))
    negates = any(
        isinstance(node, Apply)
        and node.op is Op.NOT
        and isinstance(node.args[0], Apply)
        and node.args[0].op in JUNCTIONS
        for node in subterms(term)
    )
    return _Own(tuple(conditions), tuple(parts), tuple(conclusions), negates)


def _is_dropped(at: At) -> bool:
    """Whether an edit drops it as a whole: then one adds it, too."""
    if at.negated or at.node in (TRUE, FALSE) or at.node.sort != BOOL:
        return False
    joins = isinstance(at.node, Apply) and at.node.op in JUNCTIONS
    return at.joined is not None or not joins


def _kind(variable: Variable) -> tuple[Sort, str, bool]:
    return variable.sort, variable.unit, variable.role is Role.FACT


@lru_cache(maxsize=10_000)
def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", split_name(name).lower())


def _alike(one: Variable, other: Variable) -> bool:
    """One word or two letters apart; single letters and numbers are no words."""
    first, second = _words(one.name), _words(other.name)
    shared = [word for word in first if word in second]
    if len(shared) >= max(len(first), len(second)) - 1:
        return any(len(word) >= _MIN_LETTERS for word in shared)
    names = one.name.lower(), other.name.lower()
    plain = min(map(len, names)) > 3 * _MAX_LETTERS
    return plain and Levenshtein.distance(*names, score_cutoff=_MAX_LETTERS) <= _MAX_LETTERS
