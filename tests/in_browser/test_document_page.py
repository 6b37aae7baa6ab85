"""A document's page by keyboard, by mouse and without script; a panel for one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from policies.document_store import add_document
from policies.models import Document, DocumentRevision, Sentence, User
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from vetting.models import SentenceMark

TABLE = """# Rooms

## Limits

| City | Most a night |
| --- | --- |
| Rome | EUR 120 |
| Oslo | EUR 180 |
"""
SignIn = Callable[..., None]


@pytest.fixture
def travel_page(site: Site) -> str:
    document = Document.objects.get(policy=site.travel)
    return f"{site.policy_url}documents/{document.pk}/"


def sentence(words: str) -> Sentence:
    return Sentence.objects.get(text__contains=words)


def test_the_keyboard_goes_from_what_waits_to_a_mark_and_on(
    page: Page, travel_page: str, sign_in: SignIn
) -> None:
    sign_in(page)
    page.goto(travel_page)
    page.keyboard.press("w")
    title = page.locator("#panel-title")
    expect(title).to_contain_text("not understood")
    expect(title).to_be_focused()
    expect(page.locator(".doc .pick[aria-current]")).to_contain_text("explains how")
    page.keyboard.press("j")
    expect(page.locator(".panel blockquote")).to_contain_text("replaces the leaflet")
    expect(page.locator(".doc .pick[aria-current]")).to_contain_text("replaces the leaflet")
    expect(page).to_have_url(re.compile(sentence("replaces the leaflet").lineage))
    page.keyboard.press("k")
    expect(page.locator(".panel blockquote")).to_contain_text("explains how")
    page.keyboard.press("n")
    reason = page.get_by_label("Why does this sentence bind nobody?")
    expect(reason).to_be_focused()
    page.keyboard.type("it says what the text is: junk")
    page.get_by_role("button", name="Mark as not binding").press("Enter")
    expect(page.locator(".panel blockquote")).to_contain_text("replaces the leaflet")
    expect(page.locator("#said")).to_contain_text("Marked as not binding.")
    mark = SentenceMark.objects.get()
    assert mark.reason == "it says what the text is: junk"
    page.keyboard.press("w")
    expect(page.locator(".panel .rule-line").first).to_contain_text("EUR 1,000")
    page.keyboard.press("v")
    expect(page.locator("#card-title")).to_contain_text("Rule 1 of")


def test_a_sentence_is_opened_with_enter_and_escape_goes_back_to_it(
    page: Page, travel_page: str, sign_in: SignIn
) -> None:
    sign_in(page)
    page.goto(travel_page)
    link = page.locator(".doc .pick", has_text="EUR 1,000")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_be_focused()
    expect(link).to_have_attribute("aria-current", "true")
    page.keyboard.press("Escape")
    expect(link).to_be_focused()


@pytest.mark.parametrize("width", [1440, 390])
def test_a_row_is_marked_as_a_whole_and_stays_in_view(
    page: Page, site: Site, sign_in: SignIn, width: int
) -> None:
    owner = User.objects.get(email=OWNER)
    rooms = add_document(
        site.travel, owner, title="Room list", data=TABLE.encode(), filename="rooms.md"
    )
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page)
    page.goto(f"{site.policy_url}documents/{rooms.document_id}/")
    page.locator(".doc td .pick", has_text="EUR 180").click()
    row = page.get_by_role("row", name="Oslo")
    expect(row.locator("[aria-current]")).to_have_count(2)
    expect(row).to_be_in_viewport()
    plain = page.get_by_role("row", name="Rome")
    assert background(row) != background(plain)
    panel = page.locator("#panel")
    expect(panel).to_be_in_viewport()
    expect(panel.locator("dl")).to_contain_text("Most a night")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def background(row: object) -> str:
    return str(row.evaluate("row => getComputedStyle(row).backgroundColor"))  # type: ignore[attr-defined]


def test_all_of_it_works_without_script(
    page_without_script: Page, site: Site, travel_page: str, sign_in: SignIn
) -> None:
    page = page_without_script
    sign_in(page)
    page.goto(travel_page)
    page.locator(".doc .pick", has_text="explains how").click()
    expect(page.locator(".panel blockquote")).to_contain_text("explains how")
    page.locator("summary", has_text="Where it begins").click()
    page.locator(".words label", has_text="business").click()
    page.get_by_role("button", name="Split it there").click()
    expect(page.locator("#said")).to_contain_text("Split.")
    assert latest(travel_page).sentences.filter(text__startswith="business travel").exists()
    page.get_by_role("link", name="Mark as not binding the section Purpose").click()
    boxes = page.get_by_role("checkbox")
    expect(boxes).to_have_count(3)
    page.get_by_label("Why do these sentences bind nobody?").fill("a purpose")
    page.get_by_role("button", name="Mark the ticked sentences").click()
    expect(page.locator("#said")).to_contain_text("3 sentences")


def latest(travel_page: str) -> DocumentRevision:
    number = int(travel_page.rstrip("/").rsplit("/", 1)[1])
    found = DocumentRevision.objects.filter(document=number).order_by("number").last()
    assert found is not None
    return found


def test_a_scope_is_written_in_english_and_stands_at_its_section(
    page: Page, travel_page: str, sign_in: SignIn
) -> None:
    sign_in(page)
    page.goto(travel_page)
    page.get_by_role("link", name="Scope of When a trip is approved").click()
    page.get_by_label("The scope in English").fill("the trip is international")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".reading h3").first).to_have_text("understood, and read as")
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.keyboard.press("y")
    expect(page.get_by_role("heading", name="Its rules")).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("#said")).to_contain_text("Approved: the scope.")
    page.get_by_role("link", name="Back to the document").click()
    expect(page.locator(".scope")).to_contain_text("This section applies only if:")
