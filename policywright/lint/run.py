"""Runs all checks over a policy model, and says what they did not decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from policywright.lint.diagnostic import Diagnostic, Report, Severity
from policywright.lint.scan import Question, Scan, naming
from policywright.lint.table import LINTS
from policywright.model import PolicyModel, Rule
from policywright.solver import DEFAULT_RLIMIT

_ORDER = list(Severity)


def lint(
    model: PolicyModel,
    *,
    rlimit: int = DEFAULT_RLIMIT,
    only: Collection[str] | None = None,
    complete: Collection[str] = (),
    ranks: Mapping[str, int] | None = None,
    unfit: Sequence[Rule] = (),
    observe: Callable[[Question], None] | None = None,
) -> Report:
    """What is wrong with a policy model, errors first, each kind in document order.

    `rlimit` limits each question to the solver, in its units of work. `only` holds ids of
    rules and variables that an edit touched, of before and after: the checks then go
    through the rules that are connected with them, and through the declarations. `complete`
    are ids of enumerations that their owner said to be complete, `ranks` the ranks of
    documents by title, 1 the highest, `unfit` rules that fit no declarations any more.
    `observe` is told each question about the rules, for measurements.

    What was not decided is in no diagnostic, for or against, but in the report's limits.
    """
    scan = Scan(
        model,
        rlimit=rlimit,
        only=only,
        complete=complete,
        ranks=ranks,
        unfit=unfit,
        observe=observe,
    )
    found: list[Diagnostic] = []
    for check in LINTS:
        with naming(scan, check.code):
            found += check.check(scan)
    found.sort(key=lambda diagnostic: _ORDER.index(diagnostic.severity))
    limits = [*scan.limits, *_undecided(scan)]
    return Report(tuple(found), tuple(limits), scan.looked_at, scan.asked)


def _undecided(scan: Scan) -> list[str]:
    return [
        f"{count} question{'s' if count > 1 else ''} of `{code}` "
        f"{'were' if count > 1 else 'was'} not decided within the limit, for or against."
        for code, count in scan.undecided.items()
    ]
