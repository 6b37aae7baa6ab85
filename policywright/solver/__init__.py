"""The only home of Z3: sessions that answer sat, unsat or unknown, with evidence.

Values come back as ours (exact, by symbol id), never as solver objects.
"""

from __future__ import annotations

from collections.abc import Sequence

from policywright.model import PolicyModel
from policywright.solver.compiled import Compiled, Limits, compiled
from policywright.solver.lazy import LARGE, LazySession, stored_model
from policywright.solver.session import DEFAULT_RLIMIT, Session, Status
from policywright.terms import Term

__all__ = [
    "DEFAULT_RLIMIT",
    "LARGE",
    "Compiled",
    "LazySession",
    "Limits",
    "Session",
    "Status",
    "ask",
    "compiled",
    "open_session",
    "stored_model",
]


def open_session(
    model: PolicyModel, terms: Sequence[Term], *, rlimit: int = DEFAULT_RLIMIT
) -> Session:
    """A fresh session over the slice of the rules that terms touch, with the terms added."""
    prepared = compiled(model)
    rules = prepared.slice_of(terms)
    kind = LazySession if len(rules) > LARGE else Session
    return kind(prepared, rules, terms, rlimit=rlimit)


def ask(model: PolicyModel, terms: Sequence[Term], *, rlimit: int = DEFAULT_RLIMIT) -> Status:
    """Whether terms over a model's names can all hold, its rules left aside."""
    session = Session(compiled(model), (), terms, rlimit=rlimit)
    return session.check(session.added)
