"""Variables that are defined by each other in a circle, so that nothing defines them."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.pieces import Piece, Way
from policywright.lint.saying import joined, noun_of, rules_said
from policywright.lint.scan import Scan
from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Apply, Op, symbols

CODE = "circular"


def circular_definitions(scan: Scan) -> Iterator[Diagnostic]:
    """What a circle says holds of many values, and of none for a reason."""
    rules: dict[tuple[str, str], set[int]] = {}
    uses: dict[str, set[str]] = {}
    for number in scan.numbers:
        for variable_id, read in _defined(scan, number):
            for uid in read:
                uses.setdefault(variable_id, set()).add(uid)
                rules.setdefault((variable_id, uid), set()).add(number)
    order = {v.id: place for place, v in enumerate(scan.model.variables)}
    told: set[str] = set()
    for start in sorted(uses, key=order.__getitem__):
        circle = None if start in told else _circle(start, uses)
        if circle is None:
            continue
        told |= set(circle)
        used = {n for a, b in zip(circle, (*circle[1:], circle[0]), strict=True)
                for n in rules[a, b]}  # fmt: skip
        ids = scan.ids(used)
        nouns = [noun_of(scan.model, scan.model.variable_by_id[uid]) for uid in circle]
        message = (
            f"{joined(nouns).capitalize()} {'is' if len(circle) == 1 else 'are'} defined in a "
            f"circle: {rules_said(scan.model, ids)}. Say what one of them is without the others."
        )
        yield Diagnostic(CODE, Severity.WARNING, message, ids, about=circle)


def _defined(scan: Scan, number: int) -> Iterator[tuple[str, set[str]]]:
    """What a rule defines outright, and by which variables that the policy decides."""
    term = normal_form(scan.prepared.rule_terms[number])
    conditions = isinstance(term, Apply) and term.op is Op.EQ and term.args[0].sort == BOOL
    for piece in scan.pieces(number):
        read = _read(piece) if conditions or piece.way is Way.VALUE else set()
        if piece.decides is not None and (conditions or not piece.conditions) and read:
            yield piece.decides, {uid for uid in read if uid in scan.decided}


def _read(piece: Piece) -> set[str]:
    terms = [*piece.conditions, *((piece.value,) if piece.value is not None else ())]
    return {symbol.id for term in terms for symbol in symbols(term)}


def _circle(start: str, uses: dict[str, set[str]]) -> tuple[str, ...] | None:
    """The shortest way from a variable back to it."""
    came: dict[str, str] = {}
    level = [start]
    while level:
        following = []
        for uid in level:
            for used in sorted(uses.get(uid, ())):
                if used == start:
                    way = [uid]
                    while way[-1] != start:
                        way.append(came[way[-1]])
                    return tuple(reversed(way))
                if used not in came:
                    came[used] = uid
                    following.append(used)
        level = following
    return None
