"""Products and quotients of variables, which a solver may not decide."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.definitions import written_out
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.saying import joined, rule_said, term_said
from policywright.lint.scan import Scan
from policywright.terms import Apply, Op, Term, subterms, symbols

CODE = "non-linear"


def non_linear(scan: Scan) -> Iterator[Diagnostic]:
    """Most such rules are decided in no time; where one is not, the check says UNDECIDED."""
    for number, rule in scan.rules():
        term = written_out(scan.model, rule.term) if scan.model.definitions else rule.term
        found = [node for node in subterms(term) if _multiplies(node)]
        if not found:
            continue
        said = joined([term_said(scan.model, node) for node in found])
        message = (
            f"{rule_said(scan.model, rule)} multiplies or divides variables by each other: {said}. "
            "A check may then end UNDECIDED; where one of them is fixed, write its number."
        )
        yield Diagnostic(CODE, Severity.WARNING, message, scan.ids([number]))


def _multiplies(node: Term) -> bool:
    if not isinstance(node, Apply):
        return False
    if node.op is Op.DIV:
        return bool(symbols(node.args[1]))
    return node.op is Op.MUL and sum(bool(symbols(arg)) for arg in node.args) > 1
