"""Nobody approves what they did not open, in the content that it has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.composing import compose
from policies.models import Policy, Rule, User
from tests.vetting.conftest import SERVICE_LATER, Draft
from vetting.decisions import approve
from vetting.edits import edit_rule
from vetting.models import Decision, Opened
from vetting.opened import has_opened, note_opened, opened_by
from vetting.refusals import MovedError

pytestmark = pytest.mark.django_db


def test_what_nobody_opened_is_not_approved_and_is_shown(draft: Draft) -> None:
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    note_opened(draft.alice, rule, shown)
    with pytest.raises(MovedError, match="you have not opened this rule") as refusal:
        approve(draft.policy, draft.bob, rule, shown_hash=shown)
    assert "EUR 1,000" in refusal.value.present
    assert not Decision.objects.exists()
    note_opened(draft.bob, rule, shown)
    assert approve(draft.policy, draft.bob, rule, shown_hash=shown).by == draft.bob


def test_a_changed_rule_is_opened_anew(draft: Draft) -> None:
    rule, shown = draft.rule("service"), draft.review("service").hash
    note_opened(draft.bob, rule, shown)
    edit_rule(draft.policy, draft.alice, rule, smtlib=SERVICE_LATER, shown_hash=shown)
    present = draft.review("service").hash
    assert not has_opened(draft.bob, rule, present)
    with pytest.raises(MovedError, match="you have not opened"):
        approve(draft.policy, draft.bob, rule, shown_hash=present)


def test_opening_twice_is_one_row_and_no_change_of_the_draft(draft: Draft) -> None:
    rule, shown, before = draft.rule("cost"), draft.review("cost").hash, draft.policy.revision
    note_opened(draft.bob, rule, shown)
    note_opened(draft.bob, rule, shown)
    note_opened(draft.bob, rule, "")
    assert opened_by(draft.bob, draft.policy) == {(rule.uid, shown)}
    assert Opened.objects.count() == 1
    draft.policy.refresh_from_db()
    assert draft.policy.revision == before


def test_a_card_is_opened_by_whoever_may_decide(
    draft: Draft, charlie: User, client_of: Callable[[User], Client]
) -> None:
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    draft.policy.memberships.create(user=charlie, role="viewer")
    address = f"/policies/{draft.policy.slug}/review/{rule.uid}/"
    for person in (charlie, draft.bob):
        assert client_of(person).get(address).status_code == 200
    assert list(Opened.objects.values_list("person", "content_hash")) == [(draft.bob.pk, shown)]


def test_an_approval_sent_blind_shows_the_rule_and_is_taken_then(
    draft: Draft, client_of: Callable[[User], Client]
) -> None:
    rule, bobs = draft.rule("cost"), client_of(draft.bob)
    address = f"/policies/{draft.policy.slug}/review/{rule.uid}/approve/"
    sent = {"shown": _hash(draft.policy, rule)}
    page = bobs.post(address, sent)
    assert page.status_code == 409
    assert "You have not opened this rule as it stands" in page.content.decode()
    assert not Decision.objects.exists()
    # That page showed the card.
    assert bobs.post(address, sent).status_code == 302
    assert Decision.objects.get().by == draft.bob


def _hash(policy: Policy, rule: Rule) -> str:
    return compose(policy).hashes[rule.uid]
