"""An owner says what is wrong with a rule, reads what a model proposes, and takes it: by keyboard.

The model's replies are hand-written.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Page, expect

from policies.models import Policy, Rule, User
from tests.approving import approve
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from tests.llm_server import fails, llm_server, says
from tests.pages.feedback import ask_at, changed, reply, smtlib_of, work
from translation.models import ProposedChange
from vetting.models import Decision

SignIn = Callable[..., None]
WRONG = "EUR 1,500 is the limit, and a trip of EUR 1,000 needs nobody."


def first_rule(policy: Policy) -> Rule:
    rule = Rule.objects.filter(policy=policy).order_by("position", "pk").first()
    assert rule is not None
    return rule


def raised(policy: Policy) -> dict[str, str]:
    rule = first_rule(policy)
    text = smtlib_of(policy, rule).replace("1000", "1500")
    return changed(rule.name, text, "The limit is raised to EUR 1,500.")


@pytest.fixture
def serve(
    site: Site, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    """`serve(says(...))`: a server with these answers is the policy's model."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings.POLICYWRIGHT_LLM_RETRIES = 0
    opened = []

    def begin(*answers: Any) -> None:
        context = llm_server(*answers)
        opened.append(context)
        ask_at(context.__enter__(), site.travel, settings)

    yield begin
    for context in opened:
        context.__exit__(None, None, None)


def open_form(site: Site, page: Page) -> None:
    page.goto(f"{site.policy_url}review/{first_rule(site.travel).uid}/")
    expect(page.locator("#card-title")).to_contain_text("Rule 1 of")
    page.keyboard.press("p")
    expect(page.get_by_label("What is wrong?")).to_be_focused()


def test_a_change_is_asked_for_read_accepted_and_approved_by_keyboard(
    site: Site, page: Page, sign_in: SignIn, serve: Callable[..., None]
) -> None:
    owner, rule = User.objects.get(email=OWNER), first_rule(site.travel)
    approve(site.travel, owner, rule, shown_hash=rule.content_hash)
    serve(says(reply(raised(site.travel))))
    sign_in(page)
    open_form(site, page)
    expect(page.locator("#where")).to_contain_text("Sent to openai/hand-written (openai at 127")
    page.keyboard.insert_text(WRONG)
    page.keyboard.press("Control+Enter")

    expect(page.get_by_role("status").get_by_text("It waits for a runner")).to_be_visible()
    work()
    # It was waited for: the page moves on by itself.
    expect(page.get_by_role("heading", name="What is proposed")).to_be_visible()
    change = page.locator(".change")
    expect(change.locator("del")).to_contain_text("1,000")
    expect(change.locator("ins")).to_contain_text("1,500")
    expect(change).to_contain_text("In the words of openai/hand-written")
    comes = page.locator(".comes")
    case = comes.locator("table", has_text="EUR 1,000.01")
    expect(case.locator("tr").nth(0)).to_contain_text("the trip is not approved")
    expect(case.locator("tr").nth(1)).to_contain_text("nothing follows")
    expect(comes).to_contain_text("The approval that Olivia Owner gave on")
    assert "1000" in smtlib_of(site.travel, first_rule(site.travel))
    page.keyboard.press("s")
    expect(change.locator("pre")).to_contain_text("1500.0")
    page.keyboard.press("y")

    expect(page.locator("#said")).to_contain_text("Accepted:")
    expect(page.locator(".card .english").first).to_contain_text("EUR 1,500")
    expect(page.locator("#card-title")).to_contain_text("approval lapsed")
    assert first_rule(site.travel).author == owner
    page.wait_for_load_state("networkidle")
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")
    assert "EUR 1,500" in Decision.objects.filter(rule=rule).latest("pk").english


