"""Which scenarios an act turns is shown before it is done: in its form, without script, to axe."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from policies.composing import compose
from policies.models import Rule
from tests.in_browser.conftest import Site
from tests.in_browser.own_pages import HOLDS, write
from vetting.scenarios import run_in_force

SignIn = Callable[..., None]
TURNS = "Scenarios that turn out differently"


def rule_by_which_it_holds(site: Site) -> Rule:
    (run,) = run_in_force(site.travel, compose(site.travel)).values()
    assert run.ran is not None
    rows = Rule.objects.filter(uid__in=run.ran.rules, kind="rule")
    return rows.get()


def reject(page: Page) -> None:
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("What is wrong with this rule?").fill("It is not ours.")
    page.get_by_role("button", name="Reject the rule").click()


@pytest.mark.parametrize("has_script", [True, False])
def test_a_rejection_names_what_it_turns_and_is_done_by_a_second_yes(
    site: Site, page: Page, page_without_script: Page, sign_in: SignIn, has_script: bool
) -> None:
    page = page if has_script else page_without_script
    write(site, HOLDS)
    rule = rule_by_which_it_holds(site)
    sign_in(page)
    page.goto(f"{site.policy_url}review/{rule.uid}/")
    reject(page)
    expect(page.get_by_role("heading", name=TURNS)).to_be_visible()
    expect(page.get_by_text("nothing follows").first).to_be_visible()
    rule.refresh_from_db()
    assert rule.retired_at is None
    page.get_by_role("button", name="Do it all the same").click()
    expect(page.get_by_text(f"Rejected: {rule.name}.")).to_be_visible()
    rule.refresh_from_db()
    assert rule.retired_at is not None


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_what_would_turn(
    site: Site, new_page: Callable[..., Page], sign_in: SignIn, scheme: str, width: int
) -> None:
    write(site, HOLDS)
    rule = rule_by_which_it_holds(site)
    found = {}
    for java_script in (True, False):
        page = new_page(
            color_scheme=scheme,
            viewport={"width": width, "height": 900},
            java_script_enabled=java_script,
        )
        sign_in(page)
        page.goto(f"{site.policy_url}review/{rule.uid}/")
        reject(page)
        expect(page.get_by_role("heading", name=TURNS)).to_be_visible()
        if java_script:
            found["in its form"] = Axe().run(page).response["violations"]
        wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
        assert not wide
    assert {name: problems for name, problems in found.items() if problems} == {}


@pytest.mark.parametrize("has_script", [True, False])
def test_an_edit_is_shown_again_where_somebody_answered_while_it_was_read(
    site: Site, page: Page, page_without_script: Page, sign_in: SignIn, has_script: bool
) -> None:
    page = page if has_script else page_without_script
    rule = Rule.objects.filter(policy=site.travel, kind="rule").first()
    assert rule is not None
    before = rule.content_hash
    sign_in(page)
    page.goto(f"{site.policy_url}review/{rule.uid}/")
    page.locator("summary", has_text="Edit").first.click()
    field = page.get_by_label("The rule in English")
    field.fill(field.input_value().replace("EUR 1,000", "EUR 1,500"))
    page.get_by_role("button", name="Read it").first.click()
    expect(page.locator(".reading h3").first).to_contain_text("understood")
    assert page.get_by_role("heading", name=TURNS).count() == 0
    write(site, HOLDS)
    # What has just been set takes no click yet.
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.get_by_role("button", name="Save").first.click()
    # The draft as it is and as it would be are asked of a solver that starts first.
    expect(page.get_by_text("not what you were shown").first).to_be_visible(timeout=20_000)
    expect(page.get_by_role("heading", name=TURNS)).to_be_visible()
    rule.refresh_from_db()
    assert rule.content_hash == before
    # What has just been set takes no click yet.
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text(f"Saved: {rule.name}.").first).to_be_visible()
    rule.refresh_from_db()
    assert rule.content_hash != before
