"""The playground in the browser: by keyboard, without script, and for axe."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from policies.models import Policy, User
from tests.airline import draft_airline
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER

SignIn = Callable[..., None]


@pytest.fixture
def airline(site: Site) -> Policy:
    return draft_airline(User.objects.get(email=OWNER))


@pytest.fixture
def address(site: Site, airline: Policy) -> str:
    return f"{site.url}/policies/{airline.slug}/scenarios/playground/"


def test_facts_are_chosen_by_keyboard_and_what_follows_changes_in_place(
    address: str, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    page.goto(address)
    first = page.locator(".outcomes > li").first
    expect(first).to_contain_text("open so far")
    page.get_by_label("Add a fact").focus()
    page.keyboard.type("the passenger flew")
    page.keyboard.press("Enter")
    # The new control has the focus; an arrow would move on, a space takes it.
    yes = page.get_by_role("radio", name="yes")
    expect(yes).to_be_focused()
    expect(page).to_have_url(re.compile(r"\?f\.[0-9a-f]{32}=$"))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"=no$"))
    expect(page.get_by_role("radio", name="no")).to_be_focused()
    # What matters most is the next action: its first value that settles something.
    expect(page.locator("#matters")).to_contain_text("What matters most:")
    page.locator("#matters ~ ul li", has_text="Then").first.get_by_role("link").focus()
    page.keyboard.press("Enter")
    expect(first.locator(".follows-yes, .follows-no")).to_be_visible()
    expect(page.locator("#told")).to_contain_text("1 settled")
    first.locator("summary").first.focus()
    page.keyboard.press("Enter")
    expect(first.locator(".rule .english").first).to_be_visible()
    # The address is the state: back takes back what was set last, as it was.
    page.go_back()
    expect(page).to_have_url(re.compile(r"=no$"))
    expect(page.get_by_role("radio", name="no")).to_be_checked()
    expect(page.locator(".chosen .fact")).to_have_count(1)


def test_a_bad_number_is_said_beside_its_field_and_what_is_typed_next_stays(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    page.goto(f"{site.policy_url}scenarios/playground/")
    page.get_by_label("Add a fact").fill("the cost of the trip")
    page.keyboard.press("Enter")
    cost = page.get_by_label("The cost of the trip", exact=True)
    expect(cost).to_be_focused()
    page.keyboard.type("a lot")
    page.keyboard.press("Tab")
    expect(page.locator(".fact .errorlist")).to_contain_text("a lot is not a number")
    expect(cost).to_have_value("a lot")
    cost.fill("1,000.01")
    page.get_by_label("Add a fact").focus()
    page.keyboard.type("the li")
    expect(page.locator(".fact .errorlist")).to_be_empty()
    expect(page.get_by_label("Add a fact")).to_have_value("the li")


def test_all_of_it_works_without_script(
    address: str, page_without_script: Page, sign_in: SignIn
) -> None:
    page = page_without_script
    sign_in(page)
    page.goto(address)
    page.get_by_label("Add a fact").fill("the flight")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label("The flight", exact=True).select_option(label="cancelled")
    page.get_by_role("button", name="Show what follows").click()
    first = page.locator(".outcomes > li").first
    expect(first).to_contain_text("A refund is due")
    expect(first.locator(".follows-yes")).to_be_visible()
    page.get_by_role("link", name="Remove: The flight").click()
    expect(first).to_contain_text("open so far")


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    site: Site,
    address: str,
    new_page: Callable[..., Page],
    sign_in: SignIn,
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    found = []
    for name, url in playground_pages(site, address, page):
        page.goto(url)
        for details in page.locator(".behind > summary").all():
            details.click()
        violations = Axe().run(page).response["violations"]
        found += [f"{name}: {v['id']} {n['html'][:120]}" for v in violations for n in v["nodes"]]
        if page.locator("html").evaluate("e => e.scrollWidth > e.clientWidth"):
            found.append(f"{name} is wider than the page")
    assert found == []


def playground_pages(site: Site, address: str, page: Page) -> list[tuple[str, str]]:
    """The page at the start, with facts, with a clash, with a bad value, with several words."""
    pages = [("start", address)]
    travel = f"{site.policy_url}scenarios/playground/"
    page.goto(f"{travel}?add=the+cost+of+the+trip")
    cost = page.url.partition("#")[0]
    pages += [("a fact", cost), ("a value", f"{cost}5000"), ("a bad value", f"{cost}lots")]
    pages += [("several", f"{travel}?add=the"), ("none", f"{travel}?add=zebra")]
    page.goto(f"{address}?add=the+flight")
    flight = page.url.partition("#")[0]
    page.get_by_label("The flight", exact=True).select_option(label="operated")
    page.get_by_label("Add a fact").fill("the circumstance")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label("The circumstance", exact=True).select_option(label="denied boarding")
    page.get_by_label("Add a fact").fill("the passenger flew")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("radio", name="no").check()
    expect(page.locator("#clash")).to_be_visible()
    return [*pages, ("an open list", flight), ("a clash", page.url)]
