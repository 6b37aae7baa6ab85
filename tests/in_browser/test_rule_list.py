"""The list of all rules: nothing for axe on it, and on paper only the rules, black on white."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.in_browser.conftest import Site
from tests.in_browser.test_accessibility import violations

pytestmark = pytest.mark.axe


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_the_rules_are_read_and_printed(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str, width: int
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    address = f"{site.policy_url}rules/"
    for asked in (address, f"{address}?print=yes", site.policy_url):
        assert violations(page, asked) == []
    page.goto(f"{address}?print=yes")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator(".masthead")).to_be_visible()
    page.emulate_media(media="print", color_scheme=scheme)
    for gone in (".masthead", "footer", ".to-print", ".skip"):
        expect(page.locator(gone)).to_be_hidden()
    colours = (
        "([c => c.color, c => c.backgroundColor]).map(f => f(getComputedStyle(document.body)))"
    )
    assert page.evaluate(colours) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    ink = "[...document.querySelectorAll('.rules *')].map(e => getComputedStyle(e).color)"
    assert set(page.evaluate(ink)) == {"rgb(0, 0, 0)"}
