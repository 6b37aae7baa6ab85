"""One question to a large set of rules, in a session that grows by what comes to matter."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from policywright.errors import EvaluationError
from policywright.evaluate import Value
from policywright.lint.nearby import Case
from policywright.model import Variable
from policywright.solver import Compiled, Session, Status
from policywright.terms import Literal, Term, eq


class GrowingSearch(Session):
    """Begins at a stored case of all rules, with the question's terms alone in the session."""

    def __init__(
        self,
        compiled: Compiled,
        terms: Sequence[Term],
        stored: Case,
        *,
        rlimit: int,
        beside: Session,
    ) -> None:
        super().__init__(compiled, (), terms, rlimit=rlimit, beside=beside)
        self._stored, self._asked = stored, list(self.added)
        self._loaded: set[int] = set()
        self._fixes: dict[int, str] = {}
        self._seen: set[str] = set()
        self._free: set[str] = set()
        self.fix(uid for term in terms for uid in compiled.symbols(term))

    def possible(self) -> Status:
        """Whether what is loaded can hold with the values that are kept."""
        return self.check([*self._asked, *self._loaded, *self._fixes])

    def fix(self, symbol_ids: Iterable[str]) -> None:
        """Hold variables that are new at their stored values."""
        by_id = self.compiled.model.variable_by_id
        new = sorted({uid for uid in symbol_ids if uid in by_id} - self._seen)
        self._seen.update(new)
        terms = [equation(by_id[uid], self._stored[uid]) for uid in new]
        for uid, number in zip(new, self.add_all(terms), strict=True):
            self._fixes[number] = uid

    def release(self) -> bool:
        """Let go of the values in the clash just found; False if there are none in it."""
        used = [number for number in self.core() if number in self._fixes]
        self._free.update(self._fixes.pop(number) for number in used)
        return bool(used)

    def clashing(self) -> frozenset[int]:
        """The rules in the clash just found."""
        return self.core() & self._loaded

    def case(self) -> Case | None:
        """The case just found, at stored values where nothing was let go of."""
        witness = self.witness()
        if not witness.exact:
            return None
        found = witness.assignment()
        return {**self._stored, **{uid: found[uid] for uid in self._free}}

    def broken(self, case: Case, without: Collection[int]) -> list[int] | None:
        """Rules that the changed values break; None where evaluation does not tell."""
        found: set[int] = set()
        try:
            for uid in self._free:
                for number in self.compiled.rules_of.get(uid, ()):
                    if number in found or number in without:
                        continue
                    if not self.compiled.meaning(number)(case):
                        found.add(number)
        except EvaluationError:
            return None
        return None if found & self._loaded else sorted(found)

    def load(self, rules: Sequence[int]) -> None:
        self._load(rules)
        self._loaded.update(rules)
        self.fix(uid for number in rules for uid in self.compiled.rule_symbols[number])


def equation(variable: Variable, value: Value) -> Term:
    return eq(variable.symbol, Literal(value, variable.sort))
