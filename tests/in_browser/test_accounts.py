"""Accounts in the browser: by keyboard, without script, for axe, and the admin under our policy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from policies.archiving import archive
from policies.models import Policy, Rule, User
from tests.in_browser.account_pages import DORA, account_pages, door_pages, link
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER, PASSWORD
from tests.in_browser.test_accessibility import problems_on

NEW = "a quite different secret"


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_the_pages_of_accounts(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    found = {name: problems_on(page) for name in door_pages(site, page)}
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    for name in account_pages(site, page):
        found[name] = problems_on(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} pixels wide"
    assert {name: problems for name, problems in found.items() if problems} == {}


def test_an_invitation_is_sent_and_accepted_without_script(
    site: Site, page_without_script: Page, sign_in: Callable[..., None]
) -> None:
    page = page_without_script
    sign_in(page)
    page.goto(f"{site.policy_url}people/")
    page.get_by_label("E-mail address").fill(DORA)
    page.get_by_label("Role").select_option("reviewer")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text(f"An invitation is on its way to {DORA}.")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    page.goto(link(site))
    page.get_by_label("Your name").fill("Dora")
    page.get_by_label("A password").fill(NEW)
    page.get_by_label("The same once more").fill(NEW)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_text("You are reviewer on Travel policy.")).to_be_visible()
    expect(page.get_by_role("heading", name="Travel policy")).to_be_visible()


def test_a_policy_is_duplicated_archived_and_taken_out_without_script(
    site: Site, page_without_script: Page, sign_in: Callable[..., None]
) -> None:
    page = page_without_script
    sign_in(page)
    page.goto(f"{site.policy_url}people/")
    page.get_by_role("link", name="Archive or duplicate this policy").click()
    page.get_by_label("Name").fill("Travel policy, next year")
    page.get_by_role("button", name="Make the new policy").click()
    expect(page.get_by_text("Nothing of it is approved.")).to_be_visible()
    page.goto(f"{site.policy_url}archive/")
    page.get_by_role("button", name="Archive this policy").click()
    expect(page.get_by_text("Travel policy is archived.")).to_be_visible()
    page.goto(f"{site.policy_url}review/")
    expect(page.get_by_text("nothing of it changes")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.get_by_role("link", name="An owner can take it out.").click()
    page.get_by_role("button", name="Take out of the archive").click()
    expect(page.get_by_text("is out of the archive")).to_be_visible()
    assert Policy.objects.filter(archived_at=None).count() == 2


def test_an_act_in_a_window_from_before_the_archive_is_refused_beside_its_button(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    rule = Rule.objects.filter(policy=site.travel, questions=None).first()
    assert rule is not None
    page.goto(f"{site.policy_url}review/{rule.uid}/")
    archive(site.travel, User.objects.get(email=OWNER))
    page.locator("[data-key='a']").first.click()
    expect(page.locator(".problem", has_text="This policy is archived")).to_be_visible()


def test_a_password_is_set_anew_by_keyboard_alone(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/sign-in/")
    reach(page, "Forgotten your password?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Forgotten password")).to_be_visible()
    reach(page, "E-mail address")
    page.keyboard.type(OWNER)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Look at your mail")).to_be_visible()
    page.goto(link(site))
    for label in ("New password", "The same once more"):
        reach(page, label)
        page.keyboard.type(NEW)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your new password is set.")).to_be_visible()
    page.get_by_label("E-mail address").focus()
    page.keyboard.type(OWNER)
    reach(page, "Password")
    page.keyboard.type(NEW)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Policies")).to_be_visible()


def reach(page: Page, name: str) -> None:
    """Tab until the control of that name has the focus."""
    target = page.get_by_label(name, exact=True).or_(
        page.get_by_role("link", name=name, exact=True)
    )
    for _ in range(25):
        if target.evaluate("node => node === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"`{name}` is not reached by Tab")


def test_the_admin_works_under_the_same_strict_policy(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    """A blocked script or style would fail the page; see `tests.browser`."""
    User.objects.create_user("ops@example.org", PASSWORD, is_staff=True, is_superuser=True)
    bob = User.objects.get(email="bob@example.org")
    sign_in(page, "ops@example.org")
    base = f"{site.url}/operators/"
    for path in ("", "policies/", "policies/policy/", "policies/auditrow/", "policies/job/"):
        page.goto(base + path)
        expect(page.locator("#site-name, #header").first).to_be_visible()
    page.goto(f"{base}policies/user/?q=bob")
    page.get_by_role("checkbox", name="Select this object for an action").check()
    page.get_by_label("Action:").select_option("deactivate")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("Deactivated: bob@example.org")).to_be_visible()
    bob.refresh_from_db()
    assert not bob.is_active
    page.goto(f"{base}policies/user/{bob.pk}/change/")
    page.get_by_label("Name:").fill("Robert")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
