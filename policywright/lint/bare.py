"""Rules that are bare facts: a duty written so makes a true report of a breach impossible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from policywright.lint.boxes import interval_of
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.pieces import Piece, Way
from policywright.lint.saying import rule_said
from policywright.lint.scan import Scan
from policywright.model import Kind, Role, Rule
from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Apply, Op, Symbol, implies, symbols

CODE = "bare-assertion"
QUESTION = "Is this always true, or a duty that someone can break?"


def bare_assertions(scan: Scan) -> Iterator[Diagnostic]:
    """A rule that says without condition what is so, or limits which facts there can be."""
    for number, rule in scan.rules():
        if rule.kind not in (Kind.RULE, Kind.DEFINITION):
            continue
        pieces = scan.pieces(number)
        if number in scan.limits_facts:
            if _may_define(scan, rule):
                continue
            if pieces and not all(_is_plain_range(piece) for piece in pieces):
                yield _diagnostic(scan, number, rule)
        elif any(_is_bare(piece) for piece in pieces):
            yield _diagnostic(scan, number, rule)


def _may_define(scan: Scan, rule: Rule) -> bool:
    """'The band is short exactly if ...', where it was only guessed that the band is a fact."""
    term = normal_form(rule.term)
    if not isinstance(term, Apply) or term.op is not Op.EQ or term.args[0].sort != BOOL:
        return False
    read = [scan.model.variable_by_id.get(symbol.id) for symbol in symbols(term.args[0])]
    return all(variable is not None and variable.role_guessed for variable in read)


def _is_bare(piece: Piece) -> bool:
    """A yes-or-no variable said to be so; that a fee is 50 is a definition."""
    term = piece.consequence
    inner = term.args[0] if isinstance(term, Apply) and term.op is Op.NOT else term
    return (
        not piece.conditions
        and piece.way is not Way.BOUND
        and (isinstance(inner, Symbol) and inner.sort == BOOL)
    )


def _is_plain_range(piece: Piece) -> bool:
    """'At least 0': no more than what a number of its kind is."""
    found = interval_of(piece.consequence)
    if piece.conditions or found is None:
        return False
    _, interval = found
    return interval.high is None and interval.low is not None and interval.low in (0, 1)


def _diagnostic(scan: Scan, number: int, rule: Rule) -> Diagnostic:
    model = scan.model
    message = (
        f"{rule_said(model, rule)} says what is so, and nothing of what follows if it is not: "
        f"against it every answer is IMPOSSIBLE. {QUESTION}"
    )
    fixes = [
        Fix(
            FixKind.ASSUMPTION,
            "it is always true: make it an assumption",
            rules=(replace(rule, kind=Kind.ASSUMPTION),),
        )
    ]
    for variable in model.variables:
        if variable.role is Role.OUTCOME and variable.sort == BOOL:
            if any(symbol.id == variable.id for symbol in symbols(rule.term)):
                continue
            duty = replace(rule, term=implies(variable.symbol, rule.term))
            label = f"it is a duty: without it not `{variable.name}`"
            fixes.append(Fix(FixKind.NARROWER, label, rules=(duty,)))
            if len(fixes) > MAX_DUTIES:
                break
    if len(fixes) == 1:
        needs = "the outcome that is refused where the duty is broken"
        fixes.append(Fix(FixKind.NEW_FACT, "it is a duty: name an outcome", needs=needs))
    return Diagnostic(CODE, Severity.WARNING, message, (rule.id,), fixes=tuple(fixes))


MAX_DUTIES = 3
"""Outcomes offered that a broken duty refuses."""
