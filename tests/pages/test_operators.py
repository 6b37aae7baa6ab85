"""Django's admin for operators: accounts, and that things are there; it opens and changes none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import get_resolver

from policies.admin import site
from policies.audit import record
from policies.models import AuditRow, Job, Policy, User
from policies.people import add_person
from policies.roles import Role
from policies.throttling import LIMITS
from tests.policies.walking import address, views

Clients = Callable[[User], Client]
PEOPLE = "/operators/policies/user/"
PAGES = [
    f"/operators/{path}"
    for path in (
        "",
        *(f"policies/{name}/" for name in ("user", "policy", "job", "auditrow", "invitation")),
    )
]


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_user("ops@example.org", "ops", name="Ops", is_staff=True)


@pytest.fixture
def ops(operator: User, client_of: Clients) -> Client:
    return client_of(operator)


def act(client: Client, action: str, *users: User) -> str:
    sent = {"action": action, "_selected_action": [user.pk for user in users]}
    return client.post(PEOPLE, sent, follow=True).content.decode()


@pytest.mark.parametrize("page", PAGES)
def test_staff_alone_see_a_page(
    page: str, travel: Policy, alice: User, ops: Client, client_of: Clients, client: Client
) -> None:
    assert ops.get(page).status_code == 200
    assert client_of(alice).get(page).status_code == 404
    assert client.get(page)["Location"] == f"/sign-in/?next={page}"


def test_every_address_below_is_for_staff(alice: User, client_of: Clients) -> None:
    found = [
        (route, view.access)
        for route, _, view in views(get_resolver().url_patterns)
        if route.startswith("operators/")
    ]
    assert len(found) > 20
    mine = client_of(alice)
    for route, access in found:
        if access == "staff":
            path = address(route, "x")
            assert {mine.get(path).status_code, mine.post(path).status_code} == {404}, route
    others = {route for route, access in found if access != "staff"}
    assert others == {"operators/login/", "operators/logout/", "operators/password/"}


def test_there_is_no_second_door_past_the_count_of_tries(db: None, client: Client) -> None:
    for page in ("/operators/login/", "/operators/"):
        assert client.get(page)["Location"].startswith("/sign-in/")
        sent = client.post(page, {"username": "ops@example.org", "password": "ops"})
        assert sent.status_code == 401
    assert "_auth_user_id" not in client.session


def test_being_staff_or_superuser_opens_no_policy(travel: Policy, ops: Client) -> None:
    User.objects.filter(email="ops@example.org").update(is_superuser=True)
    assert ops.get(f"/policies/{travel.slug}/").status_code == 404
    document = travel.documents.get()
    document.title = "A very secret title"
    document.save()
    for page in PAGES:
        shown = ops.get(page).content.decode()
        assert "EUR 1,000" not in shown
        assert "very secret" not in shown
    assert {model.__name__ for model in site._registry} == {
        "AuditRow",
        "Invitation",
        "Job",
        "Policy",
        "User",
    }


def test_what_is_written_once_and_what_services_change_is_read_only(
    travel: Policy, ops: Client
) -> None:
    User.objects.filter(email="ops@example.org").update(is_superuser=True)
    rows = {
        "auditrow": AuditRow.objects.filter(policy=travel).first(),
        "policy": travel,
        "job": Job.objects.filter(policy=travel).first(),
    }
    for name, row in rows.items():
        assert row is not None
        base = f"/operators/policies/{name}/"
        page = ops.get(f"{base}{row.pk}/change/")
        assert page.status_code == 200
        assert 'name="_save"' not in page.content.decode()
        assert ops.get(f"{base}add/").status_code == 403
        assert ops.post(f"{base}{row.pk}/change/", {"name": "x"}).status_code == 403
        assert ops.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        act = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        ops.post(base, act)
        assert type(row).objects.filter(pk=row.pk).exists()


def test_people_are_deactivated_by_the_service_and_never_deleted(
    policy: Policy, alice: User, bob: User, ops: Client
) -> None:
    page = act(ops, "deactivate", alice, bob)
    assert "bob@example.org can no longer sign in." in page
    assert "Not deactivated: alice@example.org. A policy needs an owner" in page
    assert User.objects.get(pk=alice.pk).is_active
    assert not User.objects.get(pk=bob.pk).is_active
    row = AuditRow.objects.get(policy=policy)
    assert (row.action, row.actor.email) == ("deactivate-person", "ops@example.org")
    assert LogEntry.objects.filter(object_id=str(bob.pk)).exists()
    assert ops.post(f"{PEOPLE}{bob.pk}/delete/", {"post": "yes"}).status_code == 403
    assert "can sign in again" in act(ops, "let_in_again", bob)
    assert User.objects.get(pk=bob.pk).is_active


def test_an_account_is_made_and_its_person_sets_the_password(ops: Client) -> None:
    page = ops.post(f"{PEOPLE}add/", {"email": "Eve@Example.org", "name": "Eve"}, follow=True)
    assert "on its way to eve@example.org" in page.content.decode()
    (message,) = mail.outbox
    assert message.to == ["eve@example.org"]
    assert "/password/" in message.body
    eve = User.objects.get(email="eve@example.org")
    assert not eve.is_staff
    assert ops.post(f"{PEOPLE}add/", {"email": "EVE@example.org"}).status_code == 200
    assert User.objects.filter(email__iexact="eve@example.org").count() == 1


def test_a_link_that_cannot_be_sent_is_not_said_to_be_on_its_way(
    ops: Client, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    shown = ops.post(f"{PEOPLE}add/", {"email": "eve@example.org"}, follow=True).content.decode()
    assert "could not be sent" in shown
    assert "on its way" not in shown
    assert User.objects.filter(email="eve@example.org").exists()


def test_staff_cannot_become_anybody(policy: Policy, alice: User, ops: Client) -> None:
    """Neither an address, nor a password, nor being staff is set by staff."""
    sent = {
        "email": "ops@example.net",
        "name": "Alice A.",
        "password": "x",
        "is_staff": "on",
        "is_superuser": "on",
        "is_active": "",
    }
    ops.post(f"{PEOPLE}{alice.pk}/change/", sent)
    before = alice.password
    alice.refresh_from_db()
    assert alice.name == "Alice A."
    assert (alice.email, alice.password) == ("alice@example.org", before)
    assert (alice.is_staff, alice.is_superuser, alice.is_active) == (False, False, True)
    assert ops.get(f"{PEOPLE}{alice.pk}/password/").status_code in (302, 404)
    User.objects.filter(email="ops@example.org").update(is_superuser=True)
    ops.post(f"{PEOPLE}{alice.pk}/change/", sent)
    alice.refresh_from_db()
    assert (alice.email, alice.is_staff, alice.is_superuser) == ("alice@example.org", True, False)


def test_somebody_who_is_kept_out_is_let_try_again(
    alice: User, ops: Client, client: Client
) -> None:
    wrong = {"username": "alice@example.org", "password": "wrong"}
    for _ in range(LIMITS["sign-in"][0] + 1):
        last = client.post("/sign-in/", wrong)
    assert last.status_code == 429
    act(ops, "let_try_again", alice)
    assert client.post("/sign-in/", {**wrong, "password": "alice"}).status_code == 302


def test_lists_cost_no_query_for_each_row(
    policy: Policy, alice: User, ops: Client, django_assert_max_num_queries: Callable[..., object]
) -> None:
    for number in range(20):
        User.objects.create_user(f"{number}@example.org")
        add_person(policy, alice, email=f"{number}@example.org", role=Role.OWNER)
    with transaction.atomic():
        record(policy, alice, "anything", "policy:1")
    for page in PAGES:
        with django_assert_max_num_queries(12):
            ops.get(page)
