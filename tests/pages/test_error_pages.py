"""Whatever goes wrong is a page in the product's look that says what to do next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path
from django.views.decorators.http import require_POST

from policies.models import Policy, User


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("something of ours")


def away(request: HttpRequest) -> HttpResponse:
    raise OperationalError("could not connect to server db.internal")


def denied(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied("This needs <another> role.")


def long_form(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.POST.get("text", ""))


@require_POST
def only_sent(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


urlpatterns = [
    path("", include("config.urls")),
    path("broken/", broken),
    path("away/", away),
    path("denied/", denied),
    path("long/", long_form),
    path("only-sent/", only_sent),
]
handler400 = "policies.views.errors.bad_request"
handler403 = "policies.views.errors.not_allowed"
handler500 = "policies.views.errors.server_error"


@pytest.fixture
def client(settings: Any) -> Client:
    settings.ROOT_URLCONF = __name__
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("status", "method", "address", "sent", "says"),
    [
        (400, "get", "/sign-in/", {"headers": {"host": "evil.example"}}, "load the page again"),
        (403, "get", "/denied/", {}, "This needs &lt;another&gt; role."),
        (404, "get", "/nowhere/", {}, "ask them to add you"),
        (405, "get", "/only-sent/", {}, "It takes what a form sends"),
        (405, "post", "/policies/", {}, "It shows something"),
        (413, "post", "/long/", {"data": {"text": "x" * 20_000}}, "send less"),
        (500, "get", "/broken/", {}, "what you typed is still in the form"),
        (503, "get", "/away/", {}, "Wait a moment"),
    ],
)
def test_each_failure_is_a_page_of_ours_with_what_to_do(
    client: Client,
    alice: User,
    status: int,
    method: str,
    address: str,
    sent: dict[str, Any],
    says: str,
) -> None:
    client.force_login(alice)
    response = getattr(client, method)(address, **sent)
    page = response.content.decode()
    assert response.status_code == status
    assert says in page
    assert 'class="masthead"' in page
    assert '<a href="/">' in page
    assert "something of ours" not in page + str(response.headers)
    assert "db.internal" not in page


def test_what_an_address_takes_is_still_said_to_programs(client: Client, db: None) -> None:
    response = client.get("/only-sent/")
    assert (response.status_code, response["Allow"]) == (405, "POST")
    short = client.get("/only-sent/", headers={"hx-request": "true"})
    assert (short["X-Problem"], short["Allow"]) == ("shown", "POST")
    assert "<html" not in short.content.decode()


def test_a_database_that_is_away_says_when_to_come_back(client: Client) -> None:
    assert client.get("/away/")["Retry-After"] == "10"


def test_a_database_that_is_away_is_said_wherever_it_is_met_first(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who reads is looked up for the time zone, before any view of ours runs."""
    client.force_login(alice)

    def fails(*args: Any) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr("django.contrib.auth.backends.ModelBackend.get_user", fails)
    assert client.get("/policies/").status_code == 503


def test_a_page_of_another_policy_and_of_none_are_the_same(
    client: Client, policy: Policy, charlie: User, client_of: Callable[[User], Client]
) -> None:
    theirs = client_of(charlie)
    here, nowhere = theirs.get("/policies/travel/"), theirs.get("/policies/nothing/")
    assert (here.status_code, here.content) == (404, nowhere.content)
