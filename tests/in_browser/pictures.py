"""Takes a picture of every page into var/pictures: wide and narrow, light and dark.

Run by `make pictures`, never with the tests. Somebody then looks at them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from policies.document_store import add_revision
from policies.models import Document, Job, Rule, User, Variable
from tests.airline import draft_airline, rule_of
from tests.in_browser.account_pages import account_pages, door_pages
from tests.in_browser.conftest import Site
from tests.in_browser.failing import failing_run
from tests.in_browser.feedback_pages import feedback_pages
from tests.in_browser.making import (
    OWNER,
    ask_of_translators,
    choose_a_cabin,
    contradict,
    settle,
    translations_of,
)
from tests.in_browser.own_pages import HOLDS, own_pages, write
from tests.in_browser.test_foretold import TURNS, reject, rule_by_which_it_holds
from tests.in_browser.test_playground import playground_pages
from tests.in_browser.test_suite import REPAIRS_MS, SLIPS, answer_shown, answer_until_stopped
from tests.in_browser.thread_pages import thread_pages
from tests.loans import draft_loans
from tests.pages.feedback import work
from vetting.publishing import publish, standing
from vetting.queue import build_queue

PICTURES = Path(settings.BASE_DIR) / "var" / "pictures"
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str
) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    pages = []
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        take(page, f"{site.url}/sign-in/", f"sign-in-{size}-{scheme}")
        sign_in(page)
        pages.append((size, page))
    for size, page in pages:
        for name, path in drafts(site).items():
            take(page, site.url + path, f"{name}-{size}-{scheme}")
        open_forms(site, page, f"{size}-{scheme}")
    for_readme(site, pages[0][1], scheme)
    settle(site.travel)
    site.travel.refresh_from_db()
    base = f"/policies/{site.travel.slug}/"
    for size, page in pages:
        take(page, f"{site.url}{base}review/", f"review-done-{size}-{scheme}")
        take(page, f"{site.url}{base}versions/", f"publish-{size}-{scheme}")
    owner = User.objects.get(email=OWNER)
    publish(owner, site.travel, shown_revision=site.travel.revision)
    for size, page in pages:
        take(page, f"{site.url}{base}versions/1/", f"version-{size}-{scheme}")
        take(page, f"{site.url}{base}versions/", f"versions-{size}-{scheme}")
        take(page, f"{site.url}{base}", f"front-published-{size}-{scheme}")
        take(page, f"{site.url}{base}review/{rule(site).uid}/", f"review-approved-{size}-{scheme}")
    document = Document.objects.get(policy=site.travel)
    old = document.revisions.get().text
    add_revision(document, owner, data=old.replace("1,000", "1,500").encode(), filename="t.txt")
    for size, page in pages:
        changes = f"documents/{document.pk}/revisions/2/changes/"
        take(page, f"{site.url}{base}{changes}", f"changes-{size}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_runs(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    scheme: str,
) -> None:
    """A run before it starts, paused, and against a server that fails in every way."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    pages = []
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        sign_in(page)
        pages.append((size, page))
    with failing_run(settings, monkeypatch, tmp_path) as shown:
        for name, path in shown:
            for size, page in pages:
                page.goto(site.url + path)
                page.wait_for_load_state("networkidle")
                whole(page, f"{name}-{size}-{scheme}")
                make_a_mistake(page, name, f"{size}-{scheme}")


def make_a_mistake(page: Page, name: str, ending: str) -> None:
    """The form of a page as it comes back with a sentence beside a field."""
    if name == "models":
        page.get_by_label("Another model, named below").check()
        page.get_by_label("The other model that drafts").fill("two words")
        page.get_by_role("button", name="Keep").click()
    elif name == "run-before-unpriced":
        page.get_by_label("Tokens at most").fill("")
        page.get_by_role("button", name="Start").click()
    else:
        return
    page.locator(".errorlist").wait_for()
    whole(page, f"{name}-mistake-{ending}")


