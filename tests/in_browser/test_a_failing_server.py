"""One run against a server that fails in another way for each section of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from policies.document_store import add_document
from policies.jobs.embedded import run_next
from policies.models import Item, Job, Policy, User
from policies.models.jobs import ItemState
from policies.people import create_policy
from tests.failing_server import DEADLINE_S, DOCUMENT, SECTIONS, choose, sentence_on
from tests.in_browser.making import OWNER, PASSWORD
from tests.llm_server import LlmServer, llm_server


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with llm_server(choose=choose) as running:
        yield running


@pytest.fixture
def approvals(
    live_server: Any, server: LlmServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Policy:
    """A policy whose model is asked at the server that fails."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings.POLICYWRIGHT_LLM_MODEL = "openai/hand-written"
    settings.POLICYWRIGHT_LLM_API_BASE = server.base_url
    settings.POLICYWRIGHT_LLM_SECONDS = DEADLINE_S
    settings.POLICYWRIGHT_LLM_RETRIES = 1
    owner = User.objects.create_user(OWNER, PASSWORD, name="Olivia Owner")
    policy = create_policy(owner, name="Approvals", formalizer="litellm")
    add_document(policy, owner, title="Approvals", data=DOCUMENT.encode(), filename="approvals.md")
    return policy


@pytest.fixture
def enter(live_server: Any) -> Callable[[Page], None]:
    def sign_in(page: Page) -> None:
        page.goto(f"{live_server.url}/sign-in/")
        page.get_by_label("E-mail address").fill(OWNER)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{live_server.url}/policies/")

    return sign_in


def group(page: Page, heading: str) -> Locator:
    """What the page says of the failure that one section met."""
    return page.locator(".failed > li").filter(has_text=f"Approvals › {heading}")


def start(page: Page, approvals: Policy, url: str, server: LlmServer) -> None:
    """From the front page to the run, by way of the page that comes before."""
    page.goto(f"{url}/policies/{approvals.slug}/")
    page.get_by_role("button", name="Formalize").click()
    expect(page.get_by_role("heading", name="Before the run")).to_be_visible()
    host = server.base_url.removeprefix("http://").removesuffix("/v1")
    expect(page.locator(".asked")).to_contain_text(f"openai at {host}, one of your own hosts")
    assert not server.requests
    page.get_by_label("Tokens at most").fill("1,000,000")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Waiting for a runner to take this up.")).to_be_visible()


def test_the_page_of_a_run_tells_each_failure_apart(
    approvals: Policy,
    live_server: Any,
    server: LlmServer,
    page: Page,
    enter: Callable[[Page], None],
) -> None:
    enter(page)
    start(page, approvals, live_server.url, server)
    while run_next("test"):
        pass
    failed = [section for section in SECTIONS if section.title]
    expect(page.locator("#progress")).to_contain_text("Finished:")
    expect(page.locator("#progress")).to_contain_text(f"{len(failed)} failed")
    for section in SECTIONS:
        said = group(page, section.heading)
        expect(said).to_have_count(1 if section.says else 0)
        if section.says:
            expect(said).to_contain_text(section.says)
        if section.title:
            expect(said.get_by_role("heading")).to_have_text(section.title)
    reasons = page.locator(".failed > li > p:not(.small)").all_inner_texts()
    assert len(set(reasons)) == len(reasons) == len([one for one in SECTIONS if one.says])
    # What came of each question can be read, and what was tried for a sentence.
    page.get_by_role("link", name="What was asked").click()
    refused = page.get_by_role("row").filter(has_text="Approvals › Refusal").first
    refused.get_by_role("link").click()
    expect(page.locator("pre").first).to_have_text("I am sorry, but I cannot help with that.")
    page.go_back()
    wrong_key = page.get_by_role("row").filter(has_text="Approvals › Key")
    wrong_key.get_by_role("link").click()
    expect(page.locator(".sheet")).to_contain_text("is missing or refused")
    expect(page.locator("details[open] pre")).to_contain_text(sentence_on("visit"))
    page.go_back()
    page.go_back()
    group(page, "Undeclared").get_by_role("link", name="What was tried").click()
    expect(page.locator(".rounds")).to_contain_text("bonusSigned")


def test_a_server_that_is_gone_is_said_once_for_all_parts_and_tried_again(
    approvals: Policy,
    live_server: Any,
    page_without_script: Page,
    enter: Callable[[Page], None],
    settings: Any,
) -> None:
    page = page_without_script
    settings.POLICYWRIGHT_LLM_RETRIES = 0
    with llm_server(choose=choose) as gone:
        settings.POLICYWRIGHT_LLM_API_BASE = gone.base_url
    enter(page)
    start(page, approvals, live_server.url, gone)
    while run_next("test"):
        pass
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator("#progress")).to_contain_text(f"{len(SECTIONS)} failed")
    expect(page.locator(".failed > li")).to_have_count(1)
    expect(page.locator(".failed > li")).to_contain_text("No server answers")
    expect(page.locator(".failed > li li")).to_have_count(len(SECTIONS))
    page.get_by_role("button", name="Try the failed parts again").click()
    expect(page.get_by_text("parts done.")).to_be_visible()
    expect(page.locator(".failed")).to_have_count(0)


def test_fr_57_polling_keeps_the_place_of_the_keyboard(
    approvals: Policy,
    live_server: Any,
    server: LlmServer,
    page: Page,
    enter: Callable[[Page], None],
) -> None:
    enter(page)
    start(page, approvals, live_server.url, server)
    cancel = page.get_by_role("button", name="Cancel")
    cancel.focus()
    with page.expect_response(lambda response: "?seen=" in response.url):
        pass
    expect(cancel).to_be_focused()
    # What stands beside the progress comes anew once a part has failed.
    while not Item.objects.filter(state=ItemState.FAILED).exists():
        assert run_next("test")
    expect(page.get_by_role("heading", name="What failed")).to_be_visible()
    expect(cancel).to_be_focused()
    Job.objects.filter(policy=approvals).update(settings=limited_to(1_000))
    assert run_next("test")
    limit = page.get_by_label("Tokens at most")
    expect(page.get_by_text("Paused:")).to_be_visible()
    expect(cancel).to_be_focused()
    limit.fill("2,000,000")
    # A paused run is not asked about any more: what is typed stays as it is.
    expect(page.locator("[hx-trigger]")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.get_by_text("of at most 2,000,000")).to_be_visible()


def limited_to(tokens: int) -> dict[str, Any]:
    return {**Job.objects.latest("pk").settings, "tokens": tokens}
