"""Parts of a rule that could be left out: with the other rules it would say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from policywright.lint.component import Component
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.saying import rule_said, rules_said, term_said
from policywright.lint.scan import Scan
from policywright.lint.tally import MAX_PARTS
from policywright.model import Kind
from policywright.normal import normal_form
from policywright.terms import CONNECTIVES, Apply, Op, Term, and_, eq, not_, or_, subterms

CODE = "idle-part"
FEW_PARTS, MAX_WORK = 4, 60_000


@dataclass(frozen=True)
class _Part:
    """A part of `and` or `or`, and the rule's term without it."""

    part: Term
    left: Term


def idle_parts(scan: Scan) -> Iterator[Diagnostic]:
    """A condition or an alternative without which nothing would change."""
    cut = 0
    for component in scan.sound():
        for number in component.rules:
            rule = scan.model.rules[number]
            settled = number in scan.dead or number in scan.implied
            if settled or rule.kind is Kind.DEFAULT:
                continue
            term = normal_form(rule.term)
            size = sum(1 for _ in subterms(term))
            most = max(FEW_PARTS, min(MAX_PARTS, MAX_WORK // size))
            for count, part in enumerate(_parts(term)):
                if count >= most:
                    cut += 1
                    break
                found = _ask(scan, component, number, term, part)
                if found is not None:
                    yield found
    scan.tally.long_rules = cut


def _ask(
    scan: Scan, component: Component, number: int, term: Term, part: _Part
) -> Diagnostic | None:
    differ = [not_(eq(term, part.left))]
    core = component.excluding(differ, without=(number,))
    if core is None or scan.follows_from_a_clash({*core, number}):
        return None
    model, rule = scan.model, scan.model.rules[number]
    ids = scan.ids(core)
    because = f": {rules_said(model, ids)} settle it already" if ids else ""
    if len(ids) == 1:
        because = because.replace(" settle it", " settles it")
    message = (
        f"In {rule_said(model, rule)} the part that {term_said(model, part.part)} changes "
        f"nothing{because}."
    )
    shorter = replace(rule, term=part.left)
    fix = Fix(FixKind.PART_REMOVAL, "leave that part out", rules=(shorter,))
    return Diagnostic(CODE, Severity.WARNING, message, (rule.id,), core=ids, fixes=(fix,))


def _parts(term: Term) -> Iterator[_Part]:
    """Each part of each `and` and `or` outside of comparisons, outermost first."""
    if not isinstance(term, Apply) or not _joins(term):
        return
    if term.op in (Op.AND, Op.OR):
        join = and_ if term.op is Op.AND else or_
        for i, arg in enumerate(term.args):
            yield _Part(arg, join(*term.args[:i], *term.args[i + 1 :]))
    for i, arg in enumerate(term.args):
        for inner in _parts(arg):
            args = (*term.args[:i], inner.left, *term.args[i + 1 :])
            yield _Part(inner.part, Apply(term.op, args, term.sort))


def _joins(term: Apply) -> bool:
    return term.op in CONNECTIVES or (
        term.op in (Op.EQ, Op.ITE) and term.args[0].sort.key == "Bool"
    )
