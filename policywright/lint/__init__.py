"""Lint: what is wrong with a policy's rules, with evidence and with fixes that one may take."""

from policywright.lint.diagnostic import Diagnostic, Report, Severity, silence_hash
from policywright.lint.fixes import Fix, FixKind, proposed
from policywright.lint.run import lint
from policywright.lint.table import LINTS, Lint

__all__ = [
    "LINTS",
    "Diagnostic",
    "Fix",
    "FixKind",
    "Lint",
    "Report",
    "Severity",
    "lint",
    "proposed",
    "silence_hash",
]
