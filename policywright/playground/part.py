"""One part of a policy: rules that hang together, in one session with the facts given.

What can be is shown by a case, replayed through `evaluate` and kept, so that most further
questions need no solver. What follows is proved as in any check, with the fewest rules.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from policywright.checks import divisors
from policywright.errors import DivisionByZeroError
from policywright.evaluate import Value, holds
from policywright.finding_kinds import FindingKind
from policywright.findings.check import Check, EvidenceError
from policywright.findings.conditions import equals
from policywright.findings.minimal import NotDecidedError, minimal_core
from policywright.model import PolicyModel, Variable
from policywright.playground.played import Clash, Edge, Outcome, State
from policywright.smtlib import Fact
from policywright.solver import LARGE, LazySession, Session, Status, compiled
from policywright.sorts import BOOL, INT
from policywright.terms import Literal, Term, boolean, eq, ge, gt, integer, le, lt, not_, real
from policywright.witness import Rounded

MAX_EDGES = 16
"""Constants that an open number is compared with, to say between which it lies."""

_ZERO = "a rule divides by something that can be zero with these facts; guard the division"
_NOT_ALL = "whether an outcome can have each of its values was not decided"


@dataclass
class Clock:
    """Ends all questions at a moment, of `time.monotonic`; what is asked later is unknown."""

    end: float

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.end


class Part:
    """`limits` are sentences on what was not decided."""

    def __init__(
        self,
        model: PolicyModel,
        rules: Sequence[int],
        given: Mapping[str, Value],
        *,
        rlimit: int,
        clock: Clock,
    ) -> None:
        self.model, self.rules, self.clock = model, tuple(rules), clock
        self.facts = [
            Fact(uid, equals(model.variable_by_id[uid], value)) for uid, value in given.items()
        ]
        kind = LazySession if len(rules) > LARGE else Session
        terms = [fact.term for fact in self.facts]
        self._compiled = compiled(model)
        self.session = kind(self._compiled, self.rules, terms, rlimit=rlimit)
        self._given = list(self.session.added)
        self._numbers: dict[Term, int] = {}
        self._guards: list[int] | None = None
        self.cases: list[dict[str, Value | Rounded]] = []
        self.limits: dict[str, None] = {}
        self.occurs = self.ask()

    @property
    def is_large(self) -> bool:
        """Whether rules are loaded as they are needed."""
        return isinstance(self.session, LazySession)

    def ask(self, *terms: Term) -> Status:
        """Whether the terms can hold with rules and facts; a case is kept where they can."""
        if self.clock.is_over:
            return Status.UNKNOWN
        numbers = self._number(terms)
        status = self.session.check([*self.rules, *self._given, *numbers])
        if status is Status.SAT:
            try:
                self._keep_case(terms)
            except DivisionByZeroError:
                return self._ask_guarded(numbers, terms)
        return status

    def seen(self, variable: Variable, where: Mapping[str, Value]) -> list[Value]:
        """The exact values that a variable has in kept cases with these values, each once."""
        cases = (case for case in self.cases if where.items() <= case.items())
        values = (case.get(variable.id) for case in cases)
        return list(dict.fromkeys(v for v in values if v is not None and not _is_rounded(v)))  # type: ignore[misc]

    def deciding(self, variable: Variable, facts: Sequence[Variable]) -> list[str]:
        """The fewest of some facts that settle a variable, together, in a case that was seen.

        Of the first case of each value; empty where in none of them the facts settle it.
        """
        best: list[str] = []
        uid = variable.id
        firsts = {case[uid]: case for case in reversed(self.cases) if uid in case}
        for value, case in reversed(firsts.items()):
            if _is_rounded(value):
                continue
            found = self._deciding(equals(variable, value), case, facts)  # type: ignore[arg-type]
            if found and (not best or len(found) < len(best)):
                best = found
        return best

    def _deciding(
        self, claim: Term, case: Mapping[str, Value | Rounded], facts: Sequence[Variable]
    ) -> list[str]:
        exact = [(v, case[v.id]) for v in facts if v.id in case and not _is_rounded(case[v.id])]
        numbers = self._number([equals(v, value) for v, value in exact])  # type: ignore[arg-type]
        fixed = [*self.rules, *self._given, *self._number([not_(claim)])]

        def clash(some: Sequence[int]) -> frozenset[int] | None:
            # Undecided counts as no clash: then a fact more is named.
            asked = self.session.check(some) if not self.clock.is_over else Status.UNKNOWN
            return self.session.core() if asked is Status.UNSAT else None

        core = clash([*fixed, *numbers])
        if core is None:
            return []
        needed, _ = minimal_core(numbers, fixed, core, clash)
        return [v.id for (v, _), number in zip(exact, numbers, strict=True) if number in needed]

    def clash(self) -> Clash:
        """The fewest rules and facts that cannot all hold; NotDecidedError."""
        check = self._check(boolean(True))
        if check.kind()[0] is not FindingKind.IMPOSSIBLE:
            raise NotDecidedError
        return Clash(*self._proof(check, FindingKind.IMPOSSIBLE))

    def outcome(self, variable: Variable) -> Outcome:
        """What follows of a variable."""
        value, values = self.settled(variable, {})
        if value is not None:
            return self._settled(variable, value)
        if len(values) < 2:
            return Outcome(variable.id, State.UNDECIDED)
        if variable.sort.is_number:
            return self._number_left(variable)
        return Outcome(variable.id, State.OPEN, left=tuple(values))

    def settled(
        self, variable: Variable, where: Mapping[str, Value]
    ) -> tuple[Value | None, list[Value]]:
        """(the one value that a variable has in all cases with these values, values it can have).

        None where it has several, or where that was not decided: then fewer than two come back.
        """
        held = [equals(self.model.variable_by_id[uid], value) for uid, value in where.items()]
        if variable.sort.is_number:
            return self._settled_number(variable, where, held)
        unknown, found = False, []
        for value in self._values(variable):
            if value in self.seen(variable, where):
                found.append(value)
                continue
            status = self.ask(*held, equals(variable, value))
            unknown |= status is Status.UNKNOWN
            if status is Status.SAT:
                found.append(value)
            if where and len(found) > 1:
                return None, found
        if unknown and len(found) > 1:
            self.limits[_NOT_ALL] = None
        return (found[0], found) if len(found) == 1 and not unknown else (None, found)

    def _settled_number(
        self, variable: Variable, where: Mapping[str, Value], held: Sequence[Term]
    ) -> tuple[Value | None, list[Value]]:
        found = self.seen(variable, where)
        if not found:
            # No case says a value: none has these values yet, or no rule reads the variable.
            anything = eq(variable.symbol, variable.symbol)
            if self.ask(*held, anything) is not Status.SAT:
                return None, []
            found = self.seen(variable, where)
        if len(found) != 1:
            return None, found
        status = self.ask(*held, not_(equals(variable, found[0])))
        if status is Status.UNSAT:
            return found[0], found
        # Another value is possible, and may be one that can only be rounded.
        return None, found if status is Status.UNKNOWN else [*found, found[0]]

    def _settled(self, variable: Variable, value: Value) -> Outcome:
        check = self._check(equals(variable, value))
        try:
            if check.kind()[0] is FindingKind.VALID:
                rules, facts = self._proof(check, FindingKind.VALID)
                return Outcome(variable.id, State.SETTLED, value, rules, facts)
        except NotDecidedError:
            pass
        return Outcome(variable.id, State.UNDECIDED)

    def _check(self, claim: Term) -> Check:
        numbers = self._number([claim, not_(claim)])
        return Check(self.model, self.facts, claim, self.session, [*self._given, *numbers])

    def _proof(self, check: Check, kind: FindingKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
        rules, given = check.proof(kind)
        return (
            tuple(self.model.rules[number].id for number in rules),
            tuple(self.facts[self._given.index(number)].name for number in given),
        )

    def _number_left(self, variable: Variable) -> Outcome:
        limits = set[Fraction]()
        for rule in self._compiled.rules_of.get(variable.id, ()):
            limits |= self._compiled.rule_limits(rule).get(variable.id, set())
        edges = sorted(limits)
        low = self._edge(variable, edges[:MAX_EDGES], is_low=True)
        high = self._edge(variable, edges[::-1][:MAX_EDGES], is_low=False)
        return Outcome(variable.id, State.OPEN, low=low, high=high)

    def _edge(self, variable: Variable, edges: Sequence[Fraction], *, is_low: bool) -> Edge | None:
        """The last of the constants, from outside in, that the number never passes."""
        outside, at_or_outside = (lt, le) if is_low else (gt, ge)
        seen = [Fraction(value) for value in self.seen(variable, {})]
        found: Fraction | None = None
        for at in edges:
            if any(value < at if is_low else value > at for value in seen):
                break
            if self.ask(outside(variable.symbol, _literal(variable, at))) is not Status.UNSAT:
                break
            found = at
        if found is None:
            return None
        status = self.ask(at_or_outside(variable.symbol, _literal(variable, found)))
        return Edge(found, status is Status.UNSAT)

    def _values(self, variable: Variable) -> Sequence[Value]:
        if variable.sort == BOOL:
            return (True, False)
        return [value.id for value in self.model.datatype_by_id[variable.sort.key].values]

    def _number(self, terms: Sequence[Term]) -> list[int]:
        """The numbers of assertions in the session, added at once where they are new."""
        new = [term for term in dict.fromkeys(terms) if term not in self._numbers]
        if new:
            self._numbers |= zip(new, self.session.add_all(new), strict=True)
        return [self._numbers[term] for term in terms]

    def _ask_guarded(self, numbers: Sequence[int], terms: Sequence[Term]) -> Status:
        """Again with every divisor not zero: no case may rest on an invented quotient."""
        if self._guards is None:
            stated = [
                *(self.model.rules[n].term for n in self.rules),
                *(f.term for f in self.facts),
            ]
            guards = [not_(eq(divisor, real(0))) for divisor in divisors(self.model, stated)]
            self._guards = self.session.add_all(guards)
        status = self.session.check([*self.rules, *self._given, *self._guards, *numbers])
        if status is Status.SAT:
            self._keep_case(terms)
            return status
        self.limits[_ZERO] = None
        return Status.UNKNOWN

    def _keep_case(self, terms: Sequence[Term]) -> None:
        witness = self.session.witness()
        if witness.exact:
            case = witness.assignment()
            if not all(self._holds_in(case, terms)):
                raise EvidenceError("a case was reported that breaks a rule or a fact")
        self.cases.append(dict(witness.values))

    def _holds_in(self, case: Mapping[str, Value], terms: Sequence[Term]) -> Iterator[bool]:
        rules: Collection[int] = self.rules
        if isinstance(self.session, LazySession) and not self.session.is_whole:
            # The others keep the values of one model of them all.
            rules = self.session.loaded
        yield from (self._compiled.meaning(number)(case) is True for number in rules)
        yield from (holds(fact.term, case, self.model) for fact in self.facts)
        yield from (holds(term, case, self.model) for term in terms)


def _literal(variable: Variable, at: Fraction) -> Literal:
    return integer(int(at)) if variable.sort == INT else real(at)


def _is_rounded(value: Value | Rounded) -> bool:
    return isinstance(value, Rounded)
