"""A forgotten password: one link, once, for a day, and no word of who has an account."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from policies.models import Tried, User
from policies.throttling import LIMITS, WINDOW, TooManyTriesError, begin, network_of

NEW = {"new_password1": "a quite different secret", "new_password2": "a quite different secret"}


def ask(client: Client, email: str, **extra: Any) -> Any:
    return client.post("/password/", {"email": email}, **extra)


def link_in(message: mail.EmailMessage) -> str:
    found = re.search(r"http://127\.0\.0\.1:8000(/\S+)", str(message.body))
    assert found is not None, message.body
    return found[1]


def follow(client: Client, path: str) -> tuple[str, Any]:
    """The address that holds no token any more, and its page."""
    response = client.get(path, follow=True)
    return response.redirect_chain[-1][0] if response.redirect_chain else path, response


def test_a_link_sets_another_password_once_and_ends_other_sessions(
    alice: User, client: Client, client_of: Callable[[User], Client]
) -> None:
    elsewhere = client_of(alice)
    assert ask(client, "ALICE@example.org").status_code == 302
    (message,) = mail.outbox
    assert message.to == ["alice@example.org"]
    path = link_in(message)
    address, page = follow(client, path)
    assert page.status_code == 200
    assert path.split("/")[-2] not in address
    done = client.post(address, NEW, follow=True)
    assert "Your new password is set" in done.content.decode()
    assert client.login(username="alice@example.org", password=NEW["new_password1"])
    assert elsewhere.get("/policies/").status_code == 302
    again = Client().get(path, follow=True)
    assert again.status_code == 410
    assert "does not work any more" in again.content.decode()


def test_the_answer_is_the_same_for_an_address_that_nobody_has(
    alice: User, bob: User, client: Client
) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)
    answers = [
        (response.status_code, response["Location"], client.get(response["Location"]).content)
        for response in (
            ask(client, email)
            for email in ("alice@example.org", "bob@example.org", "nobody@example.org")
        )
    ]
    assert answers[0] == answers[1] == answers[2]
    assert [message.to for message in mail.outbox] == [["alice@example.org"]]


def test_the_host_comes_from_the_settings_and_not_from_the_request(
    alice: User, client: Client, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    settings.POLICYWRIGHT_URL = "https://rules.example.org"
    ask(client, "alice@example.org", headers={"host": "evil.example"})
    (message,) = mail.outbox
    assert "https://rules.example.org/password/" in message.body
    assert "evil.example" not in str(message.message())


def test_a_link_ends_after_a_day(alice: User, client: Client, settings: Any) -> None:
    ask(client, "alice@example.org")
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert follow(client, link_in(mail.outbox[0]))[1].status_code == 410


@pytest.mark.parametrize("path", ["MQ/made-up", "x/y", f"{'9' * 90}/a-b", "AAAA/%00", "TVE/--"])
def test_a_link_that_was_made_up_is_one_sentence(path: str, alice: User, client: Client) -> None:
    response = client.get(f"/password/{path}/")
    assert response.status_code == 410
    assert "not copied whole" in response.content.decode()


def test_a_password_that_is_too_easy_is_refused_beside_its_field(
    alice: User, client: Client
) -> None:
    ask(client, "alice@example.org")
    address, _ = follow(client, link_in(mail.outbox[0]))
    response = client.post(address, {"new_password1": "alice@example", "new_password2": "alice"})
    assert response.status_code == 422
    response = client.post(address, {"new_password1": "123", "new_password2": "123"})
    assert "too short" in response.content.decode()
    alice.refresh_from_db()
    assert alice.check_password("alice")


def test_a_mail_server_that_is_away_is_said_to_everybody_alike(
    alice: User, client: Client, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 1
    for email in ("alice@example.org", "nobody@example.org"):
        response = ask(client, email)
        assert response.status_code == 503
        page = response.content.decode()
        assert "could not be sent" in page
        assert f'value="{email}"' in page


def test_an_address_is_let_try_ten_times_whether_or_not_it_has_an_account(
    alice: User, client: Client
) -> None:
    for email in ("alice@example.org", "nobody@example.org"):
        wrong = {"username": email, "password": "wrong"}
        for _ in range(LIMITS["sign-in"][0]):
            assert client.post("/sign-in/", wrong).status_code == 422
        refused = client.post("/sign-in/", {**wrong, "carried-text": "kept"})
        assert refused.status_code == 429
        assert 0 < int(refused["Retry-After"]) <= WINDOW.total_seconds()
        page = refused.content.decode()
        assert "Wait 15 minutes, then try again." in page
        assert 'name="carried-text" value="kept"' in page
    right = {"username": "Alice@example.org", "password": "alice"}
    assert client.post("/sign-in/", right).status_code == 429
    Tried.objects.update(at=timezone.now() - WINDOW - timedelta(seconds=1))
    assert client.post("/sign-in/", right).status_code == 302
    assert not Tried.objects.exists()


def test_a_right_password_begins_the_count_anew(alice: User, client: Client) -> None:
    wrong = {"username": "alice@example.org", "password": "wrong"}
    for _ in range(3):
        for _ in range(LIMITS["sign-in"][0] - 1):
            assert client.post("/sign-in/", wrong).status_code == 422
        assert client.post("/sign-in/", {**wrong, "password": "alice"}).status_code == 302
        client.post("/sign-out/")


def test_a_network_is_let_try_a_hundred_times(db: None) -> None:
    for number in range(LIMITS["sign-in"][1]):
        begin("sign-in", f"{number}@example.org", f"203.0.113.{number % 200 + 1}")
    with pytest.raises(TooManyTriesError):
        begin("sign-in", "other@example.org", "203.0.113.250")
    assert begin("sign-in", "other@example.org", "198.51.100.1").rows


def test_what_was_refused_keeps_nobody_out_longer(db: None) -> None:
    for _ in range(LIMITS["reset"][0]):
        begin("reset", "a@example.org", None)
    for _ in range(5):
        with pytest.raises(TooManyTriesError):
            begin("reset", "A@example.org ", None)
    assert Tried.objects.count() == LIMITS["reset"][0]


def test_networks_count_together_and_this_machine_is_none() -> None:
    assert network_of("203.0.113.7") == network_of("203.0.113.99") == "203.0.113.0/24"
    assert network_of("2001:db8::1") == network_of("2001:db8:0:0:5::1") == "2001:db8::/64"
    assert network_of("::ffff:203.0.113.7") == "203.0.113.0/24"
    assert {network_of(one) for one in ("127.0.0.1", "::1", "", None, "unix:")} == {""}
