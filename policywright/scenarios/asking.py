"""Questions to a solver about the rules of one component, counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from policywright.evaluate import Value
from policywright.model import PolicyModel
from policywright.solver import LARGE, LazySession, Session, Status, compiled
from policywright.terms import Term


class Asking:
    """`unknown` counts the questions that were not decided."""

    def __init__(self, model: PolicyModel, rules: Sequence[int], *, rlimit: int) -> None:
        self.rules, self.rlimit = tuple(rules), rlimit
        self.questions = self.unknown = 0
        self._compiled = compiled(model)
        self._kept: Session | None = None

    def ask(self, session: Session, numbers: Sequence[int]) -> Status:
        """Whether the assertions with those numbers can all hold."""
        self.questions += 1
        status = session.check(numbers)
        self.unknown += status is Status.UNKNOWN
        return status

    @property
    def work(self) -> int:
        """What the questions cost so far, in about a microsecond each."""
        return self._kept.work() if self._kept else 0

    @contextmanager
    def opened(self, terms: Sequence[Term]) -> Iterator[tuple[Session, list[int]]]:
        """A session over the component's rules with terms added for a while."""
        if len(self.rules) > LARGE:
            # Beside one that holds nothing: what a rule reads as is kept with the context.
            self._kept = self._kept or Session(self._compiled, (), rlimit=self.rlimit)
            session: Session = LazySession(
                self._compiled, self.rules, terms, rlimit=self.rlimit, beside=self._kept
            )
            yield session, session.added
            return
        self._kept = self._kept or Session(self._compiled, self.rules, rlimit=self.rlimit)
        with self._kept.question(terms) as added:
            yield self._kept, added


def case_of(session: Session) -> dict[str, Value] | None:
    """The case that a session has just shown; None if a value is no fraction."""
    witness = session.witness()
    return witness.assignment() if witness.exact else None
