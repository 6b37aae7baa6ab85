"""A session over a large slice that loads only the rules a question comes to need.

It starts with the rules that read the question's own variables, and assumes that
variables shared with rules left out keep their value in one stored model of the
slice. A model of the loaded rules then extends to all of them; a clash that uses
no such assumption is final; else the assumptions in the clash name the variables
whose rules come next. So the cost follows what a question touches. Where that goes on
and on, as along a chain, each further turn reaches twice as far.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

from policywright.evaluate import Value
from policywright.solver.compiled import Compiled
from policywright.solver.session import Session, Status
from policywright.terms import Literal, Term, eq
from policywright.witness import Rounded, Witness

LARGE = 250
"""Slices of more rules than this are loaded lazily."""

PATIENT = 8
"""So many turns of one question load only rules that read what the clash names."""


class LazySession(Session):
    """Answers as a session over all of `rules` would."""

    def __init__(
        self,
        compiled: Compiled,
        rules: Sequence[int],
        terms: Sequence[Term] = (),
        *,
        rlimit: int,
        beside: Session | None = None,
    ) -> None:
        super().__init__(compiled, (), rlimit=rlimit, beside=beside)
        self.rules = tuple(rules)
        self._all = frozenset(rules)
        self._stored = stored_model(compiled, self.rules, rlimit)
        self.loaded: set[int] = set()
        # Variables that a loaded rule reads, and one left out: few of all.
        self._edge: set[str] = set()
        self._fixed: dict[str, int] = {}
        self._variable_of_fix: dict[int, str] = {}
        self.added = self.add_all(terms)

    def add_all(self, terms: Sequence[Term]) -> list[int]:
        numbers = super().add_all(terms)
        self._grow({i for term in terms for i in self.compiled.symbols(term)})
        return numbers

    def check(self, numbers: Iterable[int]) -> Status:
        wanted = list(numbers)
        if self._stored is None:
            self._ensure(self._all)
            return super().check(wanted)
        asked = self._all.intersection(wanted)
        others = [n for n in wanted if n not in self._all]
        for turn in count(1):
            active = sorted(asked & self.loaded)
            fixes = self._fixes(asked, asked & self.loaded)
            status = super().check([*others, *active, *fixes])
            if status is Status.UNKNOWN and not asked <= self.loaded:
                self._ensure(asked)
                continue
            if status is not Status.UNSAT:
                return status
            used = [self._variable_of_fix[n] for n in self.core() if n in self._variable_of_fix]
            if not used:
                return status
            reached = set(used)
            for _ in range(1 if turn <= PATIENT else 2 ** (turn - PATIENT)):
                new = self._grow(reached)
                reached = {i for n in new for i in self.compiled.rule_symbols[n]}
                if not reached:
                    break
        raise AssertionError("the last turn returns")

    def witness(self) -> Witness:
        found = super().witness()
        if self._stored is None:
            return found
        rest = {i: v for i, v in self._stored.items() if i not in found.values or i in found.free}
        return Witness({**found.values, **rest}, found.free - rest.keys())

    @property
    def is_whole(self) -> bool:
        return self.loaded == self._all

    def _fixes(self, asked: frozenset[int], active: frozenset[int]) -> list[int]:
        """Numbers of 'keeps its stored value' for variables shared with rules left out."""
        assert self._stored is not None
        left_out = asked - self.loaded
        readers = self.compiled.readers_of
        shared = {
            symbol_id
            for symbol_id in self._edge
            if not readers[symbol_id].isdisjoint(left_out)
            and not readers[symbol_id].isdisjoint(active)
        }
        new = sorted(shared - self._fixed.keys())
        model = self.compiled.model
        terms = [
            eq(
                model.variable_by_id[i].symbol,
                Literal(self._stored[i], model.variable_by_id[i].sort),
            )
            for i in new
        ]
        for symbol_id, number in zip(new, super().add_all(terms) if terms else [], strict=True):
            self._fixed[symbol_id] = number
            self._variable_of_fix[number] = symbol_id
        return [self._fixed[symbol_id] for symbol_id in sorted(shared)]

    def _grow(self, symbol_ids: set[str]) -> Sequence[int]:
        """Load the rules that read some variables; gives those that are new."""
        rules_of = self.compiled.rules_of
        wanted = frozenset(n for i in symbol_ids for n in rules_of.get(i, ())) & self._all
        return self._ensure(wanted)

    def _ensure(self, rules: frozenset[int]) -> Sequence[int]:
        new = sorted(rules - self.loaded)
        if new:
            self.loaded.update(new)
            if self._stored is not None:
                read = self._edge.union(*(self.compiled.rule_symbols[n] for n in new))
                readers, stored = self.compiled.readers_of, self._stored
                self._edge = {
                    i for i in read if i in stored and not (readers[i] & self._all) <= self.loaded
                }
            self._load(new)
        return new


def stored_model(compiled: Compiled, rules: Sequence[int], rlimit: int) -> dict[str, Value] | None:
    """One exact model of a slice, found once and kept; None if there is none to be had.

    Without one (the rules clash, the solver gave up, a value is no fraction) the
    slice is loaded whole.
    """
    key = tuple(rules)
    if key not in compiled.stored_models:
        session = Session(compiled, rules, rlimit=10 * rlimit)
        found: dict[str, Value] | None = None
        if session.check(rules) is Status.SAT:
            witness = session.witness()
            if not any(isinstance(value, Rounded) for value in witness.values.values()):
                found = witness.assignment()
        compiled.stored_models[key] = found
    return compiled.stored_models[key]
