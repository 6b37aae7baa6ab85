"""axe finds nothing to complain of on any page, in light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings as project
from playwright.sync_api import Page, expect

from policies.document_store import add_document, add_revision
from policies.intake import start_upload
from policies.jobs.embedded import run_urgent
from policies.models import Document, Job, Policy, Rule, Sentence, User, Variable
from tests.in_browser.conftest import Site
from tests.in_browser.failing import failing_run
from tests.in_browser.feedback_pages import feedback_pages
from tests.in_browser.making import OWNER, settle
from tests.word_files import inserted, word_file
from vetting.publishing import publish
from vetting.queue import build_queue

pytestmark = pytest.mark.axe


def addresses(site: Site) -> Iterator[str]:
    """Every page that a person can open, by its path."""
    travel = site.travel
    base = f"/policies/{travel.slug}/"
    document = Document.objects.filter(policy=travel).get()
    yield from ("/sign-in/", "/policies/", "/policies/new/", "/keys/", "/nowhere/")
    yield from (base, f"{base}people/", f"{base}documents/new/", f"{base}documents/{document.pk}/")
    yield f"{base}documents/{document.pk}/revise/"
    yield from document_states(f"{base}documents/{document.pk}/", document)
    yield f"{base}jobs/{Job.objects.filter(policy=travel).latest('pk').uid}/"
    yield from (f"{base}glossary/", f"{base}glossary/new/", f"{base}assumptions/")
    yield f"{base}glossary/{Variable.objects.filter(policy=travel).latest('pk').uid}/"
    # One card of each kind and state; the others are made by the same templates.
    cards = {(card.kind, card.state): card.key for card in build_queue(travel).cards}
    for key in cards.values():
        yield f"{base}review/{key}/"
    rule = Rule.objects.filter(policy=travel, sources__isnull=False).first()
    assert rule is not None
    yield f"{base}review/{rule.uid}/sources/?q=the"
    yield from (f"{base}review/list/", f"{base}review/list/approve/", f"{base}approvers/")
    yield from (f"{base}rules/", f"{base}rules/?print=yes", f"{base}effort/")
    yield f"{base}review/list/?state=waits&find=trip&order=risk"
    yield f"{base}versions/"


def document_states(base: str, document: Document) -> Iterator[str]:
    """A sentence with a rule, one without, one that was marked; and what is done to sections."""
    rows = Sentence.objects.filter(revision__document=document)
    for words in ("EUR 1,000", "reasonable", "explains"):
        yield f"{base}?sentence={rows.get(text__contains=words).lineage}"
    yield f"{base}?section=3"
    yield from (f"{base}sections/2/not-binding/", f"{base}sections/2/scope/")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    found = {path: violations(page, site.url + path) for path in addresses(site)}
    settle(site.travel)
    owner = User.objects.get(email=OWNER)
    version = publish(owner, site.travel, shown_revision=revision_of(site.travel))
    base = f"/policies/{site.travel.slug}/"
    rule = Rule.objects.filter(policy=site.travel).first()
    assert rule is not None
    for path in (
        base,
        f"{base}versions/",
        f"{base}versions/{version.number}/",
        f"{base}review/",
        f"{base}review/{rule.uid}/",
    ):
        found[f"{path} once published"] = violations(page, site.url + path)
    assert {path: problems for path, problems in found.items() if problems} == {}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_the_pages_of_documents_and_uploads(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    settle(site.travel)
    found = {path: violations(page, site.url + path) for path in documents_and_uploads(site)}
    assert {path: problems for path, problems in found.items() if problems} == {}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_the_pages_of_models_and_runs(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    with failing_run(settings, monkeypatch, tmp_path) as shown:
        found = {name: violations(page, site.url + path) for name, path in shown}
    assert {name: problems for name, problems in found.items() if problems} == {}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_the_pages_of_feedback(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    settings: Any,
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    found = {}
    with feedback_pages(site, settings) as shown:
        for name, path in shown:
            found[name] = violations(page, site.url + path)
            page.goto("about:blank")  # a page that waits goes on by itself
    assert {name: problems for name, problems in found.items() if problems} == {}


def documents_and_uploads(site: Site) -> Iterator[str]:
    """A changed revision, three documents, and an upload in each state that has a page."""
    travel, owner = site.travel, User.objects.get(email=OWNER)
    base = f"/policies/{travel.slug}/"
    document = Document.objects.get(policy=travel)
    example = project.BASE_DIR / "examples" / "travel-policy.md"
    text = example.read_text(encoding="utf-8")
    changed = text.replace("1,000", "1,500").replace("## When a booking", "## Whether a booking")
    changed = changed.replace("Expenses must be reasonable.", "The list of app\u200broved hotels.")
    add_revision(document, owner, data=changed.encode(), filename="t.md")
    for title in ("Annex A", "Works agreement"):
        add_document(travel, owner, title=title, data=b"It is so.", filename="t.txt")
    tracked = word_file(f"<w:p>{inserted('It is so.', author='Ann')}</w:p>")
    uploads = [
        start_upload(travel, owner, data=data, filename="board.docx")
        for data in (b"PK\x03\x04 broken", tracked)
    ]
    while run_urgent("tests"):
        pass
    uploads.append(start_upload(travel, owner, data=b"It is so.", filename="waits.txt"))
    yield from (f"{base}uploads/{upload.uid}/" for upload in uploads)
    yield f"{base}documents/list/"
    own = f"{base}documents/{document.pk}/"
    yield from (f"{own}rename/", f"{own}revisions/", f"{own}revisions/2/changes/")
    yield hidden_card(travel, document)


def hidden_card(travel: Policy, document: Document) -> str:
    """The card of a rule whose sentence holds hidden characters."""
    sentence = document.revisions.get(number=2).sentences.get(text__startswith="The list")
    rule = Rule.objects.filter(policy=travel, sources__isnull=False).first()
    assert rule is not None
    rule.sources.update(lineage=sentence.lineage)
    return f"/policies/{travel.slug}/review/{rule.uid}/"


def test_an_open_form_and_a_refusal_are_accessible(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    rule = Rule.objects.filter(policy=site.travel).first()
    assert rule is not None
    page.goto(f"{site.policy_url}review/{rule.uid}/")
    page.keyboard.press("e")
    editor = page.get_by_label("The rule in English")
    said = editor.input_value()
    for text, sign in (
        (said.replace("1,000", "2,000"), "understood, and read as"),
        (said.replace("cost of", "cots of"), "not understood"),
    ):
        editor.fill(text)
        page.keyboard.press("Control+Enter")
        expect(page.locator(".reading h3").first).to_contain_text(sign)
        assert problems_on(page) == []
    # A reading just shown takes no click for half a second (FR-55).
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.get_by_role("button", name="Declare a new fact").first.click()
    expect(page.get_by_role("heading", name="A new variable")).to_be_focused()
    assert problems_on(page) == []
    editor.fill("")
    editor.press_sequentially("If the cost")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert problems_on(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert problems_on(page) == []


def violations(page: Page, url: str) -> list[str]:
    page.goto(url)
    return problems_on(page)


def problems_on(page: Page) -> list[str]:
    result = Axe().run(page)
    return [
        f"{one['id']}: {node['html'][:120]}"
        for one in result.response["violations"]
        for node in one["nodes"]
    ]


def revision_of(policy: Policy) -> int:
    policy.refresh_from_db()
    return policy.revision
