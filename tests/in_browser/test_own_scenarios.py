"""Own scenarios in the browser: by keyboard, without script, from a file, and for axe."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.in_browser.conftest import Site
from tests.in_browser.own_pages import FAILS, HOLDS, TABLE, own_pages, upload
from vetting.models import Scenario

SignIn = Callable[..., None]


def test_one_is_written_by_keyboard_and_leads_to_the_rule_that_contradicts_it(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    page.goto(f"{site.policy_url}scenarios/own/")
    page.keyboard.press("w")
    field = page.get_by_label("The scenario in English")
    expect(field).to_be_focused()
    page.keyboard.type("Given that the cost of")
    offered = page.get_by_role("listbox", name="Phrases")
    expect(offered).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Given that the cost of the trip")
    page.keyboard.type(FAILS.removeprefix("Given that the cost of the trip"))
    page.keyboard.press("Control+Enter")
    read = page.locator(".reading h3").first
    expect(read).to_contain_text("understood, and read as")
    expect(read).to_be_focused()
    assert not Scenario.objects.exists()
    page.wait_for_timeout(600)  # a second key press at once is no decision
    page.keyboard.press("y")
    expect(page.get_by_text("Saved. The rules say otherwise")).to_be_visible()
    expect(page.locator(".notice.wrong")).to_contain_text("no, the trip is not approved")
    page.keyboard.press("e")
    expect(page.locator(".card .english").first).to_contain_text("EUR 1,000")
    (row,) = Scenario.objects.all()
    assert (row.expected, row.english) == ("VALID", FAILS)


def test_it_is_written_and_withdrawn_without_script(
    site: Site, page_without_script: Page, sign_in: SignIn
) -> None:
    page = page_without_script
    sign_in(page)
    page.goto(f"{site.policy_url}scenarios/own/new/")
    page.get_by_label("The scenario in English").fill(HOLDS)
    page.get_by_role("button", name="Read it").click()
    page.get_by_role("button", name="Save the scenario").click()
    expect(page.get_by_text("Saved. The rules say the same.")).to_be_visible()
    page.get_by_text("Withdraw it").first.click()
    page.get_by_label("Why does it not count any more?").fill("Said by mistake.")
    page.get_by_role("button", name="Withdraw it").click()
    expect(page.get_by_text("There is none yet.")).to_be_visible()


def test_a_file_is_imported_after_a_look_at_it(site: Site, page: Page, sign_in: SignIn) -> None:
    sign_in(page)
    page.goto(f"{site.policy_url}scenarios/own/")
    page.keyboard.press("i")
    upload(page, TABLE)
    expect(page.get_by_text("3 new scenarios in cases.csv")).to_be_visible()
    expect(page.get_by_text("1 does not hold")).to_be_visible()
    page.keyboard.press("y")
    expect(page.get_by_text("3 scenarios were imported.")).to_be_visible()
    expect(page.locator(".list > li").first).to_contain_text("EUR 2,000")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "travel-policy-scenarios.csv"


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_own_scenarios(
    site: Site, new_page: Callable[..., Page], sign_in: SignIn, scheme: str, width: int
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    found = {}
    for name in own_pages(site, page):
        found[name] = Axe().run(page).response["violations"]
        wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
        assert not wide, name
    assert {name: problems for name, problems in found.items() if problems} == {}
