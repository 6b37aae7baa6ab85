"""Signing in and out, and what a form sent when nobody was signed in (FR-54, FR-56)."""

from __future__ import annotations

from django.test import Client

from policies.models import Policy, User


def sign_in(client: Client, **fields: str) -> object:
    data = {"username": "Alice@Example.org", "password": "alice", **fields}
    return client.post("/sign-in/", data)


def test_an_address_is_taken_in_any_case(alice: User, client: Client) -> None:
    assert sign_in(client)["Location"] == "/"  # type: ignore[index]


def test_a_wrong_password_is_one_sentence(alice: User, client: Client) -> None:
    response = client.post("/sign-in/", {"username": "alice@example.org", "password": "x"})
    assert response.status_code == 422
    page = response.content.decode()
    assert "do not fit together" in page
    assert 'value="alice@example.org"' in page


def test_nobody_is_led_to_another_site(alice: User, client: Client) -> None:
    for url in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        assert sign_in(client, next=url)["Location"] == "/"  # type: ignore[index]
        client.post("/sign-out/")


def test_signing_out_takes_a_post(alice: User, client: Client) -> None:
    client.force_login(alice)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/policies/").status_code == 302


def test_fr_56_what_was_typed_is_offered_once_more_and_escaped(
    policy: Policy, alice: User, client: Client
) -> None:
    typed = {"name": "<script>x</script>", "shown": "h1"}
    page = client.post("/policies/new/", typed).content.decode()
    assert "Nothing is lost" in page
    assert "<script>x" not in page
    carried = {"carried-name": typed["name"], "carried-shown": "h1", "next": "/policies/new/"}
    page = sign_in(client, **carried).content.decode()  # type: ignore[attr-defined]
    assert "not saved yet" in page
    assert '<form method="post" action="/policies/new/"' in page
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert '<input type="hidden" name="shown" value="h1">' in page


def test_fr_54_an_old_token_offers_our_own_form_again_and_no_strangers(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    typed = {"name": "Leave policy", "csrfmiddlewaretoken": "old"}
    ours = client.post("/policies/new/", typed, headers={"origin": "http://testserver"})
    assert ours.status_code == 403
    assert "Leave policy" in ours.content.decode()
    for elsewhere in ({"origin": "https://evil.example"}, {"origin": "null"}, {}):
        response = client.post("/policies/new/", typed, headers=elsewhere)
        assert response.status_code == 403
        assert "Leave policy" not in response.content.decode()
    assert not Policy.objects.exists()
