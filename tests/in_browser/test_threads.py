"""People write to each other: by keys alone, without script, and when something goes wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from policies.models import User
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from tests.in_browser.test_accessibility import problems_on, violations
from tests.in_browser.thread_pages import first_rule, talk, thread_pages
from vetting.models import Comment, Thread, ThreadClosing
from vetting.thread_models import Assignment
from vetting.threads import answer_in

LABEL = "What do you want to say or ask?"


def open_card(site: Site, page: Page) -> None:
    page.goto(f"{site.policy_url}review/{first_rule(site).uid}/")


def test_a_comment_is_written_and_answered_by_keys_alone(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    open_card(site, page)
    page.keyboard.press("c")
    expect(page.get_by_label(LABEL)).to_be_focused()
    # Letters that are keys elsewhere are text here.
    page.keyboard.type("@Bob, can a reader approve?")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Keep the comment")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("Bob will see it.")
    expect(page.locator("#card-title")).to_be_focused()
    expect(page.locator(".comment")).to_contain_text("@Bob, can a reader approve?")
    assert Comment.objects.get().by.email == OWNER
    sign_out(page)
    sign_in(page, "bob@example.org")
    link = page.get_by_role("link", name="For you (1 new)")
    link.press("Enter")
    page.get_by_role("link", name="Answer, assign or close").press("Enter")
    page.get_by_label("Your answer").focus()
    page.keyboard.type("No.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".comment").last).to_contain_text("No.")
    expect(page.locator("#thread")).to_be_focused()
    page.get_by_role("button", name="Close the thread").press("Enter")
    expect(page.locator("h1")).to_have_text("A closed thread")
    assert ThreadClosing.objects.get().by.email == "bob@example.org"


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Password").wait_for()


def test_each_act_works_without_script(
    site: Site, page_without_script: Page, sign_in: Callable[..., None]
) -> None:
    page = page_without_script
    sign_in(page)
    open_card(site, page)
    page.locator("summary", has_text="Comment").click()
    page.get_by_label(LABEL).fill("Net or gross?")
    page.get_by_role("button", name="Keep the comment").click()
    expect(page.locator(".comment")).to_contain_text("Net or gross?")
    page.get_by_role("link", name="Closed comments, and whose it is").click()
    page.get_by_label("Assigned to").select_option("Bob")
    page.get_by_role("button", name="Assign").click()
    expect(page.locator("#said")).to_contain_text("Assigned to Bob.")
    assert Assignment.objects.get().to == User.objects.get(email="bob@example.org")
    page.get_by_role("link", name="Answer, assign or close").click()
    page.get_by_label("Your answer").fill("  ")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".problem").first).to_contain_text("Write the comment")
    page.get_by_label("Your answer").fill("Gross.")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".comment").last).to_contain_text("Gross.")
    page.get_by_role("button", name="Close the thread").click()
    page.get_by_role("button", name="Open it again").click()
    expect(page.locator("h1")).to_have_text("A thread")
    page.goto(f"{site.url}/for-you/")
    page.get_by_label("never").check()
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#said")).to_contain_text("You get no messages any more.")


@pytest.mark.parametrize("status", [0, 403, 409, 429, 500])
def test_fr_53_a_comment_that_did_not_arrive_is_said_beside_it_and_kept(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], status: int
) -> None:
    page = new_page(watched=False)
    sign_in(page)
    open_card(site, page)

    def fail(route: Route) -> None:
        _ = route.abort() if not status else route.fulfill(status=status, body="<html>no</html>")

    page.route("**/start/", fail)
    page.keyboard.press("c")
    page.get_by_label(LABEL).fill("Net or gross?")
    page.get_by_role("button", name="Keep the comment").click()
    form = page.locator("form", has=page.get_by_label(LABEL))
    expect(form.locator(".problem")).not_to_be_empty()
    expect(page.get_by_label(LABEL)).to_have_value("Net or gross?")
    expect(page.locator("html")).to_have_count(1)
    assert not Comment.objects.exists()
    page.unroute("**/start/")
    page.get_by_role("button", name="Keep the comment").click()
    expect(page.locator(".comment")).to_contain_text("Net or gross?")


def test_fr_54_a_comment_is_kept_after_signing_in_anew_in_another_tab(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    open_card(site, page)
    page.keyboard.press("c")
    page.get_by_label(LABEL).fill("Net or gross?")
    other = page.context.new_page()
    other.goto(f"{site.url}/policies/")
    sign_out(other)
    sign_in(other)
    page.get_by_role("button", name="Keep the comment").click()
    expect(page.locator(".comment")).to_contain_text("Net or gross?")


def test_fr_55_two_clicks_are_one_comment(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    open_card(site, page)
    page.keyboard.press("c")
    page.get_by_label(LABEL).fill("Net or gross?")
    page.get_by_role("button", name="Keep the comment").dblclick(delay=5)
    expect(page.locator(".comment")).to_have_count(1)
    assert Comment.objects.count() == 1


def test_fr_56_a_comment_is_there_after_the_session_ended(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None]
) -> None:
    page = new_page(watched=False)
    sign_in(page)
    open_card(site, page)
    page.keyboard.press("c")
    text = ("Net or gross? " * 142).strip()
    page.get_by_label(LABEL).fill(text)
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Keep the comment").click()
    page.get_by_label("E-mail address").fill(OWNER)
    page.get_by_label("Password").fill("a long enough secret")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Send").first.click()
    expect(page.locator(".comment")).to_contain_text("Net or gross?")
    assert Comment.objects.get().text == text


@pytest.mark.parametrize("width", [1440, 390])
def test_a_long_word_breaks_and_nothing_is_wider_than_the_page(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], width: int
) -> None:
    rule, uid, _ = talk(site)
    thread = Thread.objects.get(uid=uid)
    answer_in(site.travel, User.objects.get(email=OWNER), thread, text="x" * 1900)
    page = new_page(viewport={"width": width, "height": 844})
    sign_in(page)
    base = f"/policies/{site.travel.slug}/"
    pages = (f"{base}threads/{uid}/", f"{base}threads/", "/for-you/", f"{base}review/{rule.uid}/")
    for path in pages:
        page.goto(site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_the_pages_of_threads(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    found = {name: violations(page, site.url + path) for name, path in thread_pages(site)}
    open_card(site, page)
    page.keyboard.press("c")
    found["form"] = problems_on(page)
    assert {name: problems for name, problems in found.items() if problems} == {}
