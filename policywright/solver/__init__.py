"""The only home of Z3: sessions that answer sat, unsat or unknown, with evidence.

Values come back as ours (exact, by symbol id), never as solver objects.
"""

from policywright.solver.session import DEFAULT_RLIMIT, Session, Status

__all__ = ["DEFAULT_RLIMIT", "Session", "Status"]
