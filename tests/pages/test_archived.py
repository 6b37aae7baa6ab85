"""An archived policy is read as before and changes in no way, whoever tries and wherever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connections, transaction
from django.test import Client
from django.urls import get_resolver

from policies.archived import SENTENCE, ArchivedError
from policies.archiving import archive, unarchive
from policies.audit import first_broken_link, record
from policies.editing import editing
from policies.jobs import start_job
from policies.models import AuditRow, Document, Job, Membership, Policy, Rule, User, Variable
from policies.people import PeopleError, deactivate_person
from policies.roles import READING, Action, Role
from tests.policies.walking import address, views
from vetting.lock import locked

Clients = Callable[[User], Client]
OF_A_POLICY = [
    (route, view.access)
    for route, _, view in views(get_resolver().url_patterns)
    if isinstance(view.access, Action)
]
# Of the policy as a whole: they are for an archived one, too.
KEEPING = {"archive/", "unarchive/", "duplicate/"}


@pytest.fixture
def archived(travel: Policy, alice: User) -> Policy:
    """With Alice in every role, so that no role is what refuses her."""
    for role in Role:
        Membership.objects.get_or_create(policy=travel, user=alice, role=role)
    assert archive(travel, alice)
    return travel


def rows() -> dict[str, int]:
    """How many there are of everything, without sessions."""
    models = [one for one in apps.get_models() if one is not Session]
    return {one._meta.label: one.objects.count() for one in models}


def addresses(policy: Policy, route: str) -> set[str]:
    """Paths for a route: to nothing, and to rows of this policy where its arguments name some."""
    rule = Rule.objects.filter(policy=policy).first()
    variable = Variable.objects.filter(policy=policy).first()
    document = Document.objects.filter(policy=policy).first()
    job = Job.objects.filter(policy=policy).first()
    assert rule is not None
    assert variable is not None
    assert document is not None
    assert job is not None
    nowhere = address(route, policy.slug)
    number = nowhere.replace("999999", str(document.pk))
    uids = (rule.uid, variable.uid, job.uid)
    return {nowhere, number, *(number.replace("0" * 32, uid) for uid in uids)}


def test_no_view_changes_an_archived_policy(archived: Policy, alices: Client) -> None:
    before = rows()
    for route, _ in OF_A_POLICY:
        if route.removeprefix("policies/<slug:slug>/") in KEEPING:
            continue
        for path in addresses(archived, route):
            response = alices.post(path, {"revision": archived.revision, "text": "x"})
            assert response.status_code in (403, 404, 405, 409, 410, 422), (path, response)
        assert rows() == before, route
    archived.refresh_from_db()
    assert archived.archived_at is not None


def test_each_page_is_read_as_before_or_says_why_not(
    travel: Policy, alice: User, alices: Client
) -> None:
    for role in Role:
        Membership.objects.get_or_create(policy=travel, user=alice, role=role)
    paths = [(path, act) for route, act in OF_A_POLICY for path in addresses(travel, route)]
    before = {path: alices.get(path).status_code for path, _ in paths}
    archive(travel, alice)
    for path, action in paths:
        if any(path.endswith(f"{travel.slug}/{one}") for one in KEEPING):
            continue
        expected = {before[path]} if action in READING else {403, 405}
        assert alices.get(path).status_code in expected, path


def test_the_services_refuse_in_one_sentence(archived: Policy, alice: User) -> None:
    with pytest.raises(ArchivedError, match="is archived"), editing(archived, alice):
        pass
    with pytest.raises(ArchivedError), locked(archived):
        pass
    with pytest.raises(ArchivedError), transaction.atomic():
        record(archived, alice, "anything", "policy:1")
    with pytest.raises(ArchivedError):
        start_job(archived, alice, "lint", [("draft", {})], key="k")


def test_an_act_on_a_page_that_was_open_is_refused_beside_its_button(
    archived: Policy, rule: Rule, alices: Client
) -> None:
    path = f"/policies/{archived.slug}/review/{rule.uid}/approve/"
    short = alices.post(path, {"shown": rule.content_hash}, headers={"hx-request": "true"})
    assert (short.status_code, short["X-Problem"]) == (403, "shown")
    assert SENTENCE in short.content.decode()
    assert not rule.decisions.exists()


def test_pages_offer_nothing_that_is_refused(archived: Policy, rule: Rule, alices: Client) -> None:
    page = alices.get(f"/policies/{archived.slug}/review/{rule.uid}/").content.decode()
    assert "Archived on" in page
    assert 'data-key="a"' not in page
    people = alices.get(f"/policies/{archived.slug}/people/").content.decode()
    assert "Add someone" not in people
    assert "Archive or duplicate" in people


def test_what_works_on_it_is_cancelled_and_nothing_begins_anew(
    travel: Policy, alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    made = start_job(travel, alice, "lint", [("draft", {})], key="again")
    with django_capture_on_commit_callbacks(execute=True):
        archive(travel, alice)
    made.refresh_from_db()
    assert made.state == "cancelled"
    assert set(made.items.values_list("state", flat=True)) == {"cancelled"}
    assert not Job.objects.filter(policy=travel, state="open").exists()
    assert AuditRow.objects.filter(policy=travel).last().action == "archive-policy"
    assert first_broken_link(travel) is None


def test_a_document_that_is_being_read_is_waited_for(travel: Policy, alice: User) -> None:
    travel.uploads.create(created_by=alice)
    with pytest.raises(PeopleError, match="is being read"):
        archive(travel, alice)
    travel.refresh_from_db()
    assert travel.archived_at is None


def test_it_leaves_the_list_until_it_is_asked_for_and_comes_back(
    travel: Policy, alices: Client
) -> None:
    base = f"/policies/{travel.slug}/"
    page = alices.post(f"{base}archive/", follow=True).content.decode()
    assert "Travel policy is archived." in page
    listed = alices.get("/policies/").content.decode()
    assert f'href="{base}"' not in listed
    assert "All your policies are archived" in listed
    assert "1 archived policy" in listed
    assert f'href="{base}"' in alices.get("/policies/?archived=1").content.decode()
    alices.post(f"{base}unarchive/")
    assert f'href="{base}"' in alices.get("/policies/").content.decode()
    actions = AuditRow.objects.filter(policy=travel).values_list("action", flat=True)
    assert list(actions)[-2:] == ["archive-policy", "unarchive-policy"]
    assert first_broken_link(travel) is None


def test_twice_is_once(travel: Policy, alice: User) -> None:
    assert [archive(travel, alice), archive(travel, alice)] == [True, False]
    assert [unarchive(travel, alice), unarchive(travel, alice)] == [True, False]


def test_only_an_owner_archives_and_duplicates(
    travel: Policy, bob: User, client_of: Clients
) -> None:
    for act in ("archive", "unarchive", "duplicate"):
        path = f"/policies/{travel.slug}/{act}/"
        assert client_of(bob).post(path, {"name": "Mine"}).status_code == 403
    assert Policy.objects.count() == 1


def test_a_person_of_an_archived_policy_can_still_leave(
    archived: Policy, bob: User, alice: User
) -> None:
    deactivate_person(bob, bob)
    assert AuditRow.objects.filter(policy=archived).last().action == "deactivate-person"
    archived.memberships.filter(role=Role.OWNER).exclude(user=alice).delete()
    with pytest.raises(PeopleError, match="needs an owner"):
        deactivate_person(alice, alice)


def test_an_owner_makes_another_policy_of_it(travel: Policy, alices: Client) -> None:
    path = f"/policies/{travel.slug}/duplicate/"
    assert alices.post(path, {"name": " "}).status_code == 422
    page = alices.post(path, {"name": "Next year"}, follow=True).content.decode()
    assert "Next year is made of Travel policy." in page
    assert (
        'value="Travel policy (copy)"'
        in alices.get(f"/policies/{travel.slug}/archive/").content.decode()
    )


@pytest.mark.django_db(transaction=True)
def test_a_change_and_the_archive_at_once_are_one_after_the_other(
    policy: Policy, alice: User
) -> None:
    """Whichever comes first: nothing is changed once the policy is archived."""
    outcomes: list[str] = []

    def change() -> None:
        try:
            with editing(policy, alice):
                time.sleep(0.05)
            outcomes.append("changed")
        except ArchivedError:
            outcomes.append("refused")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=change) for _ in range(3)]
    for thread in threads:
        thread.start()
    archive(policy, alice)
    for thread in threads:
        thread.join()
    assert len(outcomes) == 3
    policy.refresh_from_db()
    assert policy.revision == outcomes.count("changed")
    with pytest.raises(ArchivedError), editing(policy, alice):
        pass
