"""Four eyes: whoever changed a rule last is not the only one to approve it, where that is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import transaction
from django.test import Client

from policies.approving import choose_second_person
from policies.models import AuditRow, Rule, User
from policies.people import PeopleError
from policies.versions import FreezeRefusedError, freeze_version
from tests.approving import approve
from tests.vetting.conftest import COST, COST_RULE, SERVICE_LATER, Draft, draft_rule
from vetting import publishing
from vetting.decisions import withdraw
from vetting.declarations import NewVariable, edit_variable, variable_hash
from vetting.edits import edit_rule
from vetting.models import Decision
from vetting.publishing import blockers, standing
from vetting.queue import build_queue
from vetting.refusals import RefusedError
from vetting.review import ReviewState
from vetting.threads import comment_on

pytestmark = pytest.mark.django_db


def edit(draft: Draft, user: User) -> Rule:
    """The rule, another than its question proposes, and nothing open about it."""
    draft.answer_all()
    rule, shown = draft.rule("service"), draft.review("service").hash
    return edit_rule(draft.policy, user, rule, smtlib=SERVICE_LATER, shown_hash=shown)


@pytest.mark.parametrize("who", ["editor", "owner", "superuser", "after a comment"])
def test_fr_48_nobody_approves_their_own_edit(
    draft: Draft, client_of: Callable[[User], Client], who: str
) -> None:
    ana = draft.bob if who == "editor" else draft.alice
    ben = draft.alice if who == "editor" else draft.bob
    if who == "superuser":
        User.objects.filter(pk=ana.pk).update(is_superuser=True, is_staff=True)
    rule = edit(draft, ana)
    if who == "after a comment":
        comment_on(draft.policy, ben, lineage="", rule=rule, text="Is six months right?")
    address = f"/policies/{draft.policy.slug}/review/{rule.uid}/"
    client = client_of(ana)
    page = client.get(address).content.decode()
    assert "somebody else approves it first" in page
    sent = {"shown": draft.review("service").hash}
    response = client.post(f"{address}approve/", sent)
    assert response.status_code == 422
    assert "You changed this rule last, and this policy asks" in response.content.decode()
    with pytest.raises(RefusedError, match="second person"):
        approve(draft.policy, ana, rule, shown_hash=sent["shown"])
    assert not Decision.objects.exists()
    approve(draft.policy, ben, rule, shown_hash=sent["shown"])
    assert draft.review("service").state is ReviewState.APPROVED


def test_an_unedited_draft_has_no_author(draft: Draft) -> None:
    draft_rule(draft, "drafted", COST_RULE, COST)
    draft.approve("drafted", draft.alice)
    assert draft.review("drafted").state is ReviewState.APPROVED


def test_one_person_alone_approves_until_there_are_two(draft: Draft) -> None:
    draft.policy.memberships.filter(user=draft.bob).delete()
    edit(draft, draft.alice)
    draft.approve("service", draft.alice)
    assert draft.review("service").state is ReviewState.APPROVED
    draft.policy.memberships.create(user=draft.bob, role="reviewer")
    review = draft.review("service")
    assert review.state is ReviewState.NOT_ENOUGH
    assert review.missing.second
    line = build_queue(draft.policy).cover.outline.rules[review.uid]
    assert line.state is ReviewState.NOT_ENOUGH
    told = [one.sentence for one in blockers(draft.policy)]
    assert any("`service` waits for a second person" in one for one in told)
    draft.approve("service", draft.bob)
    assert draft.review("service").state is ReviewState.APPROVED
    withdraw(draft.policy, draft.bob, draft.rule("service"), shown_hash=review.hash)
    assert draft.review("service").state is ReviewState.WAITING


def test_whoever_changes_what_a_word_means_is_an_author_and_washes_nobody(draft: Draft) -> None:
    rule = edit(draft, draft.bob)
    variable = draft.variable("tenureMonths")
    new = NewVariable("tenureMonths", "Int", unit="months", phrase="months of service")
    edit_variable(draft.policy, draft.alice, variable, new, shown_hash=variable_hash(variable))
    rule.refresh_from_db()
    assert (rule.author, rule.changed_by) == (draft.bob, draft.alice)
    draft.approve("service", draft.bob)
    assert draft.review("service").state is ReviewState.NOT_ENOUGH
    draft.approve("service", draft.alice)
    assert draft.review("service").state is ReviewState.APPROVED


def test_the_setting_is_a_change_of_state(draft: Draft) -> None:
    edit(draft, draft.alice)
    choose_second_person(draft.policy, draft.alice, needs=False, shown="")
    choose_second_person(draft.policy, draft.alice, needs=False, shown="no")
    rows = AuditRow.objects.filter(policy=draft.policy, action="set-second-person")
    assert [row.object for row in rows] == ["second-person:no"]
    draft.approve("service", draft.alice)
    assert draft.review("service").state is ReviewState.APPROVED
    with pytest.raises(PeopleError, match="changed this setting"):
        choose_second_person(draft.policy, draft.alice, needs=True, shown="")
    choose_second_person(draft.policy, draft.alice, needs=True, shown="no")
    assert draft.review("service").state is ReviewState.NOT_ENOUGH


def test_freezing_refuses_what_only_its_author_approved(
    ready: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_second_person(ready.policy, ready.alice, needs=False, shown="")
    edit(ready, ready.alice)
    ready.approve("service", ready.alice)
    ready.approve("approved", ready.bob)
    with transaction.atomic():
        record = publishing._record(ready.alice, ready.policy, standing(ready.policy))
    choose_second_person(ready.policy, ready.alice, needs=True, shown="no")
    with transaction.atomic(), pytest.raises(FreezeRefusedError, match="only by whoever changed"):
        freeze_version(replace(record, policy=ready.policy))
    ready.approve("service", ready.bob)
    with transaction.atomic():
        record = publishing._record(ready.alice, ready.policy, standing(ready.policy))
        version = freeze_version(record)
    assert '"second_person":true' in version.record
    assert version.record.count('"approvals":[') == 1
