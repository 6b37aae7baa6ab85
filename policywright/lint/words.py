"""Phrases that do not stand for one thing: two that are said alike, or none that reads well."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.english.phrase_problems import PhraseProblem, PhraseProblemKind, phrase_problems
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.scan import Scan
from policywright.per_model import PerModel

_problems = PerModel(phrase_problems)

DUPLICATE = "duplicate-phrase"
UNCLEAR = "unclear-phrase"


def duplicate_phrases(scan: Scan) -> Iterator[Diagnostic]:
    """A reader cannot tell which of the two a rule means."""
    for problem in _problems(scan.model):
        if problem.kind is PhraseProblemKind.SAME:
            yield _diagnostic(scan, problem, DUPLICATE, Severity.ERROR)


def unclear_phrases(scan: Scan) -> Iterator[Diagnostic]:
    """Words that can be taken for something else where they stand."""
    for problem in _problems(scan.model):
        if problem.kind is not PhraseProblemKind.SAME:
            yield _diagnostic(scan, problem, UNCLEAR, Severity.WARNING)


def _diagnostic(scan: Scan, problem: PhraseProblem, code: str, severity: Severity) -> Diagnostic:
    message = f"{problem.message[:1].upper()}{problem.message[1:]}."
    fix = Fix(FixKind.DECLARATION, "give other words", needs="the words")
    return Diagnostic(code, severity, message, about=problem.ids, fixes=(fix,))
