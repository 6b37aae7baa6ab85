"""Thresholds of rules about one thing that touch at a value, or leave a gap between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from policywright.english import render_value
from policywright.evaluate import Value
from policywright.findings.conditions import as_number
from policywright.lint.boxes import Interval, interval_of
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.growing import equation
from policywright.lint.pieces import Piece
from policywright.lint.saying import case_said, noun_of, rules_said
from policywright.lint.scan import Scan
from policywright.lint.tally import MAX_CONDITIONS
from policywright.model import PolicyModel, Role, Variable
from policywright.solver import Status
from policywright.sorts import INT
from policywright.terms import Symbol, Term, not_

TOUCH = "threshold-touch"
GAP = "threshold-gap"

_WHOLE = Interval()


@dataclass(frozen=True)
class _Band:
    """A rule about a number in an interval; `rest` are its other conditions."""

    piece: Piece
    number: Symbol
    interval: Interval
    rest: frozenset[Term]


def touching_thresholds(scan: Scan) -> Iterator[Diagnostic]:
    """Two rules apply at one value, and say different things of it."""
    long = sum(any(map(_is_long, scan.pieces(n))) for c in scan.sound() for n in c.rules)
    scan.tally.long_bands = long
    for bands in _groups(scan).values():
        for one, other in pairwise(bands):
            both = one.interval.meet(other.interval)
            at = both.low
            if at is None or at != both.high or not (both.low_in and both.high_in):
                continue
            rules = frozenset((one.piece.number, other.piece.number))
            if len(rules) < 2 or one.piece.consequence == other.piece.consequence:
                continue
            if any(clash <= rules for clash in scan.clashes):
                continue
            ids = scan.ids(rules)
            variable = scan.model.variable_by_id[one.number.id]
            message = (
                f"Two rules apply where {noun_of(scan.model, variable)} is exactly "
                f"{_shown(scan.model, variable, at)}: {rules_said(scan.model, ids)}. Which of "
                "them is meant there?"
            )
            yield Diagnostic(
                TOUCH, Severity.WARNING, message, ids, about=(variable.id,),
                witness={variable.id: as_number(variable, at)},
            )  # fmt: skip


def gaps(scan: Scan) -> Iterator[Diagnostic]:
    """Values between two rules for which no rule speaks."""
    for (outcome, *_), bands in _groups(scan).items():
        for one, other in _consecutive(bands):
            at = _between(one.interval, other.interval, one.number)
            if at is None or one.piece.number == other.piece.number:
                continue
            found = _open_case(scan, str(outcome), one, at)
            if found is not None:
                yield _gap(scan, one, other, at, found)


def _groups(scan: Scan) -> dict[tuple[object, ...], list[_Band]]:
    """Rules that decide one thing by one number, all else alike, in order of the number."""
    groups: dict[tuple[object, ...], list[_Band]] = {}
    for component in scan.sound():
        for number in component.rules:
            if number in scan.limits_facts:
                continue
            for piece in scan.pieces(number):
                for band in _bands(scan.model, piece):
                    key = piece.decides, band.number, band.rest
                    groups.setdefault(key, []).append(band)
    for bands in groups.values():
        bands.sort(key=lambda band: _order(band.interval))
    return groups


def _bands(model: PolicyModel, piece: Piece) -> Iterator[_Band]:
    """One band for each fact that the conditions bound."""
    if piece.decides is None or _is_long(piece):
        return
    bounds: dict[Symbol, Interval] = {}
    parts: dict[Symbol, set[Term]] = {}
    for part in piece.conditions:
        found = interval_of(part)
        if found is not None and model.variable_by_id[found[0].id].role is Role.FACT:
            bounds[found[0]] = bounds.get(found[0], _WHOLE).meet(found[1])
            parts.setdefault(found[0], set()).add(part)
    for symbol, interval in bounds.items():
        if not interval.is_empty:
            yield _Band(piece, symbol, interval, frozenset(piece.conditions) - parts[symbol])


def _is_long(piece: Piece) -> bool:
    return len(piece.conditions) > MAX_CONDITIONS


def _consecutive(bands: list[_Band]) -> Iterator[tuple[_Band, _Band]]:
    """Each band with the next one that begins behind all before it."""
    reached: _Band | None = None
    for band in bands:
        if reached is not None:
            yield reached, band
        if reached is None or _end(band.interval) >= _end(reached.interval):
            reached = band


def _between(one: Interval, other: Interval, symbol: Symbol) -> Fraction | None:
    """A value above the one and below the other; None if nothing lies between."""
    if one.high is None or other.low is None:
        return None
    if symbol.sort == INT:
        return one.high + 1 if one.high + 1 < other.low else None
    if one.high < other.low:
        return (one.high + other.low) / 2
    return one.high if one.high == other.low and not (one.high_in or other.low_in) else None


def _open_case(scan: Scan, outcome: str, band: _Band, at: Fraction) -> dict[str, Value] | None:
    """A case at the value in which two values of the outcome are possible."""
    variable = scan.model.variable_by_id[band.number.id]
    decided = scan.model.variable_by_id[outcome]
    component = scan.component(band.piece.number)
    terms = [equation(variable, as_number(variable, at)), *band.rest]
    first = component.ask(terms)
    if first.status is Status.UNKNOWN:
        scan.unknown()
    if first.case is None:
        return None
    facts = {
        v.id: first.case[v.id]
        for v in scan.variables
        if v.role is Role.FACT and v.id in first.case and v.id in _near(scan, outcome)
    }
    fixed = [equation(scan.model.variable_by_id[uid], value) for uid, value in facts.items()]
    other = not_(equation(decided, first.case[outcome]))
    second = component.ask([*fixed, other])
    if second.status is Status.UNKNOWN:
        scan.unknown()
    return facts if second.status is Status.SAT else None


def _near(scan: Scan, outcome: str) -> set[str]:
    """The variables that rules about an outcome read."""
    rules = scan.prepared.rules_of[outcome]
    return {uid for number in rules for uid in scan.prepared.rule_symbols[number]}


def _gap(scan: Scan, one: _Band, other: _Band, at: Fraction, facts: dict[str, Value]) -> Diagnostic:
    model = scan.model
    variable = model.variable_by_id[one.number.id]
    decided = model.variable_by_id[one.piece.decides or ""]
    low, high = one.interval.high, other.interval.low
    assert low is not None
    assert high is not None
    ids = scan.ids({one.piece.number, other.piece.number})
    where = (
        f"is exactly {_shown(model, variable, low)}"
        if low == high
        else f"lies between {_shown(model, variable, low)} and {_shown(model, variable, high)}"
    )
    message = (
        f"No rule says {noun_of(model, decided)} where {noun_of(model, variable)} {where}: "
        f"{rules_said(model, ids)}. For example, {case_said(model, {variable.id: at})}."
    )
    return Diagnostic(
        GAP, Severity.WARNING, message, ids, about=(decided.id, variable.id), witness=facts
    )


def _order(interval: Interval) -> tuple[bool, Fraction, bool]:
    low = interval.low
    return low is not None, low if low is not None else Fraction(0), not interval.low_in


def _end(interval: Interval) -> tuple[bool, Fraction, bool]:
    high = interval.high
    return high is None, high if high is not None else Fraction(0), interval.high_in


def _shown(model: PolicyModel, variable: Variable, at: Fraction) -> str:
    return render_value(model, variable, as_number(variable, at))
