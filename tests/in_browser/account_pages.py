"""The pages around accounts, state by state, for pictures and for axe."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.core import mail
from playwright.sync_api import Page, expect

from policies.archiving import archive
from policies.inviting import invite, send_invitation
from policies.models import User
from policies.people import create_policy
from policies.roles import Role
from policies.throttling import LIMITS
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER

DORA = "dora@example.org"


def link(site: Site) -> str:
    """The link of the last message, on the live server."""
    found = re.search(r"http://127\.0\.0\.1:8000(/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return site.url + found[1]


def account_pages(site: Site, page: Page) -> Iterator[str]:
    """The name of each state while the page shows it; somebody is signed in as the owner."""
    owner = User.objects.get(email=OWNER)
    page.goto(f"{site.url}/profile/")
    yield "profile"
    page.get_by_label("New e-mail address").fill("new@example.org")
    page.locator("#address_password").fill("wrong")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_text("This is not your password")).to_be_visible()
    yield "profile-refused"
    page.goto(f"{site.url}/search/?q=approv")
    yield "search"
    page.goto(f"{site.url}/search/?q=zeppelin")
    yield "search-nothing"
    send_invitation(invite(site.travel, owner, email=DORA, role=Role.REVIEWER), owner)
    page.goto(f"{site.policy_url}people/")
    yield "people-invited"
    page.goto(link(site))
    yield "invitation-for-another"
    page.goto(f"{site.policy_url}archive/")
    yield "archive"
    page.goto(f"{site.url}/invitations/made-up/")
    yield "link-trouble"
    page.goto(f"{site.url}/sign-out/")
    yield "wrong-method"
    archive(create_policy(owner, name="Travel policy of last year"), owner)
    page.goto(f"{site.url}/policies/")
    yield "policies-some-archived"
    page.goto(f"{site.url}/policies/?archived=1")
    yield "policies-archived"
    page.get_by_role("link", name="Travel policy of last year").click()
    yield "archived-policy"


def door_pages(site: Site, page: Page) -> Iterator[str]:
    """Likewise where nobody is signed in."""
    page.goto(f"{site.url}/password/")
    yield "password-forgotten"
    page.get_by_label("E-mail address").fill(OWNER)
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("heading", name="Look at your mail")).to_be_visible()
    yield "password-sent"
    page.goto(link(site))
    yield "password-set"
    page.goto(f"{site.url}/password/MQ/made-up/")
    yield "password-link-trouble"
    owner = User.objects.get(email=OWNER)
    send_invitation(invite(site.travel, owner, email=DORA, role=Role.LEGAL), owner)
    page.goto(link(site))
    yield "invitation"
    page.goto(f"{site.url}/sign-in/")
    for _ in range(LIMITS["sign-in"][0] + 1):
        page.get_by_label("E-mail address").fill("nobody@example.org")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("There were too many tries")).to_be_visible()
    yield "sign-in-too-often"
