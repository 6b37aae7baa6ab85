"""Rules that can never apply, because other rules exclude their conditions."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.pieces import implications
from policywright.lint.saying import rule_said, rules_said, term_said
from policywright.lint.scan import Scan
from policywright.model import Kind
from policywright.normal import normal_form
from policywright.terms import Term, and_

CODE = "never-applies"


def never_applying(scan: Scan) -> Iterator[Diagnostic]:
    """A condition that no case meets."""
    for component in scan.sound():
        for number in component.rules:
            conditions = _conditions(scan, number)
            for condition in conditions:
                core = component.excluding([condition])
                if core is None:
                    continue
                if len(conditions) == 1:
                    scan.dead.add(number)
                if not scan.follows_from_a_clash({*core, number}):
                    yield _diagnostic(scan, number, condition, core, len(conditions) == 1)


def _conditions(scan: Scan, number: int) -> list[Term]:
    """The conditions of a rule's implications, each once."""
    term = normal_form(scan.prepared.rule_terms[number])
    found = [and_(*conditions) for conditions, _ in implications(term) if conditions]
    return list(dict.fromkeys(found))


def _diagnostic(
    scan: Scan, number: int, condition: Term, core: tuple[int, ...], alone: bool
) -> Diagnostic:
    model, rule = scan.model, scan.model.rules[number]
    shown = scan.ids(n for n in core if n != number)
    said = "Rule" if alone else "A part of rule"
    why = f"; {rules_said(model, shown)} exclude its condition" if shown else ""
    if len(shown) == 1:
        why = why.replace(" exclude its", " excludes its")
    message = (
        f"{said} {rule_said(model, rule)} can never apply: there is no case in which "
        f"{term_said(model, condition)}{why}."
    )
    removal = Fix(FixKind.REMOVAL, f"leave out `{rule.name}`", removed=(rule.id,))
    fixes = (removal,) if alone and rule.kind is not Kind.DEFAULT else ()
    return Diagnostic(CODE, Severity.WARNING, message, (rule.id,), core=scan.ids(core), fixes=fixes)
