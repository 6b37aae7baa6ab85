"""Runs all checks over a policy model, and says what they did not decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from policywright.lint.diagnostic import Diagnostic, PartReport, Report
from policywright.lint.joining import CODES, in_order
from policywright.lint.parts import Part, parts_of
from policywright.lint.scan import Question, Scan, naming
from policywright.lint.table import LINTS
from policywright.lint.tally import limits_said
from policywright.model import PolicyModel, Rule
from policywright.solver import DEFAULT_RLIMIT

Observe = Callable[[Question], None]


def lint(
    model: PolicyModel,
    *,
    rlimit: int = DEFAULT_RLIMIT,
    known: Mapping[str, PartReport] | None = None,
    complete: Collection[str] = (),
    ranks: Mapping[str, int] | None = None,
    unfit: Sequence[Rule] = (),
    observe: Observe | None = None,
) -> Report:
    """What is wrong with a policy model, errors first, each kind in document order.

    `rlimit` limits each question to the solver, in its units of work. `known` are parts of
    an earlier report (`Report.parts`), made with the same `rlimit`: those that are the same
    now are not asked about again, and the report is the one that asking would give.
    `complete` are ids of enumerations that their owner said to be complete, `ranks` the
    ranks of documents by title, 1 the highest, `unfit` rules that fit no declarations any
    more. `observe` is told each question about the rules, for measurements.

    What was not decided is in no diagnostic, for or against, but in the report's limits.
    """
    known = known or {}
    parts: dict[str, PartReport] = {}
    asked: set[str] = set()
    for part in parts_of(model, ranks or {}):
        if part.key in known:
            parts[part.key] = known[part.key]
            continue
        parts[part.key] = _of_part(part, rlimit, observe)
        asked.update(rule.id for rule in part.model.rules)
    scan = Scan(model, rlimit=rlimit, complete=complete, unfit=unfit)
    whole = tuple(_run(scan, of_part=False))
    found = [*(one for part in parts.values() for one in part.diagnostics), *whole]
    return Report(
        tuple(in_order(found, lambda one: (one.severity, one.code))),
        limits_said((part.tally for part in parts.values()), CODES),
        frozenset(asked),
        sum(part.tally.questions for part in parts.values()),
        parts,
        whole,
    )


def _of_part(part: Part, rlimit: int, observe: Observe | None) -> PartReport:
    def told(question: Question) -> None:
        assert observe is not None
        left_out, terms = question
        observe((frozenset(part.numbers[number] for number in left_out), terms))

    tell = None if observe is None else told
    scan = Scan(part.model, rlimit=rlimit, around=part.around, observe=tell)
    try:
        found = tuple(_run(scan, of_part=True))
    finally:
        scan.close()
    return PartReport(part.model, found, scan.tally)


def _run(scan: Scan, *, of_part: bool) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for check in LINTS:
        if check.of_part is of_part:
            with naming(scan, check.code):
                found += check.check(scan)
    return found
