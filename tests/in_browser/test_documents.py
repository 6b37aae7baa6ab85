"""A Word file from upload to its second revision: table, sentence, header, lost approval."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from policies.jobs.embedded import run_urgent
from policies.models import Document, Rule, User
from tests.approving import approve
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from tests.word_files import paragraph, table, word_file
from translation.jobs import finish_inline, start_formalizing
from vetting.publishing import standing

RULE = "A visit that costs more than EUR {} requires approval by the host."


def visits(limit: str) -> bytes:
    return word_file(
        paragraph("Visits", heading=1)
        + paragraph("When a visit is approved", heading=2)
        + paragraph(RULE.format(limit))
        + paragraph("Rooms", heading=2)
        + table(("City", "Most a night"), ("Rome", "EUR 120"), ("Oslo", "EUR 180"))
    )


@pytest.fixture
def word(tmp_path: Path) -> Callable[[str], Path]:
    """`word("1,000")` is a Word file with that limit."""

    def write(limit: str) -> Path:
        path = tmp_path / f"visits {limit}.docx"
        path.write_bytes(visits(limit))
        return path

    return write


def send(page: Page, file: Path) -> None:
    page.get_by_label("Or a file").set_input_files(file)
    page.get_by_role("button", name="Read the document").click()


def test_a_word_file_shows_its_table_its_sentences_and_what_a_revision_takes_back(
    page: Page, site: Site, sign_in: Callable[..., None], word: Callable[[str], Path]
) -> None:
    sign_in(page)
    page.goto(f"{site.policy_url}documents/new/")
    send(page, word("1,000"))
    expect(page.get_by_role("heading", level=1, name="Visits")).to_be_visible()
    shown = page.locator(".doc table")
    expect(shown.get_by_role("columnheader")).to_have_text(["City", "Most a night"])
    shown.get_by_text("EUR 180").click()
    panel = page.locator("#panel")
    expect(panel.locator("blockquote")).to_contain_text("Oslo")
    expect(panel.locator("dl")).to_contain_text("Most a night")
    expect(panel.locator("dl")).to_contain_text("EUR 180")
    expect(shown.locator("[aria-current]").first).to_be_visible()

    approved = approve_rule(site)
    page.get_by_role("link", name="New revision").click()
    send(page, word("1,500"))
    expect(page.get_by_role("heading", level=1, name="What changed")).to_be_visible()
    changed = page.get_by_role("region", name="A changed sentence")
    expect(changed.locator("del")).to_have_text("1,000")
    expect(changed.locator("ins")).to_have_text("1,500")
    lost = page.get_by_role("region", name="1 rule lost its approval")
    lost.get_by_role("link", name=approved.name).click()
    expect(page.locator("#card-title")).to_be_visible()
    expect(page.get_by_text("approval lapsed").first).to_be_visible()


def approve_rule(site: Site) -> Rule:
    """Formalize the new document and approve its rule, as its owner would."""
    owner = User.objects.get(email=OWNER)
    finish_inline(start_formalizing(site.travel, owner), holder="tests")
    document = Document.objects.get(title="Visits")
    rule = Rule.objects.get(sources__revision__document=document)
    shown = standing(site.travel).rules[rule.uid].hash
    approve(site.travel, owner, rule, shown_hash=shown)
    return rule


def read_all() -> None:
    """Runs what waits; the check of the drafted policy may be in line before the upload."""
    assert run_urgent("a runner")
    while run_urgent("a runner"):
        pass


def test_the_page_of_an_upload_goes_on_by_itself_when_it_is_read(
    page: Page, site: Site, sign_in: Callable[..., None], word: Callable[[str], Path], settings: Any
) -> None:
    settings.UPLOAD_WAIT_S = 0
    sign_in(page)
    page.goto(f"{site.policy_url}documents/new/")
    send(page, word("1,000"))
    expect(page.get_by_text("It waits for a runner to take it up.")).to_be_visible()
    read_all()
    expect(page.get_by_role("heading", level=1, name="Visits")).to_be_visible()


def test_without_script_the_page_of_an_upload_looks_again_by_itself(
    page_without_script: Page,
    site: Site,
    sign_in: Callable[..., None],
    word: Callable[[str], Path],
    settings: Any,
) -> None:
    page = page_without_script
    settings.UPLOAD_WAIT_S = 0
    sign_in(page)
    page.goto(f"{site.policy_url}documents/new/")
    send(page, word("1,000"))
    expect(page.get_by_text("It waits for a runner to take it up.")).to_be_visible()
    read_all()
    expect(page.get_by_role("heading", level=1, name="Visits")).to_be_visible()


def test_a_refused_file_says_why_and_the_form_keeps_the_title(
    page: Page, site: Site, sign_in: Callable[..., None], tmp_path: Path
) -> None:
    empty = tmp_path / "empty.pdf"
    empty.write_bytes(b"")
    sign_in(page)
    page.goto(f"{site.policy_url}documents/new/")
    page.get_by_label("Title").fill("Annex")
    send(page, empty)
    expect(page.get_by_role("alert")).to_contain_text("empty")
    expect(page.get_by_label("Title")).to_have_value("Annex")
