"""A session: one Z3 context over the rules of a slice, assertions switched by literals.

Assertions are known by number: a rule's is its place in the model, the next free
number belongs to the first term added. `check` asks whether those switched on
can hold together. A fresh session asked the same questions gives the same answers
on every machine, since its context holds nothing else; `rlimit` decides when to
give up, in Z3's units of work: the same on every machine. No timeout is set, since
Z3 then starts a timer for each check, a quarter of its time; where a clock must
hold too, the process is ended from outside. What is unknown to the switching
solver is asked once more of a plain one.

Source: SMT-LIB 2.6, check-sat-assuming, get-unsat-core, get-model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

import z3
from z3 import z3core

from policywright.solver import calls
from policywright.solver.compiled import Compiled
from policywright.solver.values import ModelReader
from policywright.sorts import REAL
from policywright.terms import Term
from policywright.witness import Witness

DEFAULT_RLIMIT = 10_000_000
"""About two seconds of work; every rule as policies have them needs less than a tenth."""

Z3_UNITS, TO_TELL, ASKED_AT_ONCE = 5, 100, 4
"""So many of Z3's units, and so many assertions of a question, are a microsecond; one that is told
is so many."""

_Z3: TypeAlias = Any  # z3 has no types


class Status(Enum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


_STATUS = {1: Status.SAT, -1: Status.UNSAT, 0: Status.UNKNOWN}


class Home:
    """A context with the names declared in it so far, shared by sessions beside each other.

    `rules` are addresses of the rules' assertions that any of them has read, alive through
    `kept`: no rule is read twice. `told` counts the assertions that solvers were given,
    `asked` those that were on in questions.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.context = z3.Context()
        self.parser = z3.ParserContext(self.context)
        self.reader = ModelReader(compiled, self.context)
        self.declared: set[str] = set()
        self.guards: set[int] = set()
        self.rules: dict[int, int] = {}
        self.kept: list[_Z3] = []
        self.told = self.asked = 0


