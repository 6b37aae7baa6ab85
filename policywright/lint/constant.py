"""Variables that the rules force to one value, whatever the case."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from policywright.english import render_value
from policywright.evaluate import Value
from policywright.lint.component import Component
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.pieces import Way
from policywright.lint.saying import capitalise, clause_of, noun_of, rules_said
from policywright.lint.scan import Scan
from policywright.model import Role, Variable
from policywright.sorts import BOOL
from policywright.terms import Literal, Symbol, Term, eq, not_

CODE = "one-value"


def constant_variables(scan: Scan) -> Iterator[Diagnostic]:
    """A question that has one answer only. What one rule alone states is left aside."""
    stated = _stated(scan)
    for component in scan.sound():
        if not component.cases:
            continue
        for variable in scan.read_by(component.rules):
            if variable.id not in stated:
                found = _ask(scan, component, variable)
                if found is not None:
                    yield found


def _stated(scan: Scan) -> set[str]:
    """Variables that a rule gives a value outright: 'the regular fee is 50'; bare facts too."""
    found: set[str] = set()
    for number in scan.numbers:
        for piece in scan.pieces(number):
            if piece.conditions:
                continue
            if piece.way is Way.VALUE and isinstance(piece.value, Literal):
                found.add(piece.decides or "")
            consequence = piece.consequence
            inner = getattr(consequence, "args", (consequence,))[0]
            if isinstance(inner, Symbol) and inner.sort == BOOL:
                found.add(inner.id)
    return found


def _ask(scan: Scan, component: Component, variable: Variable) -> Diagnostic | None:
    value = component.cases[0][variable.id]
    if any(case[variable.id] != value for case in component.cases[1:]):
        scan.tally.questions += 1
        if scan.observe is not None:
            scan.observe((frozenset(), (_other(variable, value),)))
        return None
    other = [_other(variable, value)]
    core = component.excluding(other)
    if core is None or scan.follows_from_a_clash(core):
        return None
    ids = scan.ids(core)
    model = scan.model
    role = "" if variable.role is not Role.FACT else "; a fact that cannot vary is not one"
    why = f": {rules_said(model, ids)}" if ids else ", since its datatype has no other"
    message = f"{capitalise(_said(scan, variable, value))} in every case{why}{role}."
    return Diagnostic(
        CODE, Severity.WARNING, message, ids, about=(variable.id,), core=ids,
        witness={variable.id: value},
    )  # fmt: skip


def _said(scan: Scan, variable: Variable, value: Value) -> str:
    if isinstance(value, bool):
        return clause_of(scan.model, variable, value)
    shown = value if isinstance(value, str) or variable.sort.key == "Int" else Fraction(value)
    return f"{noun_of(scan.model, variable)} is {render_value(scan.model, variable, shown)}"


def _other(variable: Variable, value: Value) -> Term:
    if isinstance(value, bool):
        return not_(variable.symbol) if value else variable.symbol
    exact = Fraction(value) if variable.sort.key == "Real" else value
    return not_(eq(variable.symbol, Literal(exact, variable.sort)))
