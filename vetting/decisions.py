"""Decisions of people on rules: approve, reject, withdraw.

Each is bound to the content that the person saw, and kept with the English as it
was displayed. Deciding the same twice (a double click) gives the same one row.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from policies.audit import record
from policies.composing import Composition, declared_with_scopes
from policies.composing_part import compose_alone
from policies.declared_now import declared_now
from policies.editing import editing
from policies.models import Policy, Rule, User
from policies.retiring import retire_rule
from policywright.english import render_rule
from vetting.approvers import check_second_person, check_stands_for
from vetting.hidden import unread_of_rule
from vetting.lock import locked
from vetting.models import Decision, Verdict
from vetting.opened import has_opened
from vetting.questions import open_questions, rules_asked_with
from vetting.refusals import MovedError, RefusedError
from vetting.review import approvals_that_count, approver, decision_that_counts
from vetting.texts import check_text


def approve(
    policy: Policy,
    user: User,
    rule: Rule,
    *,
    shown_hash: str,
    on_behalf_of: User | None = None,
) -> Decision:
    """Say yes to the rule's present content, which must be the one shown.

    `on_behalf_of` is somebody whom a section of the rule names, and in whose place the
    person may approve today.

    Raises MovedError with the present English if it is not, or if the person never
    opened this content, and RefusedError for a broken rule, one with an open question,
    one of a sentence with hidden characters that nobody confirmed, one that is not in
    the draft, and where the person alone changed it last and the policy asks for another.
    """
    with locked(policy) as row:
        rule = _live(row, rule)
        composition = _alone(row, rule, rules_asked_with(row, rule.uid))
        if rule.uid in composition.broken:
            raise RefusedError(
                f"this rule cannot be approved: {composition.broken[rule.uid]}. Edit it first."
            )
        _check_shown(rule, composition, shown_hash)
        _check_opened(user, rule, composition)
        if open_questions(row, composition, [rule.uid]):
            raise RefusedError("this rule has an open question; answer it, then approve the rule.")
        if unread_of_rule(row, rule):
            raise RefusedError(
                "a sentence of this rule holds characters that nobody sees; read what they are, "
                "and say that it reads as it should, or upload a revision without them."
            )
        counts = approvals_that_count(rule.decisions.all(), composition.hashes[rule.uid])
        check_second_person(row, user, rule, [approver(one) for one in counts])
        check_stands_for(row, user, rule, on_behalf_of)
        return _decide(row, user, rule, Verdict.APPROVE, composition, on_behalf_of=on_behalf_of)


def withdraw(policy: Policy, user: User, rule: Rule, *, shown_hash: str) -> Decision:
    """Take back the approval of the present content; the rule waits again."""
    with locked(policy) as row:
        rule = _live(row, rule)
        composition = _alone(row, rule)
        _check_shown(rule, composition, shown_hash)
        present = composition.hashes.get(rule.uid, "")
        counts = decision_that_counts(rule.decisions.all(), present)
        undone = counts is not None and counts.verdict != Verdict.APPROVE
        if counts is None or (undone and counts.by_id != user.pk):
            raise RefusedError("this rule is not approved as it stands; there is nothing to undo.")
        return _decide(row, user, rule, Verdict.WITHDRAW, composition)


def reject(policy: Policy, user: User, rule: Rule, *, reason: str, shown_hash: str) -> Decision:
    """Say no, with a reason; the rule leaves the draft and its sentences are open again.

    A broken rule can be rejected too: its `shown_hash` is empty.
    """
    reason = check_text(reason, "the reason", required=True)
    with locked(policy) as row:
        again = _rejected_already(user, rule)
        if again is not None:
            return again
        rule = _live(row, rule)
        composition = _alone(row, rule)
        _check_shown(rule, composition, shown_hash)
        decision = _decide(row, user, rule, Verdict.REJECT, composition, reason)
        with editing(row, user, cause="rejected") as edit:
            retire_rule(edit, rule)
    policy.revision = row.revision
    return decision


def english_of(rule: Rule, composition: Composition) -> str:
    """The rule as it is displayed; for a broken rule, what is wrong with it."""
    present = composition.model.rule_by_id.get(rule.uid)
    if present is None:
        return f"This rule does not fit its declarations: {composition.broken.get(rule.uid, '')}"
    return render_rule(composition.model, present)


def _decide(
    policy: Policy,
    user: User,
    rule: Rule,
    verdict: Verdict,
    composition: Composition,
    reason: str = "",
    on_behalf_of: User | None = None,
) -> Decision:
    present = composition.hashes.get(rule.uid, "")
    mine = [one for one in rule.decisions.all() if one.by_id == user.pk]
    last, counts = (decision_that_counts(found, present) for found in (mine, rule.decisions.all()))
    other = on_behalf_of.pk if on_behalf_of else None
    is_said = last is not None and counts is not None and last.verdict == counts.verdict == verdict
    if last is not None and is_said and (other is None or last.on_behalf_of_id == other):
        return last
    content: dict[str, Any] = {"broken": composition.broken.get(rule.uid, "")}
    decision = Decision.objects.create(
        policy=policy,
        rule=rule,
        verdict=verdict,
        content_hash=present,
        content=composition.contents.get(rule.uid, content),
        english=english_of(rule, composition),
        reason=reason,
        by=user,
        on_behalf_of=on_behalf_of,
    )
    record(policy, user, f"{verdict.value}-rule", f"rule:{rule.uid}", new_hash=present)
    return decision


def _alone(policy: Policy, rule: Rule, uids: Collection[str] = ()) -> Composition:
    """The rule as it is in the draft, made again of its parts, and no more of the draft than that.

    The row of the policy is locked, and what a revision of a draft declares never changes.
    """
    known = declared_now(policy, policy.revision)
    declared = declared_with_scopes(policy, known.base, known.merged)
    return compose_alone(policy, {rule.uid, *uids}, declared)


def _live(policy: Policy, rule: Rule) -> Rule:
    present = Rule.objects.filter(policy=policy, pk=rule.pk, retired_at=None).first()
    if present is None:
        raise RefusedError("this rule is no longer in the draft; someone rejected or replaced it.")
    return present


def _rejected_already(user: User, rule: Rule) -> Decision | None:
    last = rule.decisions.order_by("-pk").first()
    retired = Rule.objects.filter(pk=rule.pk).exclude(retired_at=None).exists()
    if retired and last is not None and last.verdict == Verdict.REJECT and last.by_id == user.pk:
        return last
    return None


def _check_shown(rule: Rule, composition: Composition, shown_hash: str) -> None:
    present = composition.hashes.get(rule.uid, "")
    if shown_hash != present:
        raise MovedError(
            "this rule changed after you opened the page; read it as it is now, then decide.",
            present=english_of(rule, composition),
            present_hash=present,
        )


def _check_opened(user: User, rule: Rule, composition: Composition) -> None:
    present = composition.hashes[rule.uid]
    if not has_opened(user, rule, present):
        raise MovedError(
            "you have not opened this rule as it stands; read it, then approve it.",
            present=english_of(rule, composition),
            present_hash=present,
        )
