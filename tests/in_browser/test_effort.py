"""Seconds are counted while the page is in sight and used, and not without script."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from policies.models import Rule
from tests.in_browser.conftest import Site
from tests.in_browser.test_accessibility import violations
from vetting.effort_models import Effort

pytestmark = pytest.mark.axe


def kept() -> list[tuple[str, int]]:
    """What came, once it came."""
    for _ in range(50):
        if rows := list(Effort.objects.order_by("pk").values_list("card", "seconds")):
            return rows
        time.sleep(0.1)
    return []


def test_a_page_in_use_counts_for_its_card_and_one_at_rest_does_not(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None]
) -> None:
    page = new_page()
    sign_in(page)
    rule = Rule.objects.filter(policy=site.travel).first()
    assert rule is not None
    page.clock.install()
    page.goto(f"{site.policy_url}review/{rule.uid}/")
    # Opened, then left alone: half a minute of reading counts and the quarter of an hour does not.
    page.clock.run_for(900_000)
    page.goto(f"{site.policy_url}effort/")
    ((card, seconds),) = kept()
    assert card == rule.uid
    assert 20 <= seconds <= 31
    assert violations(page, f"{site.policy_url}effort/") == []


def test_without_script_nothing_is_counted(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None]
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page)
    page.goto(site.policy_url)
    page.wait_for_timeout(1500)
    page.goto(f"{site.policy_url}effort/")
    page.wait_for_timeout(500)
    assert not Effort.objects.exists()