def whole(page: Page, name: str) -> None:
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_feedback(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    settings: Any,
    scheme: str,
) -> None:
    """What is wrong is said, the model is asked, fails, proposes; all of it in the list."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    pages = []
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        sign_in(page)
        pages.append((size, page))
    with feedback_pages(site, settings) as shown:
        for name, path in shown:
            for size, page in pages:
                page.goto(site.url + path)
                page.wait_for_load_state()
                whole(page, f"{name}-{size}-{scheme}")
                page.goto("about:blank")  # a page that waits goes on by itself


def drafts(site: Site) -> dict[str, str]:
    base = f"/policies/{site.travel.slug}/"
    document = Document.objects.get(policy=site.travel)
    cards = build_queue(site.travel).cards
    question = standing(site.travel).questions[0].question.rule.uid
    sentence = [card.key for card in cards if not card.is_rule][-1]
    return {
        "policies": "/policies/",
        "policy-new": "/policies/new/",
        "keys": "/keys/",
        "not-found": "/nowhere/",
        "front": base,
        "people": f"{base}people/",
        "approvers": f"{base}approvers/",
        "bulk": f"{base}review/list/approve/",
        "document-new": f"{base}documents/new/",
        "document": f"{base}documents/{document.pk}/",
        "job": f"{base}jobs/{Job.objects.filter(policy=site.travel).latest('pk').uid}/",
        "review": f"{base}review/{rule(site).uid}/",
        "review-question": f"{base}review/{question}/",
        "review-sentence": f"{base}review/{sentence}/",
        "glossary": f"{base}glossary/",
        "variable": f"{base}glossary/{Variable.objects.filter(policy=site.travel)[0].uid}/",
        "assumptions": f"{base}assumptions/",
        "documents": f"{base}documents/list/",
        "revisions": f"{base}documents/{document.pk}/revisions/",
        "revise": f"{base}documents/{document.pk}/revise/",
        "rename": f"{base}documents/{document.pk}/rename/",
        "document-sentence": f"{base}documents/{document.pk}/?sentence={sentence}",
        "not-binding": f"{base}documents/{document.pk}/sections/2/not-binding/",
        "scope": f"{base}documents/{document.pk}/sections/3/scope/",
        "rule-sources": f"{base}review/{rule(site).uid}/sources/",
        "alike": f"{base}glossary/alike/",
        "declare": f"{base}glossary/new/",
        "datatype-new": f"{base}glossary/datatypes/new/",
        "split": f"{base}glossary/{Variable.objects.filter(policy=site.travel)[0].uid}/split/",
        "blocked": f"{base}versions/",
        "rules": f"{base}rules/",
        "effort": f"{base}effort/",
        "queue": f"{base}review/list/?order=risk",
    }


def for_readme(site: Site, page: Page, scheme: str) -> None:
    """A review under way: two rules approved, then the open question."""
    page.goto(f"{site.policy_url}review/{rule(site).uid}/")
    for approved in ("1 of 6", "2 of 6"):
        page.keyboard.press("a")
        page.get_by_text(f"Draft · {approved} approved").wait_for()
        page.wait_for_timeout(600)
    page.goto(page.url)
    page.screenshot(path=PICTURES / f"readme-review-{scheme}.png")


def open_forms(site: Site, page: Page, name: str) -> None:
    """The review page in use: a rule edited in English, the keys."""
    page.goto(f"{site.policy_url}review/{rule(site).uid}/")
    page.keyboard.press("e")
    editor = page.get_by_label("The rule in English")
    said = editor.input_value()
    editor.fill("")
    editor.press_sequentially("If the cost")
    page.get_by_role("listbox").wait_for()
    page.keyboard.press("ArrowDown")
    page.screenshot(path=PICTURES / f"english-phrases-{name}.png")
    for picture, text in (
        ("understood", said.replace("1,000", "1,500")),
        ("misunderstood", said.replace("line manager", "line manger")),
    ):
        editor.fill(text)
        page.keyboard.press("Control+Enter")
        page.locator(".reading:not([data-stale]) h3").first.wait_for()
        page.screenshot(path=PICTURES / f"english-{picture}-{name}.png")
    # The second half of a double click counts for nothing, and for as long no other click.
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.get_by_role("button", name="Declare a new fact").first.click()
    page.get_by_role("button", name="Declare it").wait_for()
    page.screenshot(path=PICTURES / f"english-new-fact-{name}.png")
    page.goto(page.url)
    page.keyboard.press("?")
    page.screenshot(path=PICTURES / f"review-keys-{name}.png")


def rule(site: Site) -> Rule:
    found = Rule.objects.filter(policy=site.travel).first()
    assert found is not None
    return found


def take(page: Page, url: str, name: str) -> None:
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=PICTURES / f"{name}.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_answers(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str
) -> None:
    """A question of translators, their agreement, an answer that is contradicted, and values."""
    asked = ask_of_translators(site.travel).rule
    translations_of(asked)
    pages = []
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        sign_in(page)
        pages.append((size, page))
    card = f"{site.policy_url}review/{asked.uid}/"
    for size, page in pages:
        take(page, card, f"question-of-translators-{size}-{scheme}")
        page.locator(".translators summary").click()
        page.locator(".translators").scroll_into_view_if_needed()
        page.screenshot(path=PICTURES / f"agreement-{size}-{scheme}.png")
    contradict(site.travel, asked)
    for size, page in pages:
        take(page, card, f"answer-contradicted-{size}-{scheme}")
    choose_a_cabin(site.travel)
    values = f"{site.policy_url}glossary/datatypes/{site.travel.datatypes.get().uid}/values/"
    for size, page in pages:
        take(page, card, f"values-asked-{size}-{scheme}")
        take(page, values, f"values-{size}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_lint(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    scheme: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The draft waits, two rules clash, the change that mends it; a card; the front page; pages."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    policy = draft_airline(User.objects.get(email=OWNER))
    base = f"{site.url}/policies/{policy.slug}/"
    pages = []
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        sign_in(page)
        page.goto(f"{base}lint/")
        whole(page, f"lint-waits-{size}-{scheme}")
        page.goto("about:blank")
        pages.append((size, page))
    work()
    for size, page in pages:
        page.goto(f"{base}lint/")
        whole(page, f"lint-{size}-{scheme}")
        page.locator(".fixes a").first.click()
        page.locator(".comes").wait_for()
        whole(page, f"lint-fix-{size}-{scheme}")
        page.goto(f"{base}review/{rule_of(policy, 'denied').uid}/")
        whole(page, f"lint-card-{size}-{scheme}")
        page.goto(base)
        page.get_by_text("What stands in the way").click()
        whole(page, f"lint-front-{size}-{scheme}")
    monkeypatch.setattr("vetting.views.lint_pages.A_PAGE", 2)
    for size, page in pages:
        page.goto(f"{base}lint/?page=2")
        whole(page, f"lint-pages-{size}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_the_suite(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str
) -> None:
    """Tiers before and after, a case, an agreement, and a disagreement with its ways on."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    slips, _ = SLIPS["at least for more than"]
    policy = draft_loans(User.objects.get(email=OWNER), **slips)
    base = f"{site.url}/policies/{policy.slug}/"
    pages = []
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        sign_in(page)
        pages.append((size, page))
    page.goto(f"{base}lint/")
    work()
    for size, page in pages:
        page.goto(f"{base}scenarios/")
        whole(page, f"suite-before-{size}-{scheme}")
    page.get_by_role("button", name="Start").first.click()
    for size, page in pages:
        page.goto(f"{base}scenarios/")
        whole(page, f"suite-waits-{size}-{scheme}")
        page.goto("about:blank")
    work()
    for size, page in pages:
        page.goto(f"{base}scenarios/next/")
        whole(page, f"suite-case-{size}-{scheme}")
    assert answer_until_stopped(page, policy)
    disagreement = page.url
    verdict = ""
    while verdict != "You and the rules agree":
        page.goto(f"{base}scenarios/next/")
        verdict = answer_shown(page, policy)
    agreement = page.url
    for size, page in pages:
        page.goto(disagreement)
        page.locator(".repairs").wait_for(timeout=REPAIRS_MS)
        whole(page, f"suite-disagreement-{size}-{scheme}")
        page.goto(agreement)
        whole(page, f"suite-agreement-{size}-{scheme}")
        page.goto(f"{base}scenarios/")
        page.locator(".tier summary").first.click()
        whole(page, f"suite-{size}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_own_scenarios(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str
) -> None:
    """Listed, written, read in three ways, contradicted by the rules, and from a file."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        sign_in(page)
        for name in own_pages(site, page):
            whole(page, f"{name}-{size}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_threads(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str
) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    pages = []
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        sign_in(page)
        pages.append((size, page))
    for name, path in thread_pages(site):
        for size, page in pages:
            page.goto(site.url + path)
            if name == "review-with-threads":
                page.keyboard.press("c")
            whole(page, f"{name}-{size}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_the_playground(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str
) -> None:
    """Nothing given, facts, a bad value, several with the same words, facts that clash."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    policy = draft_airline(User.objects.get(email=OWNER))
    address = f"{site.url}/policies/{policy.slug}/scenarios/playground/"
    for size, (width, height) in SIZES.items():
        page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
        sign_in(page)
        for name, url in playground_pages(site, address, page):
            page.goto(url)
            whole(page, f"playground-{name.replace(' ', '-')}-{size}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_what_an_act_would_turn(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str
) -> None:
    """A rejection that turns a scenario: in its form, and without script on a page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    write(site, HOLDS)
    of = rule_by_which_it_holds(site)
    for size, (width, height) in SIZES.items():
        for name, script in {"turns": True, "turns-without-script": False}.items():
            page = new_page(
                color_scheme=scheme,
                viewport={"width": width, "height": height},
                java_script_enabled=script,
            )
            sign_in(page)
            page.goto(f"{site.policy_url}review/{of.uid}/")
            reject(page)
            expect(page.get_by_role("heading", name=TURNS)).to_be_visible()
            whole(page, f"{name}-{size}-{scheme}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures_of_accounts(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], scheme: str, size: str
) -> None:
    """What people meet around a policy: the door, their profile, invitations, search, archive."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    width, height = SIZES[size]
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
    for name in door_pages(site, page):
        whole(page, f"{name}-{size}-{scheme}")
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": height})
    sign_in(page)
    for name in account_pages(site, page):
        whole(page, f"{name}-{size}-{scheme}")
