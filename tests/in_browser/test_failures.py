"""When something goes wrong it is said beside the control, and nothing is lost (FR-46 to 56)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Locator, Page, Route, expect

from policies.models import AuditRow, Membership, Rule, User, Version
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER, PASSWORD, settle
from vetting.edits import edit_rule
from vetting.models import Decision
from vetting.publishing import standing

COST = "If the cost of the trip is more than EUR 1,000"


def open_cost_rule(site: Site, page: Page) -> Rule:
    rule = Rule.objects.filter(policy=site.travel).order_by("position", "pk").first()
    assert rule is not None
    page.goto(f"{site.policy_url}review/{rule.uid}/")
    expect(page.locator(".english")).to_contain_text(COST)
    return rule


def change_behind(site: Site, rule: Rule, limit: str) -> None:
    """Somebody else, elsewhere, gives the rule another limit."""
    now = standing(site.travel)
    bob = User.objects.get(email="bob@example.org")
    cost = next(v for v in now.composition.model.variables if v.unit == "EUR")
    outcome = next(v for v in now.composition.model.variables if v.role.value == "outcome")
    text = f"(=> (> {cost.name} {limit}) (not {outcome.name}))"
    edit_rule(site.travel, bob, rule, smtlib=text, shown_hash=now.rules[rule.uid].hash)


@pytest.mark.parametrize("language", ["English", "SMT-LIB"])
@pytest.mark.parametrize("script", [True, False])
def test_fr_46_a_moved_rule_is_refused_with_both_texts_and_the_typed_one_kept(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    script: bool,
    language: str,
) -> None:
    page = new_page(java_script_enabled=script)
    sign_in(page)
    rule = open_cost_rule(site, page)
    page.locator("summary", has_text="Edit").click()
    if language == "SMT-LIB":
        page.locator("summary", has_text="as SMT-LIB").click()
    editor = page.get_by_label(f"The rule in {language}")
    was, mine, theirs = (("1,000", "1,500", "800") if language == "English" else
                         ("1000.0", "1500.0", "800.0"))  # fmt: skip
    typed = editor.input_value().replace(was, mine)
    assert mine in typed
    editor.fill(typed)
    form = page.locator("form", has=editor)
    form.get_by_role("button", name="Read it").click()
    save = form.get_by_role("button", name="Save the edit")
    expect(save).to_be_visible()
    change_behind(site, rule, "800.0")
    expect(page.locator(".reading[data-fresh]")).to_have_count(0)
    save.click()
    problem = page.locator(".problem:not(:empty)")
    expect(problem).to_contain_text(theirs)
    expect(problem).to_contain_text(mine)
    expect(editor).to_have_value(typed)
    # Having seen both, the person may send the same text again.
    form.get_by_role("button", name="Read it").click()
    expect(page.locator(".reading:not([data-stale]) table").first).to_contain_text("as it is")
    expect(page.locator(".reading[data-fresh]")).to_have_count(0)
    save.click()
    expect(page.locator(".card .english").first).to_contain_text("EUR 1,500")


def test_fr_46_an_approval_of_what_was_not_shown_is_refused(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    rule = open_cost_rule(site, page)
    change_behind(site, rule, "800.0")
    for _ in range(2):
        page.keyboard.press("a")
        expect(page.locator(".problem:not(:empty)")).to_contain_text("EUR 800")
    assert not Decision.objects.exists()
    page.get_by_role("link", name="Show it as it is now").click()
    expect(page.locator(".english")).to_contain_text("EUR 800")
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")


def test_fr_53_a_lost_role_is_said_beside_the_button(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page, "bob@example.org")
    open_cost_rule(site, page)
    Membership.objects.filter(user__email="bob@example.org").update(role="viewer")
    page.keyboard.press("a")
    expect(beside(page, "Approve")).to_contain_text("needs the role owner or reviewer")
    expect(page.locator(".english")).to_contain_text(COST)


def test_fr_53_a_form_that_is_not_complete_is_said_beside_the_button(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    open_cost_rule(site, page)
    page.keyboard.press("r")
    page.get_by_role("button", name="Reject the rule").click()
    expect(beside(page, "Reject the rule")).to_contain_text("Write the reason")
    page.keyboard.press("Escape")
    page.locator("summary", has_text="Edit").click()
    page.locator("summary", has_text="as SMT-LIB").click()
    editor = page.get_by_label("The rule in SMT-LIB")
    editor.fill("(=> (> tripCots 5) true")
    form = page.locator("form", has=editor)
    form.get_by_role("button", name="Read it").click()
    expect(form.locator(".reading")).to_contain_text("Line 1, column 1")
    expect(editor).to_have_value("(=> (> tripCots 5) true")


def test_fr_53_a_failure_with_a_page_of_its_own_puts_no_page_into_the_card(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    """The failures are made up between browser and server: a proxy may answer so, too."""
    sign_in(page)
    open_cost_rule(site, page)
    for status, words in {
        409: "Someone changed this",
        422: "could not accept this",
        429: "Too many requests",
        500: "Something went wrong on the server",
    }.items():
        page.route("**/approve/", answer_with(status))
        page.keyboard.press("a")
        expect(beside(page, "Approve")).to_contain_text(words, timeout=1_000)
        expect(page.get_by_text("Oh no")).to_have_count(0)
        expect(page.locator(".english")).to_contain_text(COST)
        page.unroute("**/approve/")
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")


def test_fr_53_a_server_that_is_away_is_said_beside_the_button(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    open_cost_rule(site, page)
    page.context.set_offline(True)
    page.keyboard.press("a")
    expect(beside(page, "Approve")).to_contain_text("The server did not answer", timeout=1_000)
    page.context.set_offline(False)
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")


def test_fr_54_signing_in_again_in_another_tab_spoils_no_form(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    open_cost_rule(site, page)
    other = page.context.new_page()
    other.goto(site.url)
    other.get_by_role("button", name="Sign out").click()
    sign_in(other)
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")


def test_fr_54_without_script_the_form_is_offered_once_more(
    site: Site, page_without_script: Page, sign_in: Callable[..., None]
) -> None:
    page = page_without_script
    sign_in(page)
    open_cost_rule(site, page)
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("What is wrong with this rule?").fill("It says <b>nothing</b> of hotels.")
    other = page.context.new_page()
    other.goto(site.url)
    other.get_by_role("button", name="Sign out").click()
    sign_in(other)
    page.get_by_role("button", name="Reject the rule").click()
    expect(page.get_by_role("heading", name="Send again")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("It says <b>nothing</b> of hotels.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#said")).to_contain_text("Rejected:")


@pytest.mark.parametrize("script", [True, False])
def test_fr_56_what_was_typed_when_the_session_ended_is_sent_after_signing_in(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], script: bool
) -> None:
    page = new_page(java_script_enabled=script)
    sign_in(page)
    rule = open_cost_rule(site, page)
    page.locator("summary", has_text="Reject").click()
    typed = "The sentence speaks of trips. " * 60
    page.get_by_label("What is wrong with this rule?").fill(typed)
    Session.objects.all().delete()
    page.get_by_role("button", name="Reject the rule").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text("Rejected")).to_have_count(0)
    page.get_by_label("E-mail address").fill(OWNER)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Reason")).to_have_value(typed)
    assert not Decision.objects.exists()
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#said")).to_contain_text("Rejected:")
    assert Decision.objects.get(rule=rule).reason == typed.strip()


@pytest.mark.parametrize("pause_ms", [20, 50])
def test_fr_55_two_clicks_on_approve_are_one_decision(
    site: Site, page: Page, sign_in: Callable[..., None], pause_ms: int
) -> None:
    sign_in(page)
    rule = open_cost_rule(site, page)
    page.get_by_role("button", name="Approve").dblclick(delay=pause_ms)
    expect(page.locator("#said")).to_contain_text("Approved:")
    # The answer may be fast: then the second click meets the next card, and decides nothing.
    # In one step, since on a busy machine the half second may be over between two.
    page.evaluate(
        "document.querySelector('#review[data-fresh]')?.querySelector('[data-key=a]').click()"
    )
    expect(page.locator("#review[data-fresh]")).to_have_count(0)
    assert [decision.rule for decision in Decision.objects.all()] == [rule]


@pytest.mark.parametrize("script", [True, False])
def test_fr_55_two_clicks_on_publish_are_one_version(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], script: bool
) -> None:
    settle(site.travel)
    page = new_page(java_script_enabled=script)
    sign_in(page)
    page.goto(f"{site.policy_url}versions/")
    page.get_by_role("button", name="Publish version 1").dblclick(delay=20)
    expect(page.get_by_role("heading", name="Travel policy, version 1")).to_be_visible()
    assert Version.objects.filter(policy=site.travel).count() == 1
    assert AuditRow.objects.filter(policy=site.travel, action="publish").count() == 1


def test_fr_52_back_shows_the_present_state_and_storage_holds_no_page(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page)
    open_cost_rule(site, page)
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")
    page.go_back()
    expect(page.locator("#card-title")).to_contain_text("approved")
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "cost of the trip" not in stored


def answer_with(status: int) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        body = "<html><h1>Oh no</h1></html>"
        route.fulfill(status=status, content_type="text/html", body=body)

    return answer


def beside(page: Page, button: str) -> Locator:
    """Where the form of a button says what went wrong."""
    return page.locator("form", has=page.get_by_role("button", name=button)).locator(".problem")


def test_fr_57_an_act_that_htmx_did_not_send_keeps_the_place_of_the_keyboard(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None]
) -> None:
    """A key may be pressed before htmx is ready; then the form is sent as any form is."""
    page = new_page(watched=False)
    page.route("**/htmx*.js", lambda route: route.abort())
    sign_in(page)
    open_cost_rule(site, page)
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")
    expect(page.locator("#card-title")).to_contain_text("Rule 2 of")
    expect(page.locator("#card-title")).to_be_focused()
