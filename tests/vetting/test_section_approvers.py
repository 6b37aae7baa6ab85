"""A section names who must approve its rules, and they may let another do so for a while."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from policies.approving import delegate, end_approver, end_delegation, name_approver
from policies.models import AuditRow, Delegation, SectionApprover, User
from policies.people import PeopleError
from policies.versions import FreezeRefusedError, freeze_version
from tests.approving import approve
from tests.vetting.conftest import Draft
from vetting import publishing
from vetting.models import Decision
from vetting.opened import note_opened
from vetting.publishing import blockers, standing
from vetting.queue import build_queue
from vetting.refusals import RefusedError
from vetting.review import ReviewState

pytestmark = pytest.mark.django_db


@pytest.fixture
def carol(draft: Draft) -> User:
    carol = User.objects.create_user("carol@example.org", "carol", name="Carol")
    draft.policy.memberships.create(user=carol, role="reviewer")
    return carol


def name(draft: Draft, person: User) -> SectionApprover:
    document = draft.policy.documents.get()
    return name_approver(
        draft.policy, draft.alice, document=document, headings=["Approval"], person=person
    )


def test_the_rules_of_a_section_wait_for_those_whom_it_names(draft: Draft, carol: User) -> None:
    draft.approve("cost", draft.bob)
    row = name(draft, carol)
    assert name(draft, carol).pk == row.pk
    review = draft.review("cost")
    assert (review.state, review.missing.people) == (ReviewState.NOT_ENOUGH, (carol.pk,))
    assert build_queue(draft.policy).cover.outline.rules[review.uid].missing == review.missing
    told = [one.sentence for one in blockers(draft.policy)]
    assert "Rule `cost` waits for Carol, named by its section." in told
    draft.approve("cost", carol)
    assert draft.review("cost").state is ReviewState.APPROVED
    end_approver(draft.policy, draft.alice, row.uid)
    actions = AuditRow.objects.filter(policy=draft.policy, object__startswith="approver:")
    assert [one.action for one in actions] == ["name-approver", "end-approver"]


def test_a_rule_of_no_sentence_needs_nobody_of_a_section(draft: Draft, carol: User) -> None:
    name(draft, carol)
    draft.approve("cost-range", draft.bob)
    assert draft.review("cost-range").state is ReviewState.APPROVED


def test_only_who_may_approve_is_named_or_stands_in(draft: Draft, charlie: User) -> None:
    with pytest.raises(PeopleError, match="may not approve"):
        name(draft, charlie)
    today = timezone.localdate()
    with pytest.raises(PeopleError, match="may not approve"):
        delegate(draft.policy, draft.alice, to=charlie, until=today)
    with pytest.raises(PeopleError, match="past"):
        delegate(draft.policy, draft.alice, to=draft.bob, until=today - timedelta(days=1))
    with pytest.raises(PeopleError, match="somebody else"):
        delegate(draft.policy, draft.alice, to=draft.alice, until=today)


def test_somebody_stands_in_up_to_a_day(draft: Draft, carol: User) -> None:
    name(draft, carol)
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    note_opened(draft.bob, rule, shown)
    with pytest.raises(RefusedError, match="may not approve in the place of Carol"):
        approve(draft.policy, draft.bob, rule, shown_hash=shown, on_behalf_of=carol)
    given = delegate(draft.policy, carol, to=draft.bob, until=timezone.localdate())
    Delegation.objects.filter(pk=given.pk).update(until=timezone.localdate() - timedelta(days=1))
    with pytest.raises(RefusedError, match="has ended"):
        approve(draft.policy, draft.bob, rule, shown_hash=shown, on_behalf_of=carol)
    delegate(draft.policy, carol, to=draft.bob, until=timezone.localdate())
    said = approve(draft.policy, draft.bob, rule, shown_hash=shown, on_behalf_of=carol)
    assert (said.by, said.on_behalf_of) == (draft.bob, carol)
    again = approve(draft.policy, draft.bob, rule, shown_hash=shown, on_behalf_of=carol)
    assert again.pk == said.pk
    assert draft.review("cost").state is ReviewState.APPROVED


def test_whoever_stands_in_is_no_second_person(draft: Draft, carol: User) -> None:
    name(draft, carol)
    delegate(draft.policy, carol, to=draft.alice, until=timezone.localdate())
    rule, shown = draft.rule("cost"), draft.review("cost").hash
    with pytest.raises(RefusedError, match="second person"):
        approve(draft.policy, draft.alice, rule, shown_hash=shown, on_behalf_of=carol)


def test_the_record_says_in_whose_place(ready: Draft) -> None:
    carol = User.objects.create_user("carol@example.org", "carol", name="Carol")
    ready.policy.memberships.create(user=carol, role="reviewer")
    name(ready, carol)
    given = delegate(ready.policy, carol, to=ready.bob, until=timezone.localdate())
    for one in ("cost", "service"):
        rule, shown = ready.rule(one), ready.review(one).hash
        approve(ready.policy, ready.bob, rule, shown_hash=shown, on_behalf_of=carol)
    # What was approved before it ended stays.
    end_delegation(ready.policy, carol, given.uid)
    with transaction.atomic():
        now = standing(ready.policy)
        version = freeze_version(publishing._record(ready.alice, ready.policy, now))
    rules = json.loads(version.record)["content"]["rules"]
    told = {one["name"]: one["approval"] for one in rules}
    assert told["cost"]["by"]["name"] == "Bob"
    assert told["cost"]["on_behalf_of"]["name"] == "Carol"
    assert "on_behalf_of" not in told["cost-range"]


def test_no_version_rests_on_what_was_approved_for_somebody_who_did_not_ask_so(
    ready: Draft, carol: User
) -> None:
    name(ready, carol)
    given = delegate(ready.policy, carol, to=ready.bob, until=timezone.localdate())
    for one in ("service", "cost"):
        rule, shown = ready.rule(one), ready.review(one).hash
        said = approve(ready.policy, ready.bob, rule, shown_hash=shown, on_behalf_of=carol)
    record = publishing._record(ready.alice, ready.policy, standing(ready.policy))
    before, row = said.at - timedelta(minutes=1), Delegation.objects.filter(pk=given.pk)
    (asked,) = row.values("created_at", "ended_at", "until", "to")
    for wrong in (
        {"created_at": said.at + timedelta(minutes=1)},
        {"ended_at": before},
        {"until": timezone.localdate(said.at) - timedelta(days=1)},
        {"to": ready.alice},
    ):
        row.update(**asked | wrong)
        match = "`cost` was approved by Bob for Carol, who did not ask so"
        with pytest.raises(FreezeRefusedError, match=match), transaction.atomic():
            freeze_version(record)
    row.update(**asked)
    with transaction.atomic():
        assert freeze_version(record).number == 1


def test_the_page_names_lets_and_takes_back(
    draft: Draft, carol: User, client_of: Callable[[User], Client]
) -> None:
    base = f"/policies/{draft.policy.slug}/approvers/"
    alices, carols, bobs = (client_of(one) for one in (draft.alice, carol, draft.bob))
    section = f"{draft.policy.documents.get().pk}-1"
    sent = {"section": section, "person": carol.pk}
    assert bobs.post(f"{base}add/", sent).status_code == 403
    page = alices.post(f"{base}add/", sent, follow=True).content.decode()
    assert "<strong>Carol</strong> approves the rules of Travel › Approval" in page
    assert alices.post(f"{base}add/", {"section": "no", "person": 1}).status_code == 422
    until = timezone.localdate().isoformat()
    page = carols.post(
        f"{base}delegate/", {"person": draft.bob.pk, "until": until}, follow=True
    ).content.decode()
    assert "Bob for Carol, up to and with" in page
    assert carols.post(f"{base}delegate/", {"person": 1, "until": "2026-99-99"}).status_code == 422
    rule = draft.rule("cost")
    card = f"/policies/{draft.policy.slug}/review/{rule.uid}/"
    assert "Approve for Carol" in bobs.get(card).content.decode()
    shown = draft.review("cost").hash
    page = bobs.post(f"{card}approve/", {"shown": shown, "for": carol.pk}, follow=True)
    assert "Approved for Carol: cost." in page.content.decode()
    assert Decision.objects.get().on_behalf_of == carol
    given = Delegation.objects.get()
    carols.post(f"{base}delegate/end/", {"delegation": given.uid})
    alices.post(f"{base}end/", {"approver": SectionApprover.objects.get().uid})
    page = alices.get(base).content.decode()
    assert "No section names anybody" in page
    assert "Nobody approves in the place" in page


def test_an_owner_sets_the_second_person(draft: Draft, client_of: Callable[[User], Client]) -> None:
    base = f"/policies/{draft.policy.slug}/approvers/"
    alices, bobs = client_of(draft.alice), client_of(draft.bob)
    assert bobs.post(f"{base}second/", {"setting": "no", "shown": ""}).status_code == 403
    assert alices.post(f"{base}second/", {"setting": "maybe", "shown": ""}).status_code == 422
    page = alices.post(f"{base}second/", {"setting": "no", "shown": ""}, follow=True)
    assert "One person is enough" in page.content.decode()
    assert alices.post(f"{base}second/", {"setting": "yes", "shown": ""}).status_code == 422
