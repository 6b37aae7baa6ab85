"""Rules that do not fit the declarations any more, and so are in no policy model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.scan import Scan
from policywright.model import Rule, check_term
from policywright.sorts import INT, REAL
from policywright.terms import Symbol, subterms

TYPED = "ill-typed"
NAMES = "duplicate-name"


def ill_typed(scan: Scan) -> Iterator[Diagnostic]:
    """A rule written for other declarations than there are."""
    for rule in scan.unfit:
        problems = check_term(scan.model, rule.term, what=f"rule `{rule.name}`")
        if problems:
            message = "; ".join(problems)
            message = f"{message[:1].upper()}{message[1:]}. Mend the rule or the declaration."
            fixes = tuple(_fixes(scan, rule))
            yield Diagnostic(TYPED, Severity.ERROR, message, (rule.id,), fixes=fixes)


def duplicate_names(scan: Scan) -> Iterator[Diagnostic]:
    """A name that something else has already: rules among themselves, variables and values."""
    model = scan.model
    taken = {rule.name: rule.id for rule in model.rules}
    for rule in scan.unfit:
        if taken.setdefault(rule.name, rule.id) != rule.id:
            message = f"Two rules are named `{rule.name}`. Rename one of them."
            ids = (taken[rule.name], rule.id)
            yield Diagnostic(NAMES, Severity.ERROR, message, ids)


def _fixes(scan: Scan, rule: Rule) -> Iterator[Fix]:
    """A whole number that a rule takes for a decimal is declared as one."""
    for node in subterms(rule.term):
        variable = scan.model.variable_by_id.get(node.id) if isinstance(node, Symbol) else None
        if variable is not None and variable.sort == INT and node.sort == REAL:
            label = f"declare `{variable.name}` as a number with decimals (Real)"
            yield Fix(FixKind.DECLARATION, label, variables=(replace(variable, sort=REAL),))
