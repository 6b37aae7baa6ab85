"""Many checks of one policy model with kept sessions: fast, for machines.

What is settled here (sat, unsat, the rules and facts behind a finding) does not
depend on what was asked before. Scenarios do, since a kept solver remembers: they
are replayed like all others, but what a person is shown is asked of `check_claim`.
What a kept solver does not decide is asked again fresh.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from policywright.errors import DivisionByZeroError
from policywright.finding_kinds import FindingKind
from policywright.findings.check import Check, check_claim
from policywright.findings.finding import Finding
from policywright.findings.minimal import NotDecidedError
from policywright.model import PolicyModel
from policywright.smtlib import Answer, Fact
from policywright.solver import DEFAULT_RLIMIT, LARGE, Session, compiled, open_session
from policywright.terms import Term, not_

KEPT = 128
"""Sessions kept at once; each holds about a tenth of a megabyte a rule."""


class WarmChecker:
    """Checks of one model, one after the other; for one thread."""

    def __init__(self, model: PolicyModel, *, rlimit: int = DEFAULT_RLIMIT) -> None:
        self.model, self.rlimit = model, rlimit
        self._compiled = compiled(model)
        self._sessions: OrderedDict[tuple[int, ...], Session] = OrderedDict()

    def check_all(self, answers: Iterable[Answer]) -> Iterator[Finding]:
        """A finding for each answer, in order."""
        return (self.check(answer.facts, answer.claim) for answer in answers)

    def check(self, facts: Sequence[Fact], claim: Term) -> Finding:
        """The finding's kind with its minimal rules and facts, or with two scenarios."""
        terms = [*(fact.term for fact in facts), claim, not_(claim)]
        rules = self._compiled.slice_of(terms)
        if len(rules) > LARGE:
            session = open_session(self.model, terms, rlimit=self.rlimit)
            found = self._found(Check(self.model, facts, claim, session, session.added))
        else:
            session = self._session(rules)
            with session.question(terms) as added:
                found = self._found(Check(self.model, facts, claim, session, added))
        return found or check_claim(self.model, facts, claim, rlimit=self.rlimit)

    def _found(self, check: Check) -> Finding | None:
        """What the session settles; None where the question must be asked again fresh."""
        kind, _ = check.kind()
        try:
            if kind is None:
                return None
            return check.cases() if kind is FindingKind.SATISFIABLE else check.decided(kind)
        except (DivisionByZeroError, NotDecidedError):
            return None

    def _session(self, rules: tuple[int, ...]) -> Session:
        session = self._sessions.get(rules)
        if session is None:
            session = Session(self._compiled, rules, rlimit=self.rlimit)
            self._sessions[rules] = session
            if len(self._sessions) > KEPT:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(rules)
        return session
