"""A question that translations leave: answered by the case alone, and held to from then on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from policies.models import Rule
from tests.in_browser.conftest import Site
from tests.in_browser.making import ask_of_translators, contradict
from vetting.models import Answer, Scenario


@pytest.fixture
def service(site: Site) -> Rule:
    """The rule about six months, with a question of the formalizer's and one of translators."""
    return ask_of_translators(site.travel).rule


def test_a_question_is_answered_by_keys_and_the_answer_stands_on_the_card(
    site: Site, page: Page, sign_in: Callable[..., None], service: Rule
) -> None:
    sign_in(page)
    page.goto(f"{site.policy_url}review/{service.uid}/")
    asked = page.locator(".question").last
    expect(asked.get_by_role("heading")).to_contain_text("exactly 6 months")
    first, second = asked.get_by_role("button").all()
    expect(first).to_contain_text("In this case: nothing follows")
    expect(first).to_contain_text("2 of 3 translations read it so, the draft among them")
    expect(second).to_contain_text("In this case: the trip is not approved")
    expect(page.locator(".acts").get_by_role("button", name="Approve")).to_have_count(0)
    page.keyboard.press("2")  # the formalizer's own question comes first
    expect(page.get_by_role("heading", name="From an answer")).to_be_visible()
    expect(page.locator(".question")).to_have_count(1)
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.keyboard.press("2")
    expect(page.locator(".question")).to_have_count(0)
    expect(page.locator(".card .english").first).to_contain_text("at most 6 months")
    answers = page.locator(".answer")
    expect(answers).to_have_count(2)
    expect(answers.last).to_contain_text("holds")
    expect(answers.last).to_contain_text(
        "The trip is international and the employee's completed service is 6 months: "
        "the trip is not approved."
    )
    expect(page.locator("[data-fresh]")).to_have_count(0)
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("Approved")
    assert [one.expected for one in Scenario.objects.all()] == ["INVALID", "INVALID"]


def test_an_answer_that_the_rule_contradicts_is_seen_and_given_anew(
    site: Site, page: Page, sign_in: Callable[..., None], service: Rule
) -> None:
    contradict(site.travel, service)
    sign_in(page)
    page.goto(f"{site.policy_url}review/{service.uid}/")
    answer = page.locator(".answer").last
    expect(answer).to_contain_text("does not hold any more")
    page.goto(f"{site.policy_url}versions/")
    expect(page.get_by_role("main")).to_contain_text("An answer does not hold any more")
    for _ in range(2):
        page.goto(f"{site.policy_url}review/{service.uid}/")
        failing = page.locator(".answer", has=page.locator(".notice.wrong")).first
        failing.get_by_text("Answer it otherwise").click()
        failing.locator(".readings button").first.click()
        expect(page.get_by_role("status")).to_contain_text("Answered")
    expect(page.locator(".answer .notice.wrong")).to_have_count(0)
    assert Answer.objects.count() == 4


def test_all_of_it_works_without_script(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], service: Rule
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page)
    page.goto(f"{site.policy_url}review/{service.uid}/")
    page.locator(".question").last.get_by_role("button").last.click()
    expect(page.locator(".answer")).to_contain_text("the trip is not approved")
    page.locator(".answer summary").click()
    page.locator(".answer .readings button").first.click()
    expect(page.locator(".answer")).to_contain_text("nothing follows")


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
@pytest.mark.parametrize("contradicted", [False, True])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    service: Rule,
    scheme: str,
    width: int,
    contradicted: bool,
) -> None:
    if contradicted:
        contradict(site.travel, service)
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    page.goto(f"{site.policy_url}review/{service.uid}/")
    for summary in page.locator(".answer summary").all():
        summary.click()
    violations = Axe().run(page).response["violations"]
    found = [f"{one['id']}: {node['html'][:120]}" for one in violations for node in one["nodes"]]
    assert found == []
    assert not page.locator("html").evaluate("e => e.scrollWidth > e.clientWidth")
