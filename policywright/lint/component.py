"""A component: the rules that share variables however indirectly, asked about together.

Each question is first tried near a case that is known (`nearby`), then put to a solver that
is kept: every rule behind a literal of its own, so that leaving a rule out costs nothing. In
a component of more than LARGE rules a question begins at one stored case, lets go of a value
only where a clash asks for it, and loads a rule only once a change breaks it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from policywright.evaluate import Value
from policywright.lint.growing import GrowingSearch
from policywright.lint.nearby import Case
from policywright.solver import LARGE, Session, Status
from policywright.solver.lazy import stored_model
from policywright.terms import Term
from policywright.witness import Rounded

if TYPE_CHECKING:
    from policywright.lint.scan import Scan

KEPT_CASES = 3

MAX_ROUNDS, MAX_FAR = 40, 8
"""Rounds of one question before all rules are loaded; questions that may go so far.

In a chain of a thousand rules each question would load them one by one.
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """`core` only after UNSAT: numbers of rules. `case` after SAT, if it is exact and of all rules;
    where rules were left out it is read only if it comes for nothing.
    """

    status: Status
    case: Mapping[str, Value] | None = None
    core: frozenset[int] = frozenset()


class Component:
    """The rules that share variables, asked about together."""

    def __init__(self, scan: Scan, rules: tuple[int, ...]) -> None:
        self.scan, self.rules = scan, rules
        self.cases: list[Case] = []
        self._session: Session | None = None
        self._far = 0

    def close(self) -> None:
        """Let go of its solvers."""
        self._session = None
        self.__dict__.pop("background", None)

    @cached_property
    def is_large(self) -> bool:
        return len(self.rules) > LARGE

    @cached_property
    def status(self) -> Status:
        """Whether all rules can hold together; the first case is kept."""
        self.scan.tally.questions += 1
        if self.is_large:
            stored = stored_model(self.scan.prepared, self.rules, self.scan.rlimit)
            if stored is not None:
                self._keep(stored)
                return Status.SAT
        session = self._kept_session()
        status = session.check(self.rules)
        if status is Status.SAT:
            witness = session.witness()
            if witness.exact:
                self._keep(witness.assignment())
        return status

    @property
    def is_sound(self) -> bool:
        return self.status is Status.SAT

    def ask(
        self, terms: Sequence[Term], without: Collection[int] = (), *, wants_case: bool = True
    ) -> Answer:
        """Whether terms can hold together with all rules but some.

        Unless a case is wanted, one is read only to be kept.
        """
        scan = self.scan
        scan.tally.questions += 1
        if scan.observe is not None:
            scan.observe((frozenset(without), tuple(terms)))
        near = self._near(terms, without)
        if near is not None:
            return Answer(Status.SAT, near)
        if self.is_large and self.is_sound and self.cases:
            answer = self._around(terms, without, wants_case)
        else:
            answer = self._of_whole(terms, without, wants_case)
        if answer.case is not None and not without:
            self._keep(dict(answer.case))
        return answer

    def excluding(
        self, terms: Sequence[Term], without: Collection[int] = ()
    ) -> tuple[int, ...] | None:
        """The minimal rules that exclude the terms; None if they can hold.

        None, too, where it was not decided: that is counted.
        """
        status = self.ask(terms, without, wants_case=False).status
        core = self.core(terms, without) if status is Status.UNSAT else None
        if core is None and status is not Status.SAT:
            self.scan.unknown()
        return core

    def core(self, terms: Sequence[Term], without: Collection[int] = ()) -> tuple[int, ...] | None:
        """The minimal rules that exclude the terms, asked again alone; None if undecided.

        `ask` has said before that they are excluded.
        """
        if self.is_large and self.cases:
            # Of the rules in the clash that was found: going through all would cost too much.
            rules = sorted(self._around(terms, without, False).core.intersection(self.rules))
            small = self.scan.session(rules, terms)
            return self.scan.minimal(small, rules, small.added)
        rules = [number for number in self.rules if number not in without]
        session = self._kept_session()
        with session.question(terms) as added:
            return self.scan.minimal(session, rules, added)

    def _near(self, terms: Sequence[Term], without: Collection[int]) -> Case | None:
        starts = self.cases[:1] if self.is_large else self.cases
        found = self.scan.nearby.find(starts, terms, without)
        if found is not None and not without:
            self._keep(found)
        return found

    def _of_whole(
        self, terms: Sequence[Term], without: Collection[int], wants_case: bool
    ) -> Answer:
        session = self._kept_session()
        with session.question(terms) as added:
            numbers = [number for number in self.rules if number not in without]
            status = session.check([*numbers, *added])
            wants_case = wants_case or len(self.cases) < KEPT_CASES
            return _answer(session, status, wants_case=wants_case and not without)

    def _around(self, terms: Sequence[Term], without: Collection[int], wants_case: bool) -> Answer:
        """Of few rules: those that break when only what has to change is changed.

        Every variable keeps the value of a stored case until a clash asks for another one;
        every rule is left aside until such a change breaks it. So a clash without kept
        values is one of the rules, and a case that breaks no rule is one of all. What goes
        too far is asked of all rules.
        """
        if self._far >= MAX_FAR:
            return self._of_whole(terms, without, wants_case)
        search = GrowingSearch(
            self.scan.prepared,
            terms,
            self.cases[0],
            rlimit=self.scan.rlimit,
            beside=self.scan.home,
        )
        for _ in range(MAX_ROUNDS):
            status = search.possible()
            if status is Status.UNKNOWN:
                return Answer(status)
            if status is Status.UNSAT:
                if not search.release():
                    return Answer(status, core=search.clashing())
                continue
            case = search.case()
            broken = None if case is None else search.broken(case, without)
            if case is None or broken is None:
                return Answer(status)
            if not broken:
                return Answer(status, case)
            search.load(broken)
        self._far += 1
        return self._of_whole(terms, without, wants_case)

    def _kept_session(self) -> Session:
        if self._session is None:
            self._session = self.scan.session(self.rules)
        return self._session

    @cached_property
    def background(self) -> Session:
        """A session over the rules that speak of facts alone."""
        return self.scan.session([n for n in self.rules if n in self.scan.facts_alone])

    def _keep(self, case: Case) -> None:
        if len(self.cases) < KEPT_CASES:
            by_id = self.scan.model.variable_by_id
            rest = {
                uid: self.scan.prepared.default_value(by_id[uid])
                for number in self.rules
                for uid in self.scan.prepared.rule_symbols[number]
                if uid in by_id and uid not in case
            }
            self.cases.append({**rest, **case})


def _answer(session: Session, status: Status, *, wants_case: bool) -> Answer:
    if status is Status.UNSAT:
        return Answer(status, core=session.core())
    if status is Status.UNKNOWN or not wants_case:
        return Answer(status)
    witness = session.witness()
    exact = not any(isinstance(value, Rounded) for value in witness.values.values())
    return Answer(status, witness.assignment() if exact else None)
