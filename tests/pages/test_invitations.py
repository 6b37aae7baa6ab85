"""Invitations by a signed link: for one address, once, until they end or are taken back."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connections
from django.test import Client
from django.utils import timezone

from policies.access import roles_of
from policies.audit import first_broken_link
from policies.inviting import InvitationError, accept_as_new, invite, token_of
from policies.models import AuditRow, Invitation, Membership, Policy, User
from policies.roles import Role

Clients = Callable[[User], Client]
DORA = "dora@example.org"
ACCOUNT = {
    "name": "Dora",
    "new_password1": "a quite different secret",
    "new_password2": "a quite different secret",
}
ADD = "/policies/travel/people/add/"


@pytest.fixture
def invited(policy: Policy, alices: Client) -> str:
    """The link that Dora was sent, who has no account."""
    response = alices.post(ADD, {"email": " Dora@Example.org", "role": "reviewer"}, follow=True)
    assert "on its way to dora@example.org" in response.content.decode()
    return link()


def link() -> str:
    found = re.search(r"http://127\.0\.0\.1:8000(/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


def actions(policy: Policy) -> list[str]:
    assert first_broken_link(policy) is None
    return list(AuditRow.objects.filter(policy=policy).values_list("action", flat=True))


def test_who_is_invited_makes_an_account_and_has_the_role(
    invited: str, policy: Policy, client: Client
) -> None:
    assert mail.outbox[0].to == [DORA]
    page = client.get(invited).content.decode()
    assert "Alice invites dora@example.org" in page
    assert not User.objects.filter(email=DORA).exists(), "opening the link alone changes nothing"
    response = client.post(invited, {**ACCOUNT, "email": "other@example.org"})
    assert response["Location"] == "/policies/travel/"
    dora = User.objects.get(email=DORA)
    assert dora.name == "Dora"
    assert roles_of(dora, policy) == {Role.REVIEWER}
    assert client.get("/policies/travel/people/").status_code == 200
    assert actions(policy) == ["invite", "send-invitation", "accept-invitation", "add-member"]
    used = Client().get(invited)
    assert used.status_code == 410
    assert "was accepted before" in used.content.decode()


def test_a_password_that_is_too_easy_makes_no_account(invited: str, client: Client) -> None:
    easy = {"name": "Dora", "new_password1": "dora@example.org", "new_password2": "x"}
    assert client.post(invited, easy).status_code == 422
    response = client.post(invited, {**easy, "new_password2": "dora@example.org"})
    assert "too similar" in response.content.decode()
    assert 'value="Dora"' in response.content.decode()
    assert not User.objects.filter(email=DORA).exists()


def test_somebody_who_got_an_account_meanwhile_signs_in_and_accepts(
    invited: str, policy: Policy, client: Client, client_of: Clients
) -> None:
    dora = User.objects.create_user(DORA, "secret")
    page = client.get(invited).content.decode()
    assert "Sign in with it to accept" in page
    assert client.post(invited, ACCOUNT).status_code == 200
    assert not dora.memberships.exists(), "no form makes a second account or takes the role"
    hers = client_of(dora)
    assert "Accept" in hers.get(invited).content.decode()
    assert hers.post(invited)["Location"] == "/policies/travel/"
    assert roles_of(dora, policy) == {Role.REVIEWER}


def test_another_person_reads_one_sentence_and_takes_nothing(
    invited: str, policy: Policy, charlie: User, client_of: Clients
) -> None:
    theirs = client_of(charlie)
    assert "Sign out, then open the link again" in theirs.get(invited).content.decode()
    response = theirs.post(invited)
    assert response.status_code == 410
    assert "is for dora@example.org" in response.content.decode()
    assert not charlie.memberships.exists()
    assert Invitation.objects.get().accepted_at is None


def test_a_link_that_ended_or_was_taken_back_or_made_up_is_one_sentence(
    invited: str, policy: Policy, alices: Client, client: Client
) -> None:
    row = Invitation.objects.get()
    for made_up in ("x", f"{row.uid}:x", f"{'0' * 32}:{invited.split(':')[-1]}", "%00", "a:b:c"):
        response = client.get(f"/invitations/{made_up.rstrip('/')}/")
        assert response.status_code == 410
        assert "not copied whole" in response.content.decode()
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for response in (client.get(invited), client.post(invited, ACCOUNT)):
        assert response.status_code == 410
        assert "Ask Alice to send it again." in response.content.decode()
    assert "The link ended on" in alices.get("/policies/travel/people/").content.decode()
    alices.post(f"/policies/travel/people/invitations/{row.uid}/send/")
    assert len(mail.outbox) == 2
    assert client.get(link()).status_code == 200
    alices.post(f"/policies/travel/people/invitations/{row.uid}/revoke/")
    for response in (client.get(invited), client.post(invited, ACCOUNT)):
        assert response.status_code == 410
        assert "was taken back" in response.content.decode()
    again = alices.post(f"/policies/travel/people/invitations/{row.uid}/revoke/", follow=True)
    assert "is not open any more" in again.content.decode()
    alices.post(f"/policies/travel/people/invitations/{row.uid}/send/")
    assert len(mail.outbox) == 2
    assert not User.objects.filter(email=DORA).exists()
    assert actions(policy) == ["invite", "send-invitation", "send-invitation", "revoke-invitation"]


def test_only_owners_invite_and_see_who_is_invited(
    invited: str, policy: Policy, bob: User, client_of: Clients
) -> None:
    theirs = client_of(bob)
    assert DORA not in theirs.get("/policies/travel/people/").content.decode()
    uid = Invitation.objects.get().uid
    for address in (ADD, f"/policies/travel/people/invitations/{uid}/revoke/"):
        assert theirs.post(address, {"email": "e@example.org", "role": "owner"}).status_code == 403


def test_an_invitation_of_another_policy_is_not_there(
    invited: str, charlie: User, client_of: Clients
) -> None:
    from policies.people import create_policy

    theirs = create_policy(charlie, name="Theirs")
    uid = Invitation.objects.get().uid
    for act in ("send", "revoke"):
        address = f"/policies/{theirs.slug}/people/invitations/{uid}/{act}/"
        assert client_of(charlie).post(address).status_code == 404
    assert Invitation.objects.get().revoked_at is None


def test_inviting_twice_is_one_invitation(invited: str, policy: Policy, alices: Client) -> None:
    alices.post(ADD, {"email": DORA, "role": "reviewer"})
    alices.post(ADD, {"email": DORA, "role": "legal"})
    assert sorted(Invitation.objects.values_list("role", flat=True)) == ["legal", "reviewer"]


def test_mail_that_does_not_leave_loses_no_invitation(
    policy: Policy, alices: Client, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    page = alices.post(ADD, {"email": DORA, "role": "viewer"}, follow=True).content.decode()
    assert "could not be sent" in page
    assert "The invitation is kept" in page
    assert DORA in page
    assert Invitation.objects.get().sent_at is None


def test_a_name_cannot_write_the_head_of_the_message(policy: Policy, alices: Client) -> None:
    Policy.objects.update(name="Trips\nBcc: all@example.org\n\nYou won")
    alices.post(ADD, {"email": DORA, "role": "viewer"})
    (message,) = mail.outbox
    assert "\n" not in message.subject
    assert message.recipients() == [DORA]


@pytest.mark.django_db(transaction=True)
def test_one_link_opened_twice_at_once_makes_one_account(policy: Policy, alice: User) -> None:
    row = invite(policy, alice, email=DORA, role=Role.VIEWER)
    assert token_of(row)
    refused = []

    def take() -> None:
        try:
            accept_as_new(row, name="Dora", password="a quite different secret")
        except InvitationError as error:
            refused.append(str(error))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 2
    assert Membership.objects.filter(policy=policy, user__email=DORA).count() == 1
