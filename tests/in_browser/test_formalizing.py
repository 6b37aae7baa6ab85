"""From pasted text to drafted rules: a job whose progress shows by itself, or by a link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from policies.jobs.embedded import run_next
from policies.models import Job, User
from tests.in_browser.making import PASSWORD

TEXT = """# Training

## When a course is approved

A course that costs more than EUR 500 requires approval by the head of the team.

## Contacts

The office answers questions on working days.
"""


@pytest.fixture
def alice_signed_in(live_server: Any) -> Callable[[Page], None]:
    User.objects.create_user("alice@example.org", PASSWORD, name="Alice")

    def enter(page: Page) -> None:
        page.goto(f"{live_server.url}/sign-in/")
        page.get_by_label("E-mail address").fill("alice@example.org")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="New policy").click()
        page.get_by_label("Name").fill("Training")
        page.get_by_role("button", name="Make the policy").click()
        page.get_by_label("Text").fill(TEXT)
        page.get_by_role("button", name="Read the document").click()
        became = page.get_by_role("group", name="What became of its sentences")
        expect(became).to_contain_text("untouched")

    return enter


def test_progress_shows_by_itself_until_the_job_has_ended(
    page: Page, alice_signed_in: Callable[[Page], None]
) -> None:
    alice_signed_in(page)
    page.keyboard.press("f")
    expect(page.get_by_text("Waiting for a runner to take this up.")).to_be_visible()
    while run_next("test"):
        pass
    expect(page.get_by_text("Finished:")).to_be_visible()
    # It asks no more: the panel that came last has no trigger.
    expect(page.locator("#progress[hx-trigger]")).to_have_count(0)
    page.keyboard.press("j")
    expect(page.locator("#card-title")).to_contain_text("Rule 1 of 1")


def test_fr_55_two_clicks_start_one_job_and_a_link_refreshes_without_script(
    page_without_script: Page, alice_signed_in: Callable[[Page], None]
) -> None:
    page = page_without_script
    alice_signed_in(page)
    page.get_by_role("button", name="Formalize").dblclick(delay=20)
    page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_text("Waiting for a runner to take this up.")).to_be_visible()
    assert Job.objects.filter(kind="formalize").count() == 1
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. What was done stays")).to_be_visible()
