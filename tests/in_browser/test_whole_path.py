"""From signing in to a published file: by keyboard, then once more without script."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from policies.models import Version
from policywright.findings import Finding
from policywright.library import LoadedPolicy
from policywright.smtlib import read
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER, PASSWORD
from tests.policywright.solvers import cvc5_answer, z3_answer
from vetting.models import Answer, Decision, SentenceMark

# More cards than this would mean that the path goes in circles.
MANY = 40


def test_an_owner_publishes_the_travel_policy_by_keyboard(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/sign-in/")
    expect(page.get_by_label("E-mail address")).to_be_focused()
    page.keyboard.type(OWNER)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Travel policy").press("Enter")
    set_default_by_keyboard(page)
    read_each_card_by_keyboard(page)

    expect(page.get_by_role("heading", name="Everything is read")).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Publish version 1")).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="Travel policy, version 1")).to_be_visible()
    with page.expect_download() as download:
        page.keyboard.press("d")
    assert download.value.suggested_filename == "travel-policy-v1.smt2"
    check_published(site, download.value.path())


def set_default_by_keyboard(page: Page) -> None:
    page.get_by_role("link", name="Assumptions").press("Enter")
    page.get_by_label("Of which outcome?").select_option(label="the trip is approved")
    page.get_by_label("approved unless forbidden: it holds").press("Space")
    page.get_by_role("button", name="Set the default").press("Enter")
    expect(page.locator("#card-title")).to_contain_text("Default 1 of 1")
    expect(page.locator(".english")).to_contain_text(
        "The trip is approved unless a rule forbids it"
    )


def read_each_card_by_keyboard(page: Page) -> None:
    title = page.locator("#card-title")
    for _ in range(MANY):
        expect(page.locator("#review[data-fresh]")).to_have_count(0)
        before = title.inner_text()
        if "question open" in before:
            page.keyboard.press("1")
            expect(page.locator("#said")).to_contain_text("Answered.")
            expect(title).to_contain_text("waiting")
        elif before.startswith("Sentence"):
            mark_by_keyboard(page)
            expect(title.or_(page.locator("h1", has_text="read"))).not_to_have_text(before)
        else:
            page.keyboard.press("a")
            expect(page.locator("#said")).to_contain_text("Approved:")
            expect(title.or_(page.locator("h1", has_text="read"))).not_to_have_text(before)
        if page.get_by_role("heading", name="Everything is read").is_visible():
            return
        # The keyboard keeps its place: the next card's title has the focus (FR-57).
        expect(title).to_be_focused()
    raise AssertionError("there is no end to the cards")


def mark_by_keyboard(page: Page) -> None:
    binding = "reasonable" in page.locator(".card .quote").inner_text()
    page.keyboard.press("b" if binding else "n")
    # Letters in a field are letters, not keys.
    page.keyboard.type("a person judges this, rare as it is" if binding else "an introduction")
    page.keyboard.press("Tab")
    for _ in range(MANY):
        if page.evaluate("document.activeElement.tagName") == "BUTTON":
            break
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def test_the_same_path_without_script(site: Site, page_without_script: Page) -> None:
    page = page_without_script
    page.goto(f"{site.policy_url}")
    page.get_by_label("E-mail address").fill(OWNER)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Assumptions").click()
    page.get_by_label("Of which outcome?").select_option(label="the trip is approved")
    page.get_by_label("approved unless forbidden: it holds").check()
    page.get_by_role("button", name="Set the default").click()
    page.get_by_role("link", name="Review", exact=True).click()
    for _ in range(MANY):
        if page.get_by_role("heading", name="Everything is read").count():
            break
        click_through_card(page)
    page.get_by_role("link", name="Go on to publish").click()
    page.get_by_role("button", name="Publish version 1").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    check_published(site, download.value.path())


def click_through_card(page: Page) -> None:
    title = page.locator("#card-title").inner_text()
    if "question open" in title:
        page.locator(".readings button").first.click()
    elif title.startswith("Sentence"):
        open_form(page, "Not binding").locator("textarea").fill("an introduction")
        page.get_by_role("button", name="Mark as not binding").click()
    else:
        page.get_by_role("button", name="Approve").click()


def open_form(page: Page, name: str) -> Locator:
    details = page.locator(".acts > details", has=page.locator("summary", has_text=name)).first
    details.locator("summary").first.click()
    return details


def check_published(site: Site, path: Path) -> None:
    """The bytes are the version's own, both solvers take them, and each word was said once."""
    version = Version.objects.get(policy=site.travel)
    data = path.read_bytes()
    assert data == bytes(version.smt2)
    assert hashlib.sha256(data).hexdigest() == version.sha256
    text = data.decode()
    assert z3_answer(text) == "sat"
    assert cvc5_answer(text) == "sat"
    assert [finding.kind.value for finding in ask_the_four(text)] == [
        "INVALID", "VALID", "SATISFIABLE", "IMPOSSIBLE",
    ]  # fmt: skip
    decisions = Decision.objects.filter(policy=site.travel)
    assert decisions.count() == decisions.values("rule").distinct().count()
    assert Answer.objects.count() == 1
    assert SentenceMark.objects.count() == 3


def ask_the_four(text: str) -> list[Finding]:
    """A dear trip unapproved, then approved; one abroad of unknown service; one booked anyway."""
    policy = LoadedPolicy(read(text))
    name = {variable.phrases.text: variable.name for variable in policy.model.variables}
    cost, abroad = name["the cost of the trip"], name["the trip is international"]
    approved = name["the line manager has approved the trip"]
    trip, booking = name["the trip is approved"], name["a booking may be made"]
    dear = [f"(= {cost} 2500)", f"(not {abroad})"]
    unapproved = policy.check([*dear, f"(not {approved})"], trip)
    assert len(unapproved.rules) == 1
    assert unapproved.facts == ("fact-1", "fact-3")
    open_ = policy.check([f"(= {cost} 2000)", abroad, approved], trip)
    assert open_.depends_on == (name["the employee's completed service"],)
    return [
        unapproved,
        policy.check([*dear, approved], trip),
        open_,
        policy.check([*dear, f"(not {approved})", booking], trip),
    ]


def test_pressing_keys_while_typing_does_nothing(site: Site, page: Page, sign_in: object) -> None:
    sign_in(page)  # type: ignore[operator]
    page.goto(f"{site.policy_url}review/")
    rule = page.locator(".sentence", has_text="EUR 1,000").locator("a").first
    rule.click()
    expect(page.locator("#card-title")).to_contain_text("Rule 1 of")
    page.keyboard.press("r")
    reason = page.get_by_label("What is wrong with this rule?")
    expect(reason).to_be_focused()
    page.keyboard.type("njakesu?")
    expect(reason).to_have_value("njakesu?")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator("#card-title")).to_contain_text("Rule 2 of")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert not Decision.objects.exists()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_source_sentence_is_in_view(
    site: Site, page: Page, sign_in: object, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page)  # type: ignore[operator]
    page.goto(f"{site.policy_url}review/")
    page.locator(".sentence", has_text="EUR 25").locator("a").first.click()
    sentence = page.locator(".sentence[aria-current]")
    expect(sentence).to_contain_text("EUR 25")
    expect(sentence).to_be_in_viewport()
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0
