"""Divisions whose divisor can be zero in a case that the rules allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from policywright.definitions import written_out
from policywright.errors import DivisionByZeroError, EvaluationError
from policywright.evaluate import Value, evaluate
from policywright.lint.component import Component
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.saying import case_said, rule_said, term_said
from policywright.lint.scan import LintEvidenceError, Scan
from policywright.model import Kind, Rule
from policywright.normal import negate
from policywright.solver import Session, Status
from policywright.terms import (
    Apply,
    Literal,
    Op,
    Term,
    and_,
    eq,
    implies,
    not_,
    real,
    subterms,
    symbols,
)

CODE = "division-by-zero"
MAX_DIVISIONS = 40
"""Divisions of one rule that are asked about."""


@dataclass(frozen=True)
class _Division:
    """A divisor, and the conditions under which a reader comes to it."""

    divisor: Term
    guards: tuple[Term, ...]


def zero_divisors(scan: Scan) -> Iterator[Diagnostic]:
    """Where a divisor is zero a quotient means nothing, whatever a solver makes of it."""
    for component in scan.sound():
        for number in component.rules:
            term = scan.model.rules[number].term
            if scan.model.definitions:
                term = written_out(scan.model, term)
            for division in _divisions(term) if _divides(term) else ():
                found = _ask(scan, component, number, division)
                if found is not None:
                    yield found


def _ask(scan: Scan, component: Component, number: int, division: _Division) -> Diagnostic | None:
    terms = [*division.guards, eq(division.divisor, real(0))]
    answer = component.ask(terms)
    if answer.status is Status.UNKNOWN:
        scan.unknown()
    if answer.status is not Status.SAT:
        return None
    model, rule = scan.model, scan.model.rules[number]
    case = _case(scan, component, number, terms)
    shown = {s.id: case[s.id] for term in terms for s in symbols(term) if s.id in case}
    message = (
        f"{rule_said(model, rule)} divides by {term_said(model, division.divisor)}, which is zero "
        f"where {case_said(model, shown)}. Say what holds then."
    )
    fixes: tuple[Fix, ...] = ()
    if rule.kind is not Kind.DEFAULT:
        label = f"`{rule.name}` only where the divisor is not zero"
        fixes = (Fix(FixKind.NARROWER, label, rules=(_guarded(rule, division),)),)
    return Diagnostic(
        CODE, Severity.ERROR, message, (rule.id,), core=(rule.id,), witness=case, fixes=fixes
    )


def _case(scan: Scan, component: Component, number: int, terms: list[Term]) -> dict[str, Value]:
    """A case from a session of its own, in which evaluation comes upon the zero."""
    session = Session(scan.prepared, component.rules, terms, rlimit=scan.rlimit)
    if session.check([*component.rules, *session.added]) is not Status.SAT:
        raise LintEvidenceError(
            "a divisor could be zero when asked first, and not when asked again"
        )
    witness = session.witness()
    if not witness.exact:
        return witness.assignment()
    case = witness.assignment()
    try:
        evaluate(scan.model.rules[number].term, case, scan.model)
    except DivisionByZeroError:
        shown = scan.prepared.rule_symbols[number] | (case.keys() - witness.free)
        return {uid: value for uid, value in case.items() if uid in shown}
    except EvaluationError as error:
        raise LintEvidenceError(str(error)) from error
    raise LintEvidenceError("a divisor was reported as zero that evaluation does not come upon")


def _guarded(rule: Rule, division: _Division) -> Rule:
    """The rule behind 'the divisor is not zero', which a reader comes to first."""
    guard, term = not_(eq(division.divisor, real(0))), rule.term
    if isinstance(term, Apply) and term.op is Op.IMPLIES:
        condition, consequence = term.args
        return replace(rule, term=implies(and_(guard, condition), consequence))
    return replace(rule, term=implies(guard, term))


def _divides(term: Term) -> bool:
    return any(isinstance(node, Apply) and node.op is Op.DIV for node in subterms(term))


def _divisions(term: Term) -> Iterator[_Division]:
    """As `evaluate` comes to them: behind what it has found true or false before."""
    stack: list[tuple[Term, tuple[Term, ...]]] = [(term, ())]
    found = 0
    while stack and found < MAX_DIVISIONS:
        node, guards = stack.pop()
        if not isinstance(node, Apply):
            continue
        if node.op is Op.DIV and not _is_nonzero(node.args[1]):
            found += 1
            yield _Division(node.args[1], guards)
        stack.extend(reversed(list(_below(node, guards))))


def _below(node: Apply, guards: tuple[Term, ...]) -> Iterator[tuple[Term, tuple[Term, ...]]]:
    if node.op in (Op.AND, Op.OR):
        for arg in node.args:
            if _divides(arg):
                yield arg, guards
            guards = (*guards, arg if node.op is Op.AND else negate(arg))
    elif node.op is Op.IMPLIES:
        yield node.args[0], guards
        yield node.args[1], (*guards, node.args[0])
    elif node.op is Op.ITE:
        condition, then, otherwise = node.args
        yield condition, guards
        yield then, (*guards, condition)
        yield otherwise, (*guards, negate(condition))
    else:
        for arg in node.args:
            yield arg, guards


def _is_nonzero(divisor: Term) -> bool:
    return isinstance(divisor, Literal) and divisor.value != 0
