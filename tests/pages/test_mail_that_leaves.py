"""Messages about accounts through a real mail server, over its socket, with what it may do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from policies.models import Invitation, Policy, User
from tests.smtp_server import Server, mail_server

ADD = "/policies/travel/people/add/"
DORA = {"email": "dora@example.org", "role": "reviewer"}


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with mail_server() as found:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", found.port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        yield found


def test_an_invitation_arrives_as_it_was_written(
    policy: Policy, alices: Client, server: Server, client: Client
) -> None:
    Policy.objects.update(name="Reisekosten für Ärzte")
    alices.post(ADD, DORA)
    ((to, message),) = server.taken
    assert to == "dora@example.org"
    assert message["Subject"] == "Alice invites you to Reisekosten für Ärzte"
    body = message.get_content()
    (link,) = [line for line in body.splitlines() if line.startswith("http://127.0.0.1:8000/")]
    assert client.get(link.removeprefix("http://127.0.0.1:8000")).status_code == 200


def test_an_address_that_the_server_refuses_loses_no_invitation(
    policy: Policy, alices: Client, server: Server
) -> None:
    server.refuses.add("dora@example.org")
    assert "could not be sent" in alices.post(ADD, DORA, follow=True).content.decode()
    invitation = Invitation.objects.get()
    assert invitation.sent_at is None
    server.refuses.clear()
    again = f"/policies/travel/people/invitations/{invitation.uid}/send/"
    assert "is on its way" in alices.post(again, follow=True).content.decode()
    invitation.refresh_from_db()
    assert invitation.sent_at is not None


def test_a_server_that_hangs_up_is_one_sentence(
    policy: Policy, alices: Client, server: Server
) -> None:
    server.dies_after = 0
    assert "could not be sent" in alices.post(ADD, DORA, follow=True).content.decode()
    assert Invitation.objects.get().sent_at is None


def test_what_the_server_refuses_tells_nobody_who_has_an_account(
    alice: User, client: Client, server: Server
) -> None:
    server.refuses.add("alice@example.org")
    pages = [
        client.post("/password/", {"email": email}, follow=True)
        for email in ("alice@example.org", "nobody@example.org")
    ]
    assert [page.status_code for page in pages] == [200, 200]
    assert pages[0].content == pages[1].content
    assert server.taken == []
