"""Numbers of which no rule and no assumption says that they are not negative."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.lint.boxes import interval_of
from policywright.lint.component import Component
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind, lower_bound
from policywright.lint.nearby import Case
from policywright.lint.saying import noun_of
from policywright.lint.scan import Scan
from policywright.model import Role, Variable
from policywright.solver import Status
from policywright.sorts import INT
from policywright.terms import Term, ge, integer, lt, real
from policywright.unit_algebra import DATE

CODE = "missing-domain"


def missing_domains(scan: Scan) -> Iterator[Diagnostic]:
    """A fact that is counted and may be negative: scenarios then hold EUR -3."""
    bounded = _bounded_below(scan)
    for component in scan.sound():
        for variable in scan.read_by(component.rules):
            counted = variable.role is Role.FACT and variable.sort.is_number
            if not counted or variable.unit == DATE:
                continue
            case = None if variable.id in bounded else _negative(scan, component, variable)
            if case is not None:
                yield _diagnostic(scan, variable, case)


def _bounded_below(scan: Scan) -> set[str]:
    """Variables that something bounds by a constant that is not negative, whatever the case."""
    found: set[str] = set()
    for number in scan.numbers:
        for piece in scan.pieces(number):
            box = None if piece.conditions else interval_of(piece.consequence)
            if box is not None and box[1].low is not None and box[1].low >= 0:
                found.add(box[0].id)
    return found


def _negative(scan: Scan, component: Component, variable: Variable) -> Case | None:
    """A negative value that it can have; none by name where no value of it is exact."""
    answer = component.ask([lt(variable.symbol, _zero(variable))])
    if answer.status is Status.UNKNOWN:
        scan.unknown()
    if answer.status is not Status.SAT:
        return None
    return {} if answer.case is None else {variable.id: answer.case[variable.id]}


def _diagnostic(scan: Scan, variable: Variable, case: Case) -> Diagnostic:
    model = scan.model
    message = (
        f"Nothing says that {noun_of(model, variable)} (`{variable.name}`) is not negative; the "
        "document takes it for granted. Confirm a range."
    )
    at_least = ge(variable.symbol, _zero(variable))
    rule = lower_bound(model, variable, at_least, scan.around.taken)
    fix = Fix(FixKind.ASSUMPTION, f"assume that `{variable.name}` is at least 0", rules=(rule,))
    return Diagnostic(
        CODE, Severity.WARNING, message, about=(variable.id,),
        witness=case or None, fixes=(fix,),
    )  # fmt: skip


def _zero(variable: Variable) -> Term:
    return integer(0) if variable.sort == INT else real(0)
