"""Two rules of an airline clash: found, explained and repaired in the browser, by keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from policies.models import Policy, User
from policywright.smtlib import read
from tests.airline import draft_airline, draft_of, rule_of
from tests.approving import approve
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from tests.pages.feedback import work
from tests.policywright.shared import shared

SignIn = Callable[..., None]
CLASH = "These rules cannot all hold where"


@pytest.fixture
def airline(site: Site) -> Policy:
    """One of the two rules is approved."""
    owner = User.objects.get(email=OWNER)
    policy = draft_airline(owner)
    row = rule_of(policy, "stayed-away")
    approve(policy, owner, row, shown_hash=row.content_hash)
    return policy


@pytest.fixture
def address(site: Site, airline: Policy) -> str:
    return f"{site.url}/policies/{airline.slug}/"


def test_the_clash_is_found_explained_and_repaired_by_keyboard(
    airline: Policy, address: str, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    page.goto(f"{address}lint/")
    expect(page.get_by_role("status").get_by_text("waits to be checked")).to_be_visible()
    work()
    # It was waited for: the page moves on by itself.
    clash = page.locator(".diagnostic").first
    expect(clash.get_by_role("heading")).to_contain_text(CLASH)
    expect(clash.get_by_role("heading")).to_contain_text("the circumstance is denied boarding")
    expect(clash).to_contain_text("Whoever did not fly on a flight that operated")
    expect(clash).to_contain_text("Whom we denied boarding gets the fare back.")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("1")

    change = page.locator(".change")
    expect(change.locator("ins").last).to_contain_text("denied boarding")
    case = page.locator(".comes table").first
    expect(case.locator("tr").nth(0)).to_contain_text("a refund is not due and a refund is due")
    expect(case.locator("td").nth(1)).to_have_text("a refund is due")
    expect(page.locator(".comes")).to_contain_text("The approval that Olivia Owner gave on")
    before = rule_of(airline, "stayed-away").term
    page.wait_for_load_state("networkidle")
    page.keyboard.press("y")

    expect(page.locator("#said")).to_contain_text("Changed: stayed-away.")
    assert rule_of(airline, "stayed-away").term != before
    work()
    expect(page.locator(".lede")).to_contain_text("Found in the draft as it is")
    expect(page.get_by_text(CLASH)).to_have_count(0)
    page.goto(f"{address}review/{rule_of(airline, 'denied').uid}/")
    expect(page.locator(".card")).to_contain_text("Lint clean")


@pytest.mark.slow
def test_the_draft_of_the_corpus_is_found_explained_and_repaired_clash_by_clash(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    """Its seven clauses clash in ten pairs; the first change offered is made until none is left."""
    text = shared("corpus", "gold", "airline-refund-unvetted.smt2").read_text(encoding="utf-8")
    policy = draft_of(User.objects.get(email=OWNER), read(text), "Airline draft")
    sign_in(page)
    address = f"{site.url}/policies/{policy.slug}/lint/"
    errors = page.get_by_role("region", name="Errors").locator(".diagnostic")
    found = []
    for _ in range(12):
        page.goto(address)
        work()
        expect(page.locator(".lede")).to_contain_text("Found in the draft as it is")
        found.append(errors.count())
        if not found[-1]:
            break
        expect(errors.first.get_by_role("heading")).to_contain_text(CLASH)
        expect(errors.first.locator(".speaks li")).to_have_count(2)
        page.wait_for_load_state("networkidle")
        page.keyboard.press("1")
        expect(page.locator(".change")).to_be_visible()
        page.wait_for_load_state("networkidle")
        page.keyboard.press("y")
        expect(page.locator("#said")).to_contain_text("Changed: c")
    assert found[0] == 10
    assert found[-1] == 0
    assert found == sorted(found, reverse=True)


def test_all_of_it_works_without_script(
    airline: Policy, address: str, page_without_script: Page, sign_in: SignIn
) -> None:
    page = page_without_script
    sign_in(page)
    page.goto(f"{address}lint/")
    work()
    # The page comes again by itself.
    expect(page.locator(".diagnostic").first).to_contain_text(CLASH)
    page.locator(".fixes a").first.click()
    page.get_by_role("button", name="Make this change").click()
    expect(page.locator("#said")).to_contain_text("Changed: stayed-away.")
    work()
    expect(page.locator(".lede")).to_contain_text("Found in the draft as it is")
    warning = page.locator(".diagnostic").first
    warning.get_by_text("It may stand").click()
    warning.get_by_label("Why may it stand?").fill("These are all there are.")
    warning.get_by_role("button", name="Silence it").click()
    silenced = page.get_by_role("region", name="Silenced")
    expect(silenced).to_contain_text("Olivia Owner silenced this on")
    expect(silenced).to_contain_text("These are all there are.")


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    airline: Policy,
    address: str,
    new_page: Callable[..., Page],
    sign_in: SignIn,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    found = []

    def look() -> None:
        violations = Axe().run(page).response["violations"]
        found.extend(
            f"{one['id']}: {node['html'][:120]}" for one in violations for node in one["nodes"]
        )
        if page.locator("html").evaluate("e => e.scrollWidth > e.clientWidth"):
            found.append(f"{page.url} is wider than the page")

    page.goto(f"{address}lint/")
    look()
    work()
    expect(page.locator(".diagnostic").first).to_be_visible()
    look()
    page.locator(".fixes a").first.click()
    expect(page.locator(".comes")).to_be_visible()
    look()
    page.goto(f"{address}review/{rule_of(airline, 'denied').uid}/")
    look()
    monkeypatch.setattr("vetting.views.lint_pages.A_PAGE", 1)
    page.goto(f"{address}lint/?page=2")
    expect(page.get_by_role("navigation", name="Pages of what was found")).to_be_visible()
    look()
    page.get_by_label("Only").select_option("no-other")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".diagnostic").first).to_contain_text("no-other")
    look()
    assert found == []
