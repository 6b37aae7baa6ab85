"""The example policies on the live server, and how a person gets in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page

from policies.models import Membership, Policy, User
from policies.roles import Role

OWNER = "owner@example.org"
PASSWORD = "a long enough secret"


@dataclass(frozen=True)
class Site:
    """Where the server listens, and the travel policy that it serves."""

    url: str
    travel: Policy

    @property
    def policy_url(self) -> str:
        return f"{self.url}/policies/{self.travel.slug}/"


@pytest.fixture
def site(live_server: Any) -> Site:
    """Both examples, formalized by the built-in formalizer; Bob reviews, Charlie is a stranger."""
    call_command("load_examples", password=PASSWORD, stdout=StringIO())
    travel = Policy.objects.get(name="Travel policy")
    bob = User.objects.create_user("bob@example.org", PASSWORD, name="Bob")
    Membership.objects.create(policy=travel, user=bob, role=Role.REVIEWER)
    User.objects.create_user("charlie@example.org", PASSWORD, name="Charlie")
    return Site(live_server.url, travel)


@pytest.fixture
def sign_in(site: Site) -> Callable[..., None]:
    """`sign_in(page)`, or as somebody else: `sign_in(page, "bob@example.org")`."""

    def enter(page: Page, email: str = OWNER) -> None:
        page.goto(f"{site.url}/sign-in/")
        page.get_by_label("E-mail address").fill(email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{site.url}/policies/")

    return enter
