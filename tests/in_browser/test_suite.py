"""A slip in one rule: all cases are answered as the document means them, and lead to that rule."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from policies.composing import compose
from policies.models import Policy, User
from policywright.english import render_sentence
from policywright.findings import FindingKind
from policywright.normal import normal_form
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import run
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from tests.loans import draft_loans, right_model, rule_of
from tests.pages.feedback import work
from vetting.cases_answered import CaseState, case_states
from vetting.suites import suite_now

SignIn = Callable[..., None]
KEYS = {
    FindingKind.VALID: "y",
    FindingKind.INVALID: "n",
    FindingKind.SATISFIABLE: "o",
    FindingKind.IMPOSSIBLE: "c",
}
OCCURS = {FindingKind.SATISFIABLE: "y", FindingKind.IMPOSSIBLE: "n"}
REPAIRS_MS = 25_000
CLAIM = "If what you meant differs from these rules by one edit of these kinds"
SLIPS = {
    "at least for more than": (
        {"long_loan": "(=> (and (>= loanDays 14) (not consent)) (not loanAllowed))"},
        "long-loan",
    ),
    "a number one step off": (
        {"in_debt": "(=> (and (> owed 20.01) (not consent)) (not loanAllowed))"},
        "in-debt",
    ),
    "a condition dropped": (
        {"long_loan": "(=> (> loanDays 14) (not loanAllowed))"},
        "long-loan",
    ),
}


def make_cases(page: Page, address: str) -> None:
    """The draft is checked, then the cases of the first tier are made, by keyboard."""
    page.goto(f"{address}lint/")
    work()
    page.goto(f"{address}scenarios/")
    press(page, "j")
    expect(page.get_by_role("status").get_by_text("wait to be made")).to_be_visible()
    work()
    # It was waited for: the page moves on by itself.
    expect(page.get_by_role("link", name="Answer the cases")).to_be_visible()


def press(page: Page, key: str) -> None:
    """A key, once the page is there with its script."""
    page.wait_for_load_state("networkidle")
    page.keyboard.press(key)


def answer_shown(page: Page, policy: Policy) -> str:
    """Answer the case on the screen as the document means it; gives what the page says then."""
    expect(page.locator("h2.asked")).to_be_visible()
    key = unquote(page.url).rstrip("/").rpartition("/")[2]
    composition = compose(policy)
    case = suite_now(policy, composition).get(key)
    assert case is not None
    asked = Expectation(case.facts, case.claim, FindingKind.UNDECIDED)
    meant = next(iter(run(right_model(policy), [asked]))).found
    press(page, (OCCURS if case.claim is None else KEYS)[meant])
    verdict = page.locator("h1#verdict")
    expect(verdict).to_be_visible()
    return verdict.inner_text()


def answer_until_stopped(page: Page, policy: Policy) -> bool:
    """Go on from case to case, by keyboard; whether a disagreement stopped it."""
    while True:
        verdict = answer_shown(page, policy)
        if "disagree" in verdict:
            return True
        assert verdict == "You and the rules agree"
        goes_on = page.get_by_role("link", name="Next case").count() > 0
        press(page, "Enter")
        if not goes_on:
            return False


@pytest.mark.parametrize(("slips", "name"), SLIPS.values(), ids=SLIPS.keys())
def test_a_slip_stops_the_answers_and_they_lead_to_its_rule(
    site: Site, page: Page, sign_in: SignIn, slips: dict[str, str], name: str
) -> None:
    policy = draft_loans(User.objects.get(email=OWNER), **slips)
    address = f"{site.url}/policies/{policy.slug}/"
    sign_in(page)
    make_cases(page, address)
    press(page, "j")
    assert answer_until_stopped(page, policy)

    # The rule with the slip is among those that the finding rests on, or among the repairs.
    row = rule_of(policy, name)
    model = compose(policy).model
    right = right_model(policy).rule_by_id[row.uid].term
    assert normal_form(model.rule_by_id[row.uid].term) != normal_form(right)
    repair = page.locator(".repairs li").filter(has=page.locator(f"form[action*='{row.uid}']"))
    # They are looked for in a process of its own, which may take its seconds.
    expect(repair.first).to_be_visible(timeout=REPAIRS_MS)
    mends = repair.filter(has_text=said_of(policy, row.uid))
    # The first nine have keys; the others are reached like any button.
    mends.get_by_role("button").focus()
    press(page, "Enter")
    expect(page.locator(".reading h3").first).to_contain_text("understood, and read as")
    press(page, "y")
    expect(page.locator("#said")).to_contain_text(f"Saved: {name}.")
    assert normal_form(compose(policy).model.rule_by_id[row.uid].term) == normal_form(right)
    # A card that was just shown takes no act for half a second (FR-55).
    expect(page.locator("[data-fresh]")).to_have_count(0)
    press(page, "a")
    expect(page.locator("#said")).to_contain_text(f"Approved: {name}.")

    # What the edit touched is asked again; what it did not touch stays answered.
    press(page, "q")
    expect(page.get_by_role("heading", name="Scenarios")).to_be_visible()
    work()
    expect(page.get_by_role("link", name="Go on")).to_be_visible()
    press(page, "j")
    assert not answer_until_stopped(page, policy)
    expect(page.locator(".claim")).to_contain_text(CLAIM)
    composition = compose(policy)
    states = case_states(policy, composition, suite_now(policy, composition))
    assert {one.state for one in states.values()} == {CaseState.AGREED}


def said_of(policy: Policy, uid: str) -> str:
    """The rule as it should be."""
    model = right_model(policy)
    return render_sentence(model, model.rule_by_id[uid].term)


def test_all_of_it_works_without_script(
    site: Site, page_without_script: Page, sign_in: SignIn
) -> None:
    slips, _ = SLIPS["at least for more than"]
    policy = draft_loans(User.objects.get(email=OWNER), **slips)
    address = f"{site.url}/policies/{policy.slug}/"
    page = page_without_script
    sign_in(page)
    page.goto(f"{address}lint/")
    work()
    page.goto(f"{address}scenarios/")
    page.get_by_role("button", name="Start").first.click()
    work()
    # The page comes again by itself.
    page.get_by_role("link", name="Answer the cases").click()
    for _ in range(20):
        expect(page.locator("h2.asked")).to_be_visible()
        page.get_by_role("button", name="Yes").click()
        if "disagree" in page.locator("h1#verdict").inner_text():
            break
        page.get_by_role("link", name="Next case").click()
    page.get_by_role("link", name="Show them").click()
    page.locator(".repairs button").first.click()
    expect(page.locator(".reading h3").first).to_contain_text("understood, and read as")


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    site: Site, new_page: Callable[..., Page], sign_in: SignIn, scheme: str, width: int
) -> None:
    slips, _ = SLIPS["at least for more than"]
    policy = draft_loans(User.objects.get(email=OWNER), **slips)
    address = f"{site.url}/policies/{policy.slug}/"
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    found = []

    def look() -> None:
        page.wait_for_load_state("networkidle")
        violations = Axe().run(page).response["violations"]
        found.extend(
            f"{one['id']}: {node['html'][:120]}" for one in violations for node in one["nodes"]
        )
        if page.locator("html").evaluate("e => e.scrollWidth > e.clientWidth"):
            found.append(f"{page.url} is wider than the page")

    page.goto(f"{address}lint/")
    work()
    page.goto(f"{address}scenarios/")
    look()
    page.get_by_role("button", name="Start").first.click()
    expect(page.get_by_role("status").get_by_text("wait to be made")).to_be_visible()
    look()
    work()
    page.get_by_role("link", name="Answer the cases").click()
    expect(page.locator("h2.asked")).to_be_visible()
    look()
    assert answer_until_stopped(page, policy)
    page.locator(".repairs").wait_for(timeout=REPAIRS_MS)
    look()
    press(page, "c")
    look()
    page.goto(f"{address}scenarios/")
    page.locator(".tier summary").first.click()
    look()
    assert found == []
