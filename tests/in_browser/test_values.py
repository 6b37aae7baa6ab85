"""A list of values that can hold at once becomes facts: asked on the card, done in one act."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from policies.models import Rule
from tests.in_browser.conftest import Site
from tests.in_browser.making import choose_a_cabin


@pytest.fixture
def cabin(site: Site) -> Rule:
    return choose_a_cabin(site.travel)


def test_two_at_once_is_said_on_the_card_and_the_values_become_facts(
    site: Site, page: Page, sign_in: Callable[..., None], cabin: Rule
) -> None:
    sign_in(page)
    page.goto(f"{site.policy_url}review/{cabin.uid}/")
    page.locator(".readings button").last.click()  # what the rule was edited to
    page.get_by_role("button", name="No: add ‘something else’").click()
    # One more value is another list: what was answered over the old one is named first.
    page.get_by_role("button", name="Do it all the same").click()
    expect(page.get_by_role("heading", name="Are these all that there are?")).to_have_count(0)
    page.get_by_role("button", name="Yes, two can").click()
    expect(page.get_by_role("heading", name="Make each value a fact")).to_be_visible()
    page.get_by_role("button", name="Make them facts").click()
    expect(page.get_by_role("status")).to_contain_text("Each value is a fact of its own now")
    page.goto(f"{site.policy_url}review/{cabin.uid}/")
    expect(page.locator(".card .english").first).to_contain_text("the cabin includes first class")


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    cabin: Rule,
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    datatype = site.travel.datatypes.get()
    found = []
    for address in (
        f"{site.policy_url}review/{cabin.uid}/",
        f"{site.policy_url}glossary/datatypes/{datatype.uid}/values/",
    ):
        page.goto(address)
        violations = Axe().run(page).response["violations"]
        found += [
            f"{one['id']}: {node['html'][:120]}" for one in violations for node in one["nodes"]
        ]
        if page.locator("html").evaluate("e => e.scrollWidth > e.clientWidth"):
            found.append(f"{address} is wider than the page")
    assert found == []
