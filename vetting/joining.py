"""Rules that say the same become one with all their sources, and come apart again.

The rule that stays is the one with a question, since a question must not be lost,
else the first. The other is retired and noted in a merge row; its sources go along.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone

from policies.audit import record
from policies.composing import compose
from policies.editing import Edit, editing
from policies.models import Merge, Policy, Rule, RuleSource, User
from policies.retiring import restore_rule, retire_rule
from policywright.model import Kind, PolicyModel
from policywright.model import Rule as ModelRule
from policywright.smtlib import print_model, print_term
from policywright.solving import SolverProcess
from policywright.terms import TRUE, eq
from translation.merging.duplicates import duplicates, meaning
from vetting.edits import copy_sources
from vetting.refusals import RefusedError

SOLVER_DEADLINE_S = 5.0


def join_duplicates(edit: Edit, because: Merge) -> list[Merge]:
    """Join all rules that say the same now, inside an `editing` block.

    Two of which each has a question that the other has not stay two.
    """
    pairs = list(to_join(compose(edit.policy).model))
    return [_join(edit, drop, keep, {"because": because.pk}) for drop, keep in pairs]


def to_join(model: PolicyModel) -> Iterator[tuple[Rule, Rule]]:
    """Each rule that another one says, too, with that one."""
    for group in duplicates(model.rules):
        rows = {row.uid: row for row in Rule.objects.filter(uid__in=[rule.id for rule in group])}
        ordered = [rows[rule.id] for rule in group]
        keep = next((row for row in ordered if row.questions.exists()), ordered[0])
        for row in ordered:
            if row is not keep and _questions(row) <= _questions(keep):
                yield row, keep


def join_rules(policy: Policy, user: User, *, drop: Rule, keep: Rule, shown_revision: int) -> Merge:
    """Join two rules by hand; they must say the same, by their normal form or by the solver.

    Raises RefusedError for rules that differ, DraftMovedError if the draft moved.
    """
    same = Merge.objects.filter(policy=policy, from_uid=drop.uid, undone_at=None).first()
    if same is not None and same.into_uid == keep.uid:
        return same
    # The solver is asked before the lock is taken; the revision says that nothing moved since.
    check_equivalent(compose(policy).model, drop, keep)
    return join_checked(policy, user, drop=drop, keep=keep, shown_revision=shown_revision)


def join_checked(
    policy: Policy, user: User, *, drop: Rule, keep: Rule, shown_revision: int
) -> Merge:
    """As `join_rules`, of two that are known to say the same at that revision."""
    cause = f"`{drop.name}` joined with `{keep.name}`"
    with editing(policy, user, cause=cause, expected_revision=shown_revision) as edit:
        if not _questions(drop) <= _questions(keep):
            raise RefusedError(
                f"`{drop.name}` has a question that `{keep.name}` has not; answer it first, "
                "or keep the other rule."
            )
        return _join(edit, drop, keep, {})


def check_equivalent(model: PolicyModel, one: Rule, other: Rule) -> None:
    """RefusedError unless two rules of the draft say the same, whatever the other rules say."""
    first, second = model.rule_by_id.get(one.uid), model.rule_by_id.get(other.uid)
    if first is None or second is None or one.uid == other.uid:
        raise RefusedError("choose two rules of the draft that fit their declarations.")
    if first.kind is not second.kind or first.kind is Kind.DEFAULT:
        raise RefusedError("only two rules of one kind can be joined, and no defaults.")
    if meaning(first.term, first.kind) == meaning(second.term, second.kind):
        return
    # A policy holds a rule; this one says nothing.
    declared = print_model(model.with_rules((ModelRule("nothing", "nothing", TRUE),)))
    claim = print_term(model, eq(first.term, second.term))
    with SolverProcess(deadline_s=SOLVER_DEADLINE_S) as solver:
        finding = solver.check("declared", declared, facts="", claim=claim)["finding"]
    if finding == "UNDECIDED":
        raise RefusedError("whether the two rules say the same could not be decided in time.")
    if finding != "VALID":
        raise RefusedError(
            f"`{one.name}` and `{other.name}` do not say the same; edit one of them first."
        )


def take_apart(edit: Edit, merge: Merge) -> None:
    """Bring back the rules that were joined because of a merge, or by it."""
    joins = Merge.objects.filter(policy=edit.policy, undone_at=None)
    own = [one for one in joins if one.evidence.get("because") == merge.pk]
    if merge.evidence.get("kind") == "rule":
        own.append(merge)
    for join in own:
        _bring_back(edit, join)
        if join.pk != merge.pk:
            mark_undone(edit, join)


def mark_undone(edit: Edit, merge: Merge) -> None:
    merge.undone_by, merge.undone_at = edit.actor, timezone.now()
    merge.save(update_fields=["undone_by", "undone_at"])
    record(edit.policy, edit.actor, "undo-merge", f"merge:{merge.pk}")


def _join(edit: Edit, drop: Rule, keep: Rule, evidence: dict[str, int]) -> Merge:
    present = {source.lineage for source in keep.sources.all()}
    added = [source for source in drop.sources.all() if source.lineage not in present]
    copy_sources(added, keep)
    retire_rule(edit, drop)
    merge = Merge.objects.create(
        policy=edit.policy,
        from_uid=drop.uid,
        into_uid=keep.uid,
        evidence={
            **evidence,
            "kind": "rule",
            "from": {"name": drop.name},
            "into": {"name": keep.name},
            "sources": [source.lineage for source in added],
        },
        by=edit.actor,
    )
    record(edit.policy, edit.actor, "merge", f"merge:{merge.pk}")
    return merge


def _bring_back(edit: Edit, join: Merge) -> None:
    """The retired rule lives again, and the sources that came with it leave the other."""
    rule = Rule.objects.get(policy=edit.policy, uid=join.from_uid)
    restore_rule(edit, rule)
    RuleSource.objects.filter(
        rule__policy=edit.policy,
        rule__uid=join.into_uid,
        lineage__in=join.evidence.get("sources", []),
    ).delete()


def _questions(rule: Rule) -> set[str]:
    return set(rule.questions.values_list("text", flat=True))
