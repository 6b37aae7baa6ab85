"""Outcomes that can never be proved, or never be refuted: no rule speaks for that side."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.findings.minimal import NotDecidedError
from policywright.lint.chains import Chains
from policywright.lint.conflict import pieces_by_variable
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.pieces import MAX_PIECES
from policywright.lint.regions import Proposal, Regions
from policywright.lint.saying import capitalise, clause_of, guessed, names_of
from policywright.lint.scan import Scan
from policywright.model import DefaultChoice, Kind, Role, Variable
from policywright.solver import Status
from policywright.sorts import BOOL
from policywright.terms import FALSE, TRUE, boolean, not_, symbols

CODE = "one-sided-outcome"
ROUNDS = 2
"""Cases tried for one side of one outcome before it is given up as undecided."""


def one_sided_outcomes(scan: Scan) -> Iterator[Diagnostic]:
    """Only prohibitions prove nothing approved; a default says what holds when none applies."""
    regions = Regions(scan)
    broken = {n for c in scan.components if not c.is_sound for n in c.rules}
    chains = Chains(pieces_by_variable(scan), scan.decided)
    for variable in scan.variables:
        if variable.role is not Role.OUTCOME or variable.sort != BOOL:
            continue
        if variable.id in scan.around.open_:
            continue
        if not broken.isdisjoint(scan.prepared.rules_of[variable.id]):
            continue
        try:
            possible = [
                _can_follow(scan, regions, chains, variable, side) for side in (True, False)
            ]
        except NotDecidedError:
            scan.unknown()
            continue
        if not all(possible):
            yield _diagnostic(scan, variable, *possible)


def _can_follow(
    scan: Scan, regions: Regions, chains: Chains, variable: Variable, side: bool
) -> bool:
    """Whether there are facts from which this side follows. Raises NotDecidedError."""
    scan.tally.questions += 1
    region = regions.of(variable.id)
    holds, fails = variable.symbol, not_(variable.symbol)
    claim, denied = (holds, fails) if side else (fails, holds)
    for piece in region.given_by.get(variable.id, ()):
        if piece.value != boolean(side) or piece.number in scan.dead:
            continue
        support = chains.support(piece.conditions)
        if support == FALSE:
            continue
        if support == TRUE:
            if scan.component(piece.number).ask(piece.conditions).status is Status.SAT:
                return True
            continue
        proposal = Proposal(region.rules, (*piece.conditions, support), region.rules, (denied,))
        if region.find(proposal, ROUNDS) is not None:
            return True
    if not any(_may_give(scan, n, variable, side) for n in scan.prepared.rules_of[variable.id]):
        return False
    if region.is_cut:
        raise NotDecidedError
    return (
        region.find(Proposal(region.rules, (claim,), region.rules, (denied,)), ROUNDS) is not None
    )


def _may_give(scan: Scan, number: int, variable: Variable, side: bool) -> bool:
    """Whether a rule that reads the outcome may force this side of it.

    It cannot where it merely concludes the other side from what does not read the outcome.
    """
    if variable.id not in scan.prepared.rule_symbols[number]:
        return False
    pieces = scan.pieces(number)
    if len(pieces) >= MAX_PIECES:
        return True  # The rest was not taken apart.
    for piece in pieces:
        in_condition = any(
            symbol.id == variable.id for part in piece.conditions for symbol in symbols(part)
        )
        if in_condition:
            return True
        concludes = any(symbol.id == variable.id for symbol in symbols(piece.consequence))
        if concludes and piece.value != boolean(not side):
            return True
    return False


def _diagnostic(scan: Scan, variable: Variable, proved: bool, refuted: bool) -> Diagnostic:
    model = scan.model
    deciding = [n for n in scan.prepared.rules_of[variable.id] if model.rules[n].kind is Kind.RULE]
    ids = scan.ids(deciding)
    yes, no = clause_of(model, variable, True), clause_of(model, variable, False)
    sides = [clause for clause, can in ((yes, proved), (no, refuted)) if not can]
    missing = ", nor that ".join(sides)
    spoken = any(_may_give(scan, n, variable, True) for n in scan.prepared.rules_of[variable.id])
    only = "" if proved or spoken else "Only prohibitions: "
    message = (
        f"{only}nothing here can ever prove that {missing}. Rules that read it: "
        f"{names_of(model, ids)}."
    )
    fixes: list[Fix] = []
    if not proved:
        fixes.append(_default(variable, DefaultChoice.APPROVED, f"{yes} unless a rule forbids it"))
    if not refuted:
        fixes.append(_default(variable, DefaultChoice.REFUSED, f"{no} unless a rule grants it"))
    fixes.append(_default(variable, DefaultChoice.OPEN, "leave it open where no rule speaks"))
    return Diagnostic(
        CODE, Severity.WARNING, capitalise(message) + guessed(variable), ids,
        about=(variable.id,), fixes=tuple(fixes),
    )  # fmt: skip


def _default(variable: Variable, choice: DefaultChoice, label: str) -> Fix:
    return Fix(FixKind.DEFAULT, label, default=(variable.id, choice))
