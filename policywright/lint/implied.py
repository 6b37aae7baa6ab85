"""Rules that say nothing which the other rules do not say already."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.saying import rule_said, rules_said
from policywright.lint.scan import Scan
from policywright.model import Kind
from policywright.terms import not_

CODE = "implied"


def implied_rules(scan: Scan) -> Iterator[Diagnostic]:
    """A rule whose denial the others exclude; defaults are made of others, and left aside."""
    for component in scan.sound():
        for number in component.rules:
            rule = scan.model.rules[number]
            if number in scan.dead or rule.kind is Kind.DEFAULT:
                continue
            denied = [not_(rule.term)]
            core = component.excluding(denied, without=(number,))
            if core is None:
                continue
            scan.implied.add(number)
            if not scan.follows_from_a_clash({*core, number}):
                yield _diagnostic(scan, number, core)


def _diagnostic(scan: Scan, number: int, core: tuple[int, ...]) -> Diagnostic:
    model, rule = scan.model, scan.model.rules[number]
    ids = scan.ids(core)
    if ids:
        verb = "says" if len(ids) == 1 else "together say"
        message = f"{rules_said(model, ids)} {verb} what {rule_said(model, rule)} says."
    else:
        message = f"{rule_said(model, rule)} is true whatever the case, so it says nothing."
    removal = Fix(FixKind.REMOVAL, f"leave out `{rule.name}`", removed=(rule.id,))
    return Diagnostic(CODE, Severity.WARNING, message, (rule.id,), core=ids, fixes=(removal,))
