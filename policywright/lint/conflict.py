"""Cases with which the rules cannot all hold, though no rule contradicts another by itself.

Candidates are pairs of pieces that decide one variable in ways that exclude each other,
where their conditions may meet. The other rules are held meanwhile, so conditions on
derived variables are met through chains of rules. A case, a value for every fact that the
assumptions admit, is confirmed by asking for the rules with exactly those facts; then the
rules and facts that clash are made minimal and asked again alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from policywright.evaluate import Value
from policywright.findings.minimal import NotDecidedError
from policywright.lint.boxes import never_meet
from policywright.lint.chains import Chains
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind, limited
from policywright.lint.pieces import Piece, Way, clash_of
from policywright.lint.regions import Proposal, Region, Regions
from policywright.lint.saying import case_said, place_of, rules_said
from policywright.lint.scan import Scan
from policywright.model import Kind
from policywright.terms import FALSE, TRUE, Term

CODE = "conflict"
MAX_PAIRS = 600
"""Pairs asked about for one variable; those whose conditions plainly never meet not counted."""

MAX_FOUND = 40
"""Conflicts told about one variable."""


def conflicts(scan: Scan) -> Iterator[Diagnostic]:
    """Two rules that exclude each other where both apply."""
    regions = Regions(scan)
    by_variable = pieces_by_variable(scan)
    chains = Chains(by_variable, scan.decided)
    told: set[frozenset[int]] = set()
    pairs, looked, cut = 0, 0, 0
    for uid, pieces in by_variable.items():
        found = 0
        asked = 0
        for one, other, clash in _excluding(pieces):
            pairs += 1
            if never_meet((*one.conditions, *other.conditions, clash)):
                continue
            if frozenset((one.number, other.number)) in told:
                continue
            if asked >= MAX_PAIRS or found >= MAX_FOUND:
                cut += 1
                break
            support = chains.support((*one.conditions, *other.conditions))
            if support == FALSE:
                continue
            asked += 1
            try:
                region = regions.of(uid)
                if region.is_cut:
                    region = regions.behind((one, other), chains)
                diagnostic = _ask(scan, region, one, other, (clash, support))
            except NotDecidedError:
                scan.unknown()
                continue
            if diagnostic is not None and scan.clashes[-1] not in told:
                told.add(scan.clashes[-1])
                found += 1
                yield diagnostic
        looked += asked
    tally = scan.tally
    tally.conflicts, tally.pairs, tally.looked, tally.cut = len(told), pairs, looked, cut


def pieces_by_variable(scan: Scan) -> dict[str, list[Piece]]:
    """Of each variable that is no fact the pieces that decide it, in document order."""
    found: dict[str, list[Piece]] = {}
    for component in scan.sound():
        for number in component.rules:
            if number in scan.limits_facts:
                continue
            for piece in scan.pieces(number):
                if piece.decides is not None:
                    found.setdefault(piece.decides, []).append(piece)
    return found


def _excluding(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, Piece, Term]]:
    """Pairs whose consequences exclude each other, and when they do."""
    for one, other in combinations(pieces, 2):
        clash = None if one.way is other.way is Way.NOT else clash_of(one, other)
        if clash is not None:
            yield one, other, clash


def _ask(
    scan: Scan, region: Region, one: Piece, other: Piece, more: tuple[Term, Term]
) -> Diagnostic | None:
    deciders = {n for n in region.rules for p in scan.pieces(n) if p.decides == one.decides}
    needed = tuple(n for n in region.rules if n not in deciders or n in scan.limits_facts)
    terms = tuple(t for t in (*one.conditions, *other.conditions, *more) if t != TRUE)
    pair = tuple(sorted({*needed, one.number, other.number}))
    proposal = Proposal(needed, terms, pair)
    found = region.find(proposal)
    if found is None or frozenset(found.rules) <= scan.limits_facts:
        return None
    if not _is_admitted(scan, region, found.facts):
        return None
    least = region.plain(found, proposal)
    scan.clashes.append(frozenset(found.rules))
    case = region.whole_case(least, proposal)
    return _diagnostic(scan, one, other, found.rules, least, case)


def _is_admitted(scan: Scan, region: Region, facts: dict[str, Value]) -> bool:
    """Whether the assumptions and what limits the facts allow the case."""
    assumed = {n for n in region.rules if scan.model.rules[n].kind is Kind.ASSUMPTION}
    held = sorted(assumed | (scan.limits_facts & set(region.rules)))
    if assumed <= scan.limits_facts:
        return True  # They were held when the case was proposed.
    with region.session.question(region.equations(facts)) as fixed:
        return region.can_hold([*held, *fixed])


def _diagnostic(
    scan: Scan,
    one: Piece,
    other: Piece,
    rules: tuple[int, ...],
    least: dict[str, Value],
    case: dict[str, Value],
) -> Diagnostic:
    model = scan.model
    ids = scan.ids(rules)
    where = f"where {case_said(model, least)}" if least else "whatever the facts are"
    message = f"These rules cannot all hold {where}: {rules_said(model, ids)}."
    if len(rules) == 1:
        message = f"This rule cannot hold {where}: {rules_said(model, ids)}."
    return Diagnostic(
        CODE,
        Severity.ERROR,
        message,
        ids,
        core=ids,
        witness=case,
        fixes=tuple(_fixes(scan, one, other)) if {one.number, other.number} <= set(rules) else (),
    )


def _fixes(scan: Scan, one: Piece, other: Piece) -> Iterator[Fix]:
    """Either rule as the exception of the other, the likelier one first; then a further fact."""
    ways = [(one, other), (other, one)]
    ways.sort(key=lambda way: (_outranks(scan, way[1], way[0]), _is_within(*way)), reverse=True)
    for general, exception in ways:
        fix = _exception(scan, general, exception)
        if fix is not None:
            yield fix
    yield Fix(
        FixKind.NEW_FACT,
        "add a fact that tells the two apart to the condition of one of them",
        needs="the fact, and to which of the rules it belongs",
    )


def _exception(scan: Scan, general: Piece, exception: Piece) -> Fix | None:
    """The general rule where the exception does not apply; None if nothing would be left."""
    rule, limiting = scan.model.rules[general.number], scan.model.rules[exception.number]
    parts = [part for part in exception.conditions if part not in general.conditions]
    if not parts or rule.kind is Kind.DEFAULT or rule is limiting:
        return None
    label = f"{place_of(limiting)} limits {place_of(rule)}"
    if place_of(limiting) == place_of(rule):
        label = f"`{limiting.name}` limits `{rule.name}`"
    if _outranks(scan, exception, general) > 0:
        label = f"the higher document prevails: {label}"
    return Fix(FixKind.EXCEPTION, label, rules=(limited(rule, parts),))


def _is_within(general: Piece, exception: Piece) -> bool:
    """Whether the exception asks for all that the general rule does, and for more."""
    return set(general.conditions) < set(exception.conditions)


def _outranks(scan: Scan, one: Piece, other: Piece) -> int:
    """1 if the first comes from a higher document, -1 if the second does, else 0."""
    ranks = [_rank(scan, piece) for piece in (one, other)]
    if None in ranks or ranks[0] == ranks[1]:
        return 0
    return 1 if ranks[0] < ranks[1] else -1  # type: ignore[operator]


def _rank(scan: Scan, piece: Piece) -> int | None:
    sources = scan.model.rules[piece.number].sources
    return scan.around.ranks.get(sources[0].document) if sources else None
