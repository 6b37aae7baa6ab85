"""Rules that contradict each other, whatever the case: with the fewest that do."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.lint.component import Component
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.saying import rules_said
from policywright.lint.scan import Scan
from policywright.model import Kind
from policywright.solver import Status

CODE = "contradiction"
MAX_CORES = 5
"""Contradictions told of one component; those that share no rule with another one."""


def contradictions(scan: Scan) -> Iterator[Diagnostic]:
    """Whatever is asked of such rules, they answer IMPOSSIBLE."""
    for component in scan.components:
        if component.status is Status.UNKNOWN:
            scan.unknown()
        elif component.status is Status.UNSAT:
            yield from _of_component(scan, component)


def _of_component(scan: Scan, component: Component) -> Iterator[Diagnostic]:
    rules = list(component.rules)
    session = scan.session(rules)
    for _ in range(MAX_CORES):
        if session.check(rules) is not Status.UNSAT:
            break
        core = scan.minimal(session, rules, [])
        if core is None:
            scan.unknown()
            break
        scan.clashes.append(frozenset(core))
        yield _diagnostic(scan, core)
        rules = [number for number in rules if number not in core]
    scan.tally.contradicted = len(component.rules)


def _diagnostic(scan: Scan, core: tuple[int, ...]) -> Diagnostic:
    model = scan.model
    ids = scan.ids(core)
    if len(core) == 1:
        message = f"This rule contradicts itself: {rules_said(model, ids)}."
    else:
        message = (
            f"These {len(core)} rules contradict each other, whatever the case: "
            f"{rules_said(model, ids)}. Without any one of them the others could hold."
        )
    fixes = tuple(
        Fix(FixKind.REMOVAL, f"leave out `{model.rule_by_id[uid].name}`", removed=(uid,))
        for uid in ids
        if model.rule_by_id[uid].kind is not Kind.DEFAULT
    )
    return Diagnostic(CODE, Severity.ERROR, message, ids, core=ids, fixes=fixes)
