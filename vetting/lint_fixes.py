"""A fix of lint as a change of the draft: shown with what comes of it, taken by a person.

Lint never applies one. Taken, it is an edit like one by hand, whose author is the person;
where a rule that it speaks of moved since it was checked, it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from policies.composing import Composition, compose
from policies.editing import Edit, editing
from policies.models import Policy, Rule, User, Variable
from policies.retiring import retire_rule
from policies.scoping import scoped
from policywright.defaults import generate_default
from policywright.english import render_sentence
from policywright.errors import DefaultNotPossibleError, SortError
from policywright.lint import Diagnostic, silence_hash
from policywright.model import DefaultChoice, PolicyModel
from policywright.model import Rule as ModelRule
from policywright.modeljson import rule_from_json
from policywright.normal import normal_form
from policywright.smtlib import print_term
from policywright.termjson import term_to_json
from policywright.terms import TRUE, Apply, Op, Term, and_, implies
from vetting.assumptions import set_default
from vetting.consequences import Consequences, consequences_of_default, consequences_of_edits
from vetting.edges import ComparedCase, case_compared
from vetting.edits import create_rule, editable, free_name, own_english
from vetting.feedback import Said, words_marked
from vetting.lint import Found
from vetting.questions import case_values
from vetting.refusals import MovedError, RefusedError


@dataclass(frozen=True)
class FixPlan:
    """What a fix changes: conditions of rules, rules that leave, rules that come, a default.

    Each condition is without the scopes of the rule's sections, as its row keeps it.
    """

    label: str
    edits: tuple[tuple[Rule, Term], ...] = ()
    removed: tuple[Rule, ...] = ()
    added: tuple[ModelRule, ...] = ()
    default: tuple[str, DefaultChoice] | None = None


@dataclass(frozen=True)
class PartShown:
    """One rule before and after; `rule` is None for one that is new, `after` empty if it leaves."""

    rule: Rule | None
    name: str
    before: tuple[Said, ...]
    after: tuple[Said, ...]
    smtlib: str
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FixShown:
    label: str
    parts: tuple[PartShown, ...]
    consequences: Consequences


def is_taken_here(fix: Mapping[str, Any]) -> bool:
    """Whether the fix changes rules alone; others ask a person for more, on pages of their own."""
    return not (fix["needs"] or fix["datatypes"] or fix["variables"])


def plan_fix(policy: Policy, composition: Composition, found: Found, number: int) -> FixPlan:
    """The fix on the draft as it is composed.

    Raises MovedError if a rule that was found wrong is another now, RefusedError for a fix
    that there is not, or that does not fit.
    """
    if not 0 <= number < len(found.fixes) or not is_taken_here(found.fixes[number]):
        raise RefusedError("choose one of the changes that are offered.")
    fix, model = found.fixes[number], composition.model
    _check_present(policy, composition, found)
    sorts = {symbol.id: symbol.sort for symbol in model.symbols}
    try:
        rules = [rule_from_json(one, sorts) for one in fix["rules"]]
    except SortError as error:
        raise RefusedError(f"this change does not fit any more: {error}.") from error
    rows = {row.uid: row for row in Rule.objects.filter(policy=policy, retired_at=None)}
    edits = [
        (editable(policy, rows[rule.id]), without_scopes(composition, rule.id, rule.term))
        for rule in rules
        if rule.id in rows
    ]
    default = fix["default"]
    return FixPlan(
        fix["label"],
        tuple(edits),
        tuple(rows[uid] for uid in fix["removed"] if uid in rows),
        tuple(rule for rule in rules if rule.id not in rows),
        None if default is None else (default[0], DefaultChoice(default[1])),
    )


def show_fix(policy: Policy, composition: Composition, found: Found, plan: FixPlan) -> FixShown:
    """Each rule in English before and after, the cases that change, the approvals that fall.

    The case that was found comes first, with what all its rules say of it together.
    """
    if plan.default is not None:
        comes = consequences_of_default(policy, composition, *plan.default)
    else:
        edits = [*plan.edits, *((row, TRUE) for row in plan.removed)]
        gone = {row.uid for row in plan.removed}
        comes = consequences_of_edits(policy, composition, edits, also=plan.added, gone=gone)
    own = _own_case(composition, found, plan) if plan.edits or plan.removed else None
    rest = [one for one in comes.cases if own is None or one.english != own.english]
    cases = (*([own] if own else []), *rest)
    return FixShown(plan.label, tuple(_parts(composition, plan)), replace(comes, cases=cases))


def take_fix(policy: Policy, user: User, found: Found, number: int) -> list[Rule]:
    """Change the draft as the fix says, all of it or nothing, as an edit of this person."""
    with editing(policy, user, cause=_cause(found, number)) as edit:
        plan = plan_fix(edit.policy, compose(edit.policy), found, number)
        edit.unchanged = plan.default is not None
        taken = list(_taken(edit, user, plan))
    if plan.default is None:
        return taken
    outcome = Variable.objects.filter(policy=policy, uid=plan.default[0]).first()
    if outcome is None:
        raise RefusedError("the outcome of this default is no longer declared.")
    return [set_default(policy, user, outcome, plan.default[1])]


def _cause(found: Found, number: int) -> str:
    fixes = found.fixes
    label = fixes[number]["label"] if 0 <= number < len(fixes) else ""
    return f"took over from lint ({found.code}): {label}"[:200]


def _taken(edit: Edit, user: User, plan: FixPlan) -> Iterator[Rule]:
    for row, term in plan.edits:
        row.term, row.author = term_to_json(term), user
        row.save(update_fields=["term", "author"])
        yield row
    for row in plan.removed:
        retire_rule(edit, row)
        yield row
    for rule in plan.added:
        name = free_name(edit.policy, _free(edit.policy, rule.name), rule.kind.value)
        yield create_rule(edit.policy, user, name, rule.kind, rule.term, ())


def _free(policy: Policy, name: str) -> str:
    """The name, or nothing, for the first free numbered one, where it is taken."""
    taken = Rule.objects.filter(policy=policy, retired_at=None, name=name).exists()
    return "" if taken else name


def _check_present(policy: Policy, composition: Composition, found: Found) -> None:
    """MovedError unless every rule that the diagnostic speaks of is the one that was checked."""
    model = composition.model
    if all(uid in model.rule_by_id for uid in found.rules):
        asked = Diagnostic(found.code, found.severity, "", found.rules, found.about)
        if silence_hash(model, asked) == found.silence:
            return
    rows = Rule.objects.filter(policy=policy, retired_at=None, uid__in=found.rules)
    present = "\n".join(f"{row.name}: {own_english(row, composition)}" for row in rows)
    raise MovedError(
        "a rule that this speaks of was changed after it was checked; nothing was saved.",
        present=present,
        present_hash="",
    )


def _own_case(composition: Composition, found: Found, plan: FixPlan) -> ComparedCase | None:
    model = composition.model
    values = case_values(found.values, composition)
    after = {row.uid: scoped(term, composition.scopes_of(row.uid)) for row, term in plan.edits}
    after |= {row.uid: TRUE for row in plan.removed}
    rules = [model.rule_by_id[uid] for uid in dict.fromkeys((*found.rules, *after))]
    edits = [(rule, replace(rule, term=after.get(rule.id, rule.term))) for rule in rules]
    return case_compared(model, edits, values) if values else None


def without_scopes(composition: Composition, uid: str, changed: Term) -> Term:
    """A rule's condition without the scopes that are added whenever the draft is composed."""
    scopes = composition.scopes_of(uid)
    limits = [normal_form(one.term) for one in scopes if one.term is not None]
    term = normal_form(changed)
    if not limits or not (isinstance(term, Apply) and term.op is Op.IMPLIES):
        return changed
    condition, consequence = term.args
    said = {part for limit in limits for part in _conjuncts(limit)}
    rest = [part for part in _conjuncts(condition) if part not in said]
    own = implies(and_(*rest), consequence) if rest else consequence
    return own if normal_form(scoped(own, scopes)) == term else changed


