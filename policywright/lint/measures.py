"""Amounts in units that do not fit, and shares above 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from policywright.definitions import written_out
from policywright.lint.boxes import interval_of
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.saying import noun_of, rule_said
from policywright.lint.scan import Scan
from policywright.model import Rule, Variable
from policywright.normal import normal_form
from policywright.smtlib.printer import exact_decimal
from policywright.terms import Apply, Literal, Op, Term, fold, real, rebuild, subterms
from policywright.unit_algebra import parse_unit
from policywright.units import unit_problems

MIXED = "mixed-units"
SHARE = "share-above-1"

_PERCENT = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)\s*(?:%|per ?cent\b)", re.IGNORECASE)
_SHARE = parse_unit("share")


def mixed_units(scan: Scan) -> Iterator[Diagnostic]:
    """Days beside months, euros beside dollars: a number that is neither."""
    by_id = scan.model.definition_by_id
    for problem in unit_problems(scan.model):
        message = problem.message[:1].upper() + problem.message[1:] + "."
        if problem.rule_id in by_id:
            yield Diagnostic(MIXED, Severity.WARNING, message, about=(problem.rule_id,))
        else:
            yield Diagnostic(MIXED, Severity.WARNING, message, (problem.rule_id,))


def shares_above_one(scan: Scan) -> Iterator[Diagnostic]:
    """7.5 where 7.5% is meant: a hundred times as much."""
    for number, rule in scan.rules():
        term = written_out(scan.model, rule.term) if scan.model.definitions else rule.term
        told: set[Fraction] = set()
        for value, why in (*_beside_shares(scan, term), *_quoted_factors(rule, term)):
            if value not in told:
                told.add(value)
                yield _diagnostic(scan, number, rule, value, why)


def _beside_shares(scan: Scan, term: Term) -> Iterator[tuple[Fraction, str]]:
    """Constants above 1 that a share is compared with."""
    for node in subterms(normal_form(term)):
        found = interval_of(node)
        if found is None:
            continue
        variable = scan.model.variable_by_id.get(found[0].id)
        at = found[1].low if found[1].low is not None else found[1].high
        if not isinstance(variable, Variable) or at is None or at <= 1 or not variable.unit:
            continue
        if parse_unit(variable.unit) == _SHARE:
            yield at, f"{noun_of(scan.model, variable)} is a share, of which the whole is 1"


def _quoted_factors(rule: Rule, term: Term) -> Iterator[tuple[Fraction, str]]:
    """Factors that the rule's sentence calls a percentage."""
    quoted = {
        Fraction(number.replace(",", "."))
        for source in rule.sources
        for number in _PERCENT.findall(source.quote)
    }
    if not quoted:
        return
    for node in subterms(term):
        if isinstance(node, Apply) and node.op is Op.MUL:
            for arg in node.args:
                if isinstance(arg, Literal) and Fraction(arg.value) in quoted:
                    at = Fraction(arg.value)
                    yield at, f"the sentence says {_said(at)}%, which is {_said(at / 100)}"


def _diagnostic(scan: Scan, number: int, rule: Rule, value: Fraction, why: str) -> Diagnostic:
    message = (
        f"{rule_said(scan.model, rule)} takes {_said(value)} as a share: {why}. Write "
        f"{_said(value / 100)}, or count it in percent."
    )
    smaller = _with_constant(rule, value, value / 100)
    fix = Fix(FixKind.NARROWER, f"write {_said(value / 100)}", rules=(smaller,))
    return Diagnostic(SHARE, Severity.WARNING, message, scan.ids([number]), fixes=(fix,))


def _with_constant(rule: Rule, old: Fraction, new: Fraction) -> Rule:
    def visit(node: Term, args: Sequence[Term]) -> Term:
        if isinstance(node, Literal) and node.sort.key == "Real" and node.value == old:
            return real(new)
        return rebuild(node, args)

    return replace(rule, term=fold(rule.term, visit))


def _said(value: Fraction) -> str:
    text = exact_decimal(value) or f"{value.numerator}/{value.denominator}"
    return text.removesuffix(".0")