class Session:
    """One context; never shared between threads."""

    def __init__(
        self,
        compiled: Compiled,
        rules: Sequence[int],
        terms: Sequence[Term] = (),
        *,
        rlimit: int,
        beside: Session | None = None,
    ) -> None:
        """`terms` are added at once with the rules; `added` holds their numbers.

        With `beside`, the context of that session is used, which saves making one;
        the solver is its own.
        """
        self.compiled, self.rules, self.rlimit = compiled, tuple(rules), rlimit
        self._home: Home = beside._home if beside else Home(compiled)
        self._context = self._home.context
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._limit(self._solver)
        self._lone: _Z3 = None
        self._variables: set[str] = set()
        # Addresses, alive through the vectors and terms in _kept: Z3 frees what nobody holds.
        self._guards: dict[int, int] = {}
        self._number_of_guard: dict[int, int] = {}
        self._assertions: dict[int, int] = {}
        self._kept: list[_Z3] = []
        self._next = len(compiled.rule_terms)
        self._answer: _Z3 = self._solver
        self.added = self._load(self.rules, terms)

    def add(self, term: Term) -> int:
        """Add an assertion, switched off until `check` names it; its number comes back."""
        return self.add_all([term])[0]

    def add_all(self, terms: Sequence[Term]) -> list[int]:
        """Add assertions at once, which is cheaper than one by one."""
        return self._load((), terms)

    def check(self, numbers: Iterable[int]) -> Status:
        """Whether the assertions with those numbers can all hold."""
        guards = [self._guards[number] for number in numbers]
        self._answer = self._solver
        status = self._check(self._solver, guards)
        if status is Status.UNKNOWN:
            plain = z3.Solver(ctx=self._context)
            self._limit(plain)
            for guard in guards:
                body = self._body(self._number_of_guard[guard])
                plain.assert_and_track(body, z3.BoolRef(calls.term_at(guard), self._context))
            self._answer = plain
            status = self._check(plain, [])
        return status

    def core(self) -> frozenset[int]:
        """Numbers of assertions that clash, after UNSAT; not necessarily a minimal set."""
        core = self._answer.unsat_core()
        context, vector = self._context.ref().value, core.vector.value
        guards = (calls.item_of_vector(context, vector, i) for i in range(len(core)))
        return frozenset(self._number_of_guard[guard] for guard in guards)

    def witness(self) -> Witness:
        """Values of the variables that the session knows, after SAT; the rest may be any."""
        values = self._home.reader.read(self._answer.model())
        free = frozenset(self.known_variables() - values.keys())
        model = self.compiled.model
        for variable_id in free:
            variable = model.variable_by_id[variable_id]
            default = self.compiled.default_value(variable)
            values[variable_id] = Fraction(default) if variable.sort == REAL else default
        return Witness(values, free)

    @contextmanager
    def alone(self, numbers: Sequence[int]) -> Iterator[Callable[[Iterable[int]], Status]]:
        """A way to check some of a few assertions in a solver that holds no others.

        After UNSAT, `core` is of that check.
        """
        if self._lone is None:
            self._lone = z3.SimpleSolver(ctx=self._context)
            self._limit(self._lone)
        lone = self._lone
        lone.push()
        for number in numbers:
            assertion = calls.term_at(self._assertions[number])
            z3core.Z3_solver_assert(self._context.ref(), lone.solver, assertion)

        def check(some: Iterable[int]) -> Status:
            self._answer = lone
            return self._check(lone, [self._guards[number] for number in some])

        try:
            yield check
        finally:
            lone.pop()

    def work(self) -> int:
        """What this session and those beside it cost so far, in about a microsecond each."""
        home, counted = self._home, self._solver.statistics()
        units: int = next(v for k, v in counted if k == "rlimit count")
        return units // Z3_UNITS + TO_TELL * home.told + home.asked // ASKED_AT_ONCE

    def limit_to(self, rlimit: int) -> None:
        """Give up sooner, or later, from now on."""
        self.rlimit = rlimit
        self._limit(self._solver)

    def _body(self, number: int) -> _Z3:
        """The assertion without its guard."""
        body = calls.argument_of(self._context.ref().value, self._assertions[number], 1)
        return z3.BoolRef(calls.term_at(body), self._context)

    @property
    def is_whole(self) -> bool:
        """Whether every rule of the slice is loaded."""
        return True

    def known_variables(self) -> Set[str]:
        """Ids of the variables that loaded rules or added terms read."""
        return self._variables

    @contextmanager
    def question(self, terms: Sequence[Term]) -> Iterator[list[int]]:
        """Terms added for one question in a kept session, and dropped after it."""
        first, kept, variables = self._next, len(self._kept), set(self._variables)
        self._solver.push()
        try:
            yield self.add_all(terms)
        finally:
            self._solver.pop()
            for number in range(first, self._next):
                del self._assertions[number], self._number_of_guard[self._guards.pop(number)]
            self._next, self._variables = first, variables
            del self._kept[kept:]

    def _load(self, rules: Sequence[int], terms: Sequence[Term] = ()) -> list[int]:
        """Parse our own printed text of rules and terms, each behind its guard, and assert it."""
        prepared, home = self.compiled, self._home
        added = list(range(self._next, self._next + len(terms)))
        self._next += len(terms)
        used = {i for number in rules for i in prepared.rule_symbols[number]}
        used = used.union(*(prepared.symbols(term) for term in terms))
        self._variables |= used & prepared.model.variable_by_id.keys()
        new = [number for number in rules if number not in home.rules]
        lines = [prepared.declarations(used, home.declared)]
        lines.append(prepared.datatypes(new, terms, home.declared))
        numbers = [*new, *added]
        texts = [*map(prepared.rule_text, new), *map(prepared.text, terms)]
        for number, text in zip(numbers, texts, strict=True):
            if number not in home.guards:
                home.guards.add(number)
                lines.append(f"(declare-const g{number} Bool)")
            lines.append(f"(assert (=> g{number} {text}))")
        home.told += len(numbers)
        if numbers:
            parsed = home.parser.from_string("\n".join(lines))
            assert len(parsed) == len(numbers), "the solver read fewer assertions than were written"
            (home.kept if new else self._kept).append(parsed)
            context, vector = self._context.ref().value, parsed.vector.value
            items = [calls.item_of_vector(context, vector, i) for i in range(len(numbers))]
            home.rules.update(zip(new, items, strict=False))
            for number, item in zip(added, items[len(new) :], strict=True):
                self._switch(number, item)
        for number in rules:
            self._switch(number, home.rules[number])
        return added

    def _switch(self, number: int, assertion: int) -> None:
        """Assert `guard => term`, given by its address, under a number."""
        context = self._context.ref()
        z3core.Z3_solver_assert(context, self._solver.solver, calls.term_at(assertion))
        guard = calls.argument_of(context.value, assertion, 0)
        self._assertions[number], self._guards[number] = assertion, guard
        self._number_of_guard[guard] = number

    def _check(self, solver: _Z3, guards: Sequence[int]) -> Status:
        """Guards are addresses of terms that the session keeps alive."""
        self._home.asked += len(guards)
        asts = (z3.Ast * len(guards))(*guards)
        return _STATUS[
            z3core.Z3_solver_check_assumptions(
                self._context.ref(), solver.solver, len(guards), asts
            )
        ]

    def _limit(self, solver: _Z3) -> None:
        solver.set("rlimit", self.rlimit)