def _conjuncts(term: Term) -> tuple[Term, ...]:
    return term.args if isinstance(term, Apply) and term.op is Op.AND else (term,)


def _parts(composition: Composition, plan: FixPlan) -> Iterator[PartShown]:
    model = composition.model
    for row, term in plan.edits:
        before, after = words_marked(own_english(row, composition), render_sentence(model, term))
        scopes = [one.term for one in composition.scopes_of(row.uid) if one.term is not None]
        said = tuple(render_sentence(model, one) for one in scopes)
        yield PartShown(row, row.name, before, after, print_term(model, term), said)
    for row in plan.removed:
        yield PartShown(row, row.name, (Said(own_english(row, composition), False),), (), "")
    for rule in plan.added:
        yield PartShown(None, rule.name, (), _said(model, rule.term), print_term(model, rule.term))
    if plan.default is not None:
        yield _default(model, *plan.default)


def _default(model: PolicyModel, outcome: str, choice: DefaultChoice) -> PartShown:
    try:
        made = generate_default(model, outcome, choice)
    except DefaultNotPossibleError as error:
        raise RefusedError(f"{error}.") from error
    name = f"the default of {model.name_of(outcome)}: {choice.value}"
    return PartShown(None, name, (), _said(model, made.term), print_term(model, made.term))


def _said(model: PolicyModel, term: Term) -> tuple[Said, ...]:
    return (Said(render_sentence(model, term), False),)
