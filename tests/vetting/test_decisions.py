"""Approve, reject, withdraw: bound to what was shown, with their audit rows."""

from __future__ import annotations

import pytest

from policies.append_only import AppendOnlyError
from policies.audit import first_broken_link
from policies.models import AuditRow, Policy, Rule, Variable
from tests.approving import approve
from tests.vetting.conftest import COST, COST_RULE, Draft, draft_rule
from vetting.decisions import reject, withdraw
from vetting.edits import edit_rule
from vetting.models import Decision, Verdict
from vetting.refusals import MovedError, RefusedError
from vetting.review import ReviewState
from vetting.sentences import SentenceState

pytestmark = pytest.mark.django_db


def actions(draft: Draft) -> list[str]:
    return list(
        AuditRow.objects.filter(policy=draft.policy)
        .order_by("sequence")
        .values_list("action", flat=True)
    )


def test_fr_55_approving_twice_gives_one_decision_and_one_audit_row(draft: Draft) -> None:
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    first = approve(draft.policy, draft.bob, rule, shown_hash=shown)
    second = approve(draft.policy, draft.bob, rule, shown_hash=shown)
    assert first.pk == second.pk
    assert actions(draft).count("approve-rule") == 1
    assert first_broken_link(draft.policy) is None


def test_two_people_may_both_approve(draft: Draft) -> None:
    draft.approve("cost", draft.bob)
    draft.approve("cost", draft.alice)
    assert Decision.objects.filter(verdict=Verdict.APPROVE).count() == 2


def test_an_approval_withdrawn_can_be_given_again(draft: Draft) -> None:
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    draft.approve("cost")
    withdraw(draft.policy, draft.bob, rule, shown_hash=shown)
    withdraw(draft.policy, draft.bob, rule, shown_hash=shown)
    draft.approve("cost")
    verdicts = list(Decision.objects.order_by("pk").values_list("verdict", flat=True))
    assert verdicts == ["approve", "withdraw", "approve"]
    assert draft.review("cost").state is ReviewState.APPROVED


def test_nothing_to_withdraw_is_said(draft: Draft) -> None:
    with pytest.raises(RefusedError, match="nothing to undo"):
        withdraw(draft.policy, draft.bob, draft.rule("cost"), shown_hash=draft.review("cost").hash)


def test_fr_46_approving_another_text_than_the_one_shown_is_refused_with_the_present_one(
    draft: Draft,
) -> None:
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    edited = COST_RULE.replace("1000.0", "1500.0")
    edit_rule(draft.policy, draft.alice, rule, smtlib=edited, shown_hash=shown)
    with pytest.raises(MovedError) as refusal:
        approve(draft.policy, draft.bob, rule, shown_hash=shown)
    assert "EUR 1,500" in refusal.value.present
    assert refusal.value.present_hash == draft.review("cost").hash
    assert not Decision.objects.exists()
    approve(draft.policy, draft.bob, rule, shown_hash=refusal.value.present_hash)


def test_a_rule_with_an_open_question_cannot_be_approved(draft: Draft) -> None:
    with pytest.raises(RefusedError, match="open question"):
        draft.approve("service")
    draft.answer_all()
    draft.approve("service")
    assert draft.review("service").state is ReviewState.APPROVED


def test_a_broken_rule_cannot_be_approved_but_rejected(draft: Draft) -> None:
    Variable.objects.filter(policy=draft.policy, name="costEur").update(sort="Int")
    rule = draft.rule("cost")
    with pytest.raises(RefusedError, match="Edit it first"):
        approve(draft.policy, draft.bob, rule, shown_hash="")
    decision = reject(draft.policy, draft.bob, rule, reason="wrong sort", shown_hash="")
    assert decision.content_hash == ""
    assert not Rule.objects.filter(name="cost", retired_at=None).exists()


def test_a_rejection_needs_a_reason_retires_the_rule_and_opens_its_sentence(draft: Draft) -> None:
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    with pytest.raises(RefusedError, match="reason"):
        reject(draft.policy, draft.bob, rule, reason="  ", shown_hash=shown)
    assert draft.sentence(COST).state is SentenceState.WAITING
    reject(draft.policy, draft.bob, rule, reason="the amount is wrong", shown_hash=shown)
    review = draft.sentence(COST)
    assert (review.state, review.rules) == (SentenceState.UNTOUCHED, ())
    assert review.reason == "its rule was rejected: the amount is wrong"
    assert {"reject-rule", "retire-rule"} <= set(actions(draft))


def test_fr_55_rejecting_twice_gives_one_decision(draft: Draft) -> None:
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    first = reject(draft.policy, draft.bob, rule, reason="wrong", shown_hash=shown)
    second = reject(draft.policy, draft.bob, rule, reason="wrong", shown_hash=shown)
    assert first.pk == second.pk
    with pytest.raises(RefusedError, match="no longer in the draft"):
        reject(draft.policy, draft.alice, rule, reason="wrong", shown_hash=shown)


def test_a_rejected_rules_name_is_free_again_and_its_decisions_stay(draft: Draft) -> None:
    draft.approve("cost")
    rule = draft.rule("cost")
    shown = draft.review("cost").hash
    reject(draft.policy, draft.bob, rule, reason="wrong", shown_hash=shown)
    draft_rule(draft, "cost", COST_RULE, COST)
    assert draft.review("cost").state is ReviewState.WAITING
    assert rule.decisions.count() == 2


def test_fr_50_a_rule_is_decided_on_through_its_own_policy_only(draft: Draft) -> None:
    other = Policy.objects.create(slug="other", name="Other", created_by=draft.alice)
    for shown in ("", draft.review("cost").hash):
        with pytest.raises(RefusedError, match="no longer in the draft"):
            approve(other, draft.alice, draft.rule("cost"), shown_hash=shown)
    assert not Decision.objects.exists()


def test_deciding_leaves_other_peoples_open_forms_usable(draft: Draft) -> None:
    before = draft.revision()
    draft.approve("cost")
    assert draft.revision() == before


def test_a_decision_is_never_changed(draft: Draft) -> None:
    draft.approve("cost")
    decision = Decision.objects.get()
    decision.verdict = Verdict.REJECT
    with pytest.raises(AppendOnlyError):
        decision.save()
