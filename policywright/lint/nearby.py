"""Looks for a case near one that is known, in plain Python, before a solver is asked.

Most questions of lint ('can this condition be met', 'is there a case that only this rule
forbids') are answered by changing a few values of a case in which all rules hold. Every
rule that reads a changed variable is evaluated, so what is found is a case; finding none
says nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction

from policywright.errors import EvaluationError
from policywright.evaluate import Meaning, Value, meaning
from policywright.model import Variable
from policywright.solver import Compiled
from policywright.sorts import BOOL, INT
from policywright.terms import Term

MAX_STEPS = 16
MAX_VALUES = 9
MAX_READ = 30
"""Variables of one condition or rule; what reads more is left to the solver."""

Case = dict[str, Value]


class Nearby:
    """Changes cases of one model; keeps what it has learned about its variables."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self._values: dict[str, list[Value]] = {}
        self._reads: dict[int, list[str]] = {}

    def find(
        self, starts: Iterable[Case], terms: Sequence[Term], without: Collection[int] = ()
    ) -> Case | None:
        """A case of all rules but some, in which the terms hold; `starts` are cases of all."""
        asked = [(meaning(term, self._compiled.model), self._read(term)) for term in terms]
        for start in starts:
            try:
                found = self._search(dict(start), asked, without, set())
            except EvaluationError:
                continue
            if found is not None:
                return found
        return None

    def _search(
        self,
        case: Case,
        asked: Sequence[tuple[Meaning, list[str]]],
        without: Collection[int],
        changed: set[str],
    ) -> Case | None:
        last = ""
        for _ in range(MAX_STEPS):
            broken = next(((m, read) for m, read in asked if not m(case)), None)
            if broken is None:
                rule = self._broken_rule(case, without, changed)
                if rule is None:
                    return case
                broken = self._compiled.meaning(rule), self._read_by_rule(rule)
            chosen = self._best(case, broken, asked, without, changed, last)
            if chosen is None:
                return None
            last, value = chosen
            case[last] = value
            changed.add(last)
        done = all(m(case) for m, _ in asked)
        return case if done and self._broken_rule(case, without, changed) is None else None

    def _best(
        self,
        case: Case,
        broken: tuple[Meaning, list[str]],
        asked: Sequence[tuple[Meaning, list[str]]],
        without: Collection[int],
        changed: set[str],
        last: str,
    ) -> tuple[str, Value] | None:
        """The change that mends what is broken and breaks least of the rest."""
        mend, read = broken
        if len(read) > MAX_READ:
            return None
        best: tuple[int, str, Value] | None = None
        for uid in read:
            if uid == last:
                continue
            old = case[uid]
            for value in self._candidates(uid):
                if value == old:
                    continue
                case[uid] = value
                if mend(case):
                    cost = sum(not m(case) for m, of in asked if uid in of)
                    cost += self._count_broken(case, uid, without)
                    if best is None or cost < best[0]:
                        best = cost, uid, value
                    if cost == 0:
                        break
            case[uid] = old
            if best is not None and best[0] == 0:
                break
        return None if best is None else (best[1], best[2])

    def _count_broken(self, case: Case, uid: str, without: Collection[int]) -> int:
        prepared = self._compiled
        return sum(
            not prepared.meaning(number)(case)
            for number in prepared.rules_of.get(uid, ())
            if number not in without
        )

    def _broken_rule(self, case: Case, without: Collection[int], changed: set[str]) -> int | None:
        prepared = self._compiled
        for uid in sorted(changed):
            for number in prepared.rules_of.get(uid, ()):
                if number not in without and not prepared.meaning(number)(case):
                    return number
        return None

    def _read(self, term: Term) -> list[str]:
        by_id = self._compiled.model.variable_by_id
        return sorted(uid for uid in self._compiled.symbols(term) if uid in by_id)

    def _read_by_rule(self, number: int) -> list[str]:
        if number not in self._reads:
            by_id = self._compiled.model.variable_by_id
            used = self._compiled.rule_symbols[number]
            self._reads[number] = sorted(uid for uid in used if uid in by_id)
        return self._reads[number]

    def _candidates(self, uid: str) -> list[Value]:
        found = self._values.get(uid)
        if found is None:
            found = self._values[uid] = self._made(self._compiled.model.variable_by_id[uid])
        return found

    def _made(self, variable: Variable) -> list[Value]:
        if variable.sort == BOOL:
            return [True, False]
        if variable.sort.is_enumeration:
            values = self._compiled.model.datatype_by_id[variable.sort.key].values
            return [value.id for value in values]
        at: set[Fraction] = {Fraction(0)}
        for number in self._compiled.rules_of.get(variable.id, ()):
            at |= self._compiled.rule_limits(number).get(variable.id, set())
        beside = sorted({base + d for base in sorted(at)[:MAX_VALUES] for d in (0, 1, -1)})
        if variable.sort == INT:
            return [int(value) for value in beside if value.denominator == 1]
        return list(beside)
