"""An example policy on the live server, and how a person gets in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page

from policies.jobs.embedded import run_urgent
from policies.models import Membership, Policy, User
from policies.roles import Role
from tests.in_browser.making import OWNER, PASSWORD, draft_travel


@pytest.fixture(autouse=True)
def _an_upload_is_read_while_its_page_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner's own step, in the thread of the request that waits for it."""
    monkeypatch.setattr("policies.intake.pause", lambda: run_urgent("tests"))


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
    """The travel policy, drafted by the built-in formalizer; Bob reviews it."""
    travel = draft_travel()
    bob = User.objects.create_user("bob@example.org", PASSWORD, name="Bob")
    Membership.objects.create(policy=travel, user=bob, role=Role.REVIEWER)
    # One person walks through it; a second one has tests of its own.
    Policy.objects.filter(pk=travel.pk).update(needs_second_person=False)
    travel.refresh_from_db()
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
