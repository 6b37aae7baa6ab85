"""Whether two sets of conditions say the same, whatever the case; if not, in which they differ.

Only sorts and assumptions count, never the other rules. Definitions are written out. A
derived variable may have any value, unless an assumption says what it is: two sentences
that agree about all its values agree.

What is written alike is the same without a solver. Where both say the same but for a
divisor that is zero, nothing is claimed: there one of them has no meaning.

Source: SMT-LIB 2.6, check-sat.
"""

from __future__ import annotations

from collections.abc import Sequence

from policywright.checks import divisors, equivalent
from policywright.comparison import Comparison, Differ, Same, Undecided, written_alike
from policywright.definitions import written_out
from policywright.findings.telling_apart import TellingSearch
from policywright.model import Kind, PolicyModel
from policywright.normal import normal_form
from policywright.solver import DEFAULT_RLIMIT, Session, Status, compiled
from policywright.terms import TRUE, Term, and_, eq, fold, not_, real

MAX_SIZE = 5_000
_BY_ZERO = "they may differ only where something is divided by zero"
_CONTRADICTORY = "the assumptions contradict each other"
_NO_FRACTION = "they may differ only at values that no fraction gives"


def compare(
    model: PolicyModel,
    first: Sequence[Term],
    second: Sequence[Term],
    *,
    assumptions: Sequence[Term] | None = None,
    rlimit: int = DEFAULT_RLIMIT,
) -> Comparison:
    """Compare two sets of conditions, each read as all of them together.

    `assumptions` are those of the model if None. `rlimit` limits each question to the
    solver. The same question gets the same answer, on every machine.
    """
    if written_alike(first, second):
        return Same()
    if assumptions is None:
        assumptions = [rule.term for rule in model.rules if rule.kind is Kind.ASSUMPTION]
    sides = [_joined(model, terms) for terms in (first, second)]
    given = [written_out(model, term) for term in assumptions]
    if sum(map(_size, (*sides, *given))) > MAX_SIZE:
        return Undecided("they are too large to be compared")
    one, other = sides
    *held, differs = equivalent(one, other, given)
    guards = [not_(eq(divisor, real(0))) for divisor in divisors(model, [*given, *sides])]
    session = Session(compiled(model), (), [*held, differs, *guards], rlimit=rlimit)
    base = session.added[: len(held) + 1]
    status = session.check(base)
    if status is Status.UNSAT:
        # Where nothing can be, all is the same.
        vacuous = held and session.check(base[:-1]) is Status.UNSAT
        return Undecided(_CONTRADICTORY) if vacuous else Same()
    if status is Status.UNKNOWN:
        return Undecided("the solver gave no answer within its limit")
    search = TellingSearch(model, session, base, (one, other), given)
    if not search.start():
        if session.check(session.added) is not Status.SAT or not guards:
            return Undecided(_BY_ZERO if guards else _NO_FRACTION)
        if not search.start():
            return Undecided(_NO_FRACTION)
    return Differ(search.found())


def _joined(model: PolicyModel, terms: Sequence[Term]) -> Term:
    return normal_form(written_out(model, and_(*terms))) if terms else TRUE


def _size(term: Term) -> int:
    """Of the term as a tree: shared parts count as often as they are printed."""
    return fold(term, lambda _, below: 1 + sum(below))
