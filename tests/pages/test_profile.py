"""What a person changes about themselves, and what it takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.test import Client

from policies.audit import first_broken_link
from policies.forms import time_zones
from policies.models import AuditRow, DocumentRevision, Policy, User
from policies.throttling import LIMITS

Clients = Callable[[User], Client]
NEW = {"new_password1": "a quite different secret", "new_password2": "a quite different secret"}


def ask(client: Client, email: str = "new@example.org", password: str = "alice") -> Any:
    return client.post("/profile/address/", {"email": email, "password": password})


def link() -> str:
    found = re.search(r"http://127\.0\.0\.1:8000(/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


def test_name_and_time_zone_are_kept(alices: Client, alice: User) -> None:
    sent = {"name": " Alice \u202e  Adams ", "time_zone": "Asia/Tokyo"}
    assert alices.post("/profile/", sent).status_code == 302
    alice.refresh_from_db()
    assert (alice.name, alice.time_zone) == ("Alice Adams", "Asia/Tokyo")
    refused = alices.post("/profile/", {"name": "A", "time_zone": "../../etc/passwd"})
    assert refused.status_code == 422
    alice.refresh_from_db()
    assert (alice.name, alice.time_zone) == ("Alice Adams", "Asia/Tokyo")
    assert ("UTC", "UTC") in time_zones()
    assert len(time_zones()) > 300


def test_pages_show_times_in_the_zone_of_who_reads_them(
    travel: Policy, alice: User, bob: User, client_of: Clients
) -> None:
    revision = DocumentRevision.objects.get(document__policy=travel)
    address = f"/policies/{travel.slug}/documents/{revision.document_id}/revisions/"
    User.objects.filter(pk=alice.pk).update(time_zone="Asia/Tokyo")
    User.objects.filter(pk=bob.pk).update(time_zone="Mars/Olympus")
    moment = revision.created_at
    tokyo = moment.astimezone(ZoneInfo("Asia/Tokyo"))
    assert f"{tokyo:%H:%M} JST" in client_of(alice).get(address).content.decode()
    assert f"{moment.astimezone(UTC):%H:%M} UTC" in client_of(bob).get(address).content.decode()


def test_another_address_counts_once_its_link_was_opened(
    policy: Policy, alice: User, client_of: Clients
) -> None:
    mine = client_of(alice)
    assert ask(mine, "New@Example.org").status_code == 302
    (message,) = mail.outbox
    assert message.to == ["new@example.org"]
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    assert "new@example.org" in mine.get(link()).content.decode()
    alice.refresh_from_db()
    assert alice.email == "alice@example.org", "opening the link alone changes nothing"
    confirm = link()
    assert "sign in as new@example.org" in mine.post(confirm, follow=True).content.decode()
    alice.refresh_from_db()
    assert alice.email == "new@example.org"
    assert mail.outbox[-1].to == ["alice@example.org"]
    assert "tell whoever runs this server at once" in mail.outbox[-1].body
    rows = AuditRow.objects.filter(policy=policy).values_list("action", "object", "actor")
    assert list(rows) == [("change-address", f"member:{alice.pk}", alice.pk)]
    assert first_broken_link(policy) is None
    again = mine.post(confirm)
    assert again.status_code == 410
    assert "was used before" in again.content.decode()


def test_a_link_to_an_address_is_for_one_account_and_one_day(
    alice: User, bob: User, client_of: Clients, settings: Any
) -> None:
    ask(client_of(alice))
    other = client_of(bob).post(link())
    assert other.status_code == 410
    assert "for another account" in other.content.decode()
    forged = link()[:-3] + "aa/"
    assert "not copied whole" in client_of(alice).post(forged).content.decode()
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert "older than a day" in client_of(alice).post(link()).content.decode()
    assert set(User.objects.values_list("email", flat=True)) == {
        "alice@example.org",
        "bob@example.org",
    }


def test_an_address_that_is_taken_is_answered_alike_and_never_taken(
    alice: User, bob: User, client_of: Clients
) -> None:
    mine = client_of(alice)
    pages = []
    for email in ("bob@example.org", "free@example.org"):
        ask(mine, email)
        pages.append(mine.get("/profile/").content.decode().replace(email, "X"))
    without_tokens = [re.sub(r'value="\w{64}"', "", page) for page in pages]
    assert without_tokens[0] == without_tokens[1]
    assert [message.to for message in mail.outbox] == [["free@example.org"]]
    User.objects.create_user("free@example.org")
    assert "an account of its own" in mine.post(link()).content.decode()


def test_a_password_is_changed_and_other_sessions_end(alice: User, client_of: Clients) -> None:
    here, elsewhere = client_of(alice), client_of(alice)
    wrong = here.post("/profile/password/", {"old_password": "x", **NEW})
    assert wrong.status_code == 422
    assert "This is not your password" in wrong.content.decode()
    done = here.post("/profile/password/", {"old_password": "alice", **NEW}, follow=True)
    assert "signed out everywhere else" in done.content.decode()
    assert elsewhere.get("/profile/").status_code == 302


def test_a_wrong_password_is_counted_here_too(alice: User, client_of: Clients) -> None:
    mine = client_of(alice)
    for _ in range(LIMITS["password"][0]):
        assert ask(mine, password="x").status_code == 422
    assert ask(mine).status_code == 429
    assert mine.post("/profile/close/", {"password": "alice"}).status_code == 429
    assert mail.outbox == []


def test_mail_that_does_not_leave_is_one_sentence_and_the_form_keeps_what_was_typed(
    alice: User, bob: User, client_of: Clients, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    for email in ("new@example.org", bob.email):
        response = ask(client_of(alice), email)
        assert response.status_code == 503, "alike for an address that somebody has"
        page = response.content.decode()
        assert "could not be sent" in page
        assert f'value="{email}"' in page
        assert 'value="alice"' not in page, "a password is not sent back"


def test_an_account_is_closed_by_its_person_unless_a_policy_needs_them(
    policy: Policy, alice: User, bob: User, client_of: Clients
) -> None:
    refused = client_of(alice).post("/profile/close/", {"password": "alice"})
    assert refused.status_code == 422
    assert "It is about Travel policy." in refused.content.decode()
    theirs = client_of(bob)
    assert theirs.post("/profile/close/", {"password": "x"}).status_code == 422
    closed = theirs.post("/profile/close/", {"password": "bob"}, follow=True)
    assert "Your account is closed" in closed.content.decode()
    assert theirs.get("/policies/").status_code == 302
    assert not theirs.login(username="bob@example.org", password="bob")
    assert AuditRow.objects.get(policy=policy).action == "deactivate-person"


@pytest.mark.parametrize("page", ["", "address/", "password/", "close/", "address/x/"])
def test_nobody_in_particular_has_no_profile(page: str, db: None, client: Client) -> None:
    assert client.post(f"/profile/{page}").status_code == 401