def test_a_model_that_cannot_be_asked_says_so_and_is_asked_again(
    site: Site, page: Page, sign_in: SignIn, serve: Callable[..., None]
) -> None:
    serve(fails(401, "no"), says(reply(raised(site.travel))))
    sign_in(page)
    open_form(site, page)
    page.keyboard.insert_text(WRONG)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").get_by_text("It waits for a runner")).to_be_visible()
    work()
    expect(page.get_by_text("No rule was changed.")).to_be_visible()
    page.keyboard.press("y")
    expect(page.get_by_role("status").get_by_text("It waits for a runner")).to_be_visible()
    work()
    expect(page.get_by_role("button", name="Decline it")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("#said")).to_contain_text("Declined: nothing was changed")
    expect(page.get_by_text("Olivia Owner declined this on")).to_be_visible()
    assert "1000" in smtlib_of(site.travel, first_rule(site.travel))


def test_cancelled_while_the_model_is_asked_nothing_comes_of_it(
    site: Site, page: Page, sign_in: SignIn, serve: Callable[..., None]
) -> None:
    serve(says(reply(raised(site.travel)), delay_s=60))
    sign_in(page)
    open_form(site, page)
    page.keyboard.insert_text(WRONG)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").get_by_text("It waits for a runner")).to_be_visible()

    def run() -> None:
        work()
        connections.close_all()

    runner = threading.Thread(target=run)
    runner.start()
    expect(page.get_by_text("is asked. That takes seconds")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled: the model’s answer is not waited for.")).to_be_visible()
    runner.join(timeout=20)
    assert not runner.is_alive()
    assert not ProposedChange.objects.exists()


def test_it_all_works_without_script(
    site: Site, page_without_script: Page, sign_in: SignIn, serve: Callable[..., None]
) -> None:
    page = page_without_script
    serve(says(reply(raised(site.travel))))
    sign_in(page)
    page.goto(f"{site.policy_url}review/{first_rule(site.travel).uid}/")
    page.get_by_role("link", name="Say what is wrong").click()
    # Two rules, the second found by the words of its sentence.
    page.get_by_text("Other rules too").click()
    page.get_by_label("Words of their sentences, or a name").fill("six months")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("checkbox")).to_have_count(2)
    page.get_by_label("What is wrong?").fill(WRONG)
    page.get_by_role("button", name="Send it").click()
    expect(page.get_by_text("It waits for a runner")).to_be_visible()
    work()
    # The page asks again by itself.
    expect(page.get_by_role("heading", name="What is proposed")).to_be_visible()
    page.get_by_role("button", name="Accept the change").click()
    expect(page.locator("#said")).to_contain_text("Accepted:")
    assert "1500" in smtlib_of(site.travel, first_rule(site.travel))


def test_of_several_changes_one_is_looked_at_and_taken_alone(
    site: Site, page: Page, sign_in: SignIn, serve: Callable[..., None]
) -> None:
    rule, travel = first_rule(site.travel), site.travel
    other = next(
        one
        for one in Rule.objects.filter(policy=travel, kind="rule").exclude(pk=rule.pk)
        if " 6)" in smtlib_of(travel, one)
    )
    longer = changed(other.name, smtlib_of(travel, other).replace(" 6)", " 9)"), "Nine months.")
    serve(says(reply(raised(travel), longer)))
    sign_in(page)
    page.goto(f"{site.policy_url}feedback/new/?rule={rule.uid}&rule={other.uid}")
    page.get_by_label("What is wrong?").fill("Both begin too early.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").get_by_text("It waits for a runner")).to_be_visible()
    work()
    expect(page.get_by_role("heading", name="What comes of it: all 2 together")).to_be_visible()
    page.get_by_label("Take this change").nth(1).uncheck()
    page.get_by_role("button", name="Show what comes of the ticked").click()
    expect(page.get_by_role("heading", name="What comes of it", exact=True)).to_be_visible()
    expect(page.locator(".comes")).not_to_contain_text("months")
    page.get_by_role("button", name="Accept the ticked").click()
    expect(page.locator("#said")).to_contain_text("Accepted:")
    assert "1500" in smtlib_of(travel, rule)
    assert " 6)" in smtlib_of(travel, other)
