"""An owner edits a rule in English: what is not understood is marked, mended, read, saved.

By keyboard, then without script; the grammar reads, and nobody's model.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from policies.models import Policy, Rule, Variable
from tests.in_browser.conftest import Site
from tests.in_browser.making import PASSWORD
from vetting.models import Decision

SignIn = Callable[..., None]


def open_editor(site: Site, page: Page) -> Locator:
    """The first rule's card with its English ready to be edited."""
    page.goto(f"{site.policy_url}review/{first_rule(site.travel).uid}/")
    expect(page.locator("#card-title")).to_contain_text("Rule 1 of")
    page.keyboard.press("e")
    editor = page.get_by_label("The rule in English")
    expect(editor).to_be_focused()
    return editor


def first_rule(policy: Policy) -> Rule:
    rule = Rule.objects.filter(policy=policy).order_by("position", "pk").first()
    assert rule is not None
    return rule


def rewrite(page: Page, text: str) -> None:
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)


def heading(page: Page) -> Locator:
    return page.locator(".reading:not([data-stale]) h3").first


def settled(page: Page) -> None:
    """The second half of a double click counts for nothing; a key after that does."""
    expect(page.locator("[data-fresh]")).to_have_count(0)


def test_an_owner_mends_the_words_that_are_not_understood_and_approves(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    editor = open_editor(site, page)
    said = editor.input_value()
    assert said.startswith("If the cost of the trip is more than EUR 1,000 and the line manager")
    rewrite(page, said.replace("cost of the trip", "csot of the trip").replace("1,000", "1500"))
    page.keyboard.press("Control+Enter")

    expect(heading(page)).to_be_focused()
    expect(heading(page)).to_have_text("not understood")
    marked = page.locator(".marked mark")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("the csot of the trip")
    underline = marked.evaluate("element => getComputedStyle(element).textDecorationLine")
    assert underline == "underline"
    settled(page)
    page.keyboard.press("1")

    expect(heading(page)).to_have_text("understood, and read as")
    expect(heading(page)).to_be_focused()
    expect(editor).to_have_value(said.replace("1,000", "1500"))
    reading = page.locator(".reading").first
    expect(reading.locator(".english")).to_have_text(said.replace("1,000", "1,500"))
    expect(reading).to_contain_text("the line manager has not approved the trip")
    assert "1000" in str(first_rule(site.travel).term)
    page.keyboard.press("s")
    expect(reading.locator("pre")).to_contain_text("1500.0")
    settled(page)
    page.keyboard.press("y")

    expect(page.locator("#said")).to_contain_text("Saved:")
    expect(page.locator("#card-title")).to_be_focused()
    expect(page.locator(".card .english").first).to_contain_text("EUR 1,500")
    revision = first_rule(site.travel).revisions.latest("number")
    assert revision.cause == "edited in English"
    settled(page)
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")
    decision = Decision.objects.get(rule=first_rule(site.travel))
    assert "EUR 1,500" in decision.english


def test_what_a_save_would_change_is_said_before_it_is_saved(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    page.goto(f"{site.policy_url}review/{first_rule(site.travel).uid}/")
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Approved:")
    editor = open_editor(site, page)
    rewrite(page, editor.input_value().replace("1,000", "1,500"))
    page.keyboard.press("Control+Enter")
    reading = page.locator(".reading").first
    case = reading.locator("table", has_text="EUR 1,000.01")
    expect(case.locator("tr").nth(0)).to_contain_text("as it is")
    expect(case.locator("tr").nth(0)).to_contain_text("the trip is not approved")
    expect(case.locator("tr").nth(1)).to_contain_text("nothing follows")
    expect(reading).to_contain_text("The approval that Olivia Owner gave on")
    # The same text again says that there is nothing to save.
    editor.fill(editor.input_value().replace("1,500", "1,000"))
    expect(reading.get_by_role("button", name="Save the edit")).to_be_hidden()
    page.keyboard.press("Control+Enter")
    expect(reading).to_contain_text("There is nothing to save.")
    assert first_rule(site.travel).revisions.count() == 1


def test_a_text_with_two_readings_shows_both_and_is_saved_as_the_one_chosen(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    editor = open_editor(site, page)
    rewrite(
        page,
        "The trip is approved only if the line manager has approved the trip or the cost of the "
        "trip is at most EUR 1,000 and the trip is international.",
    )
    page.keyboard.press("Control+Enter")
    expect(heading(page)).to_have_text("two readings")
    expect(heading(page)).to_be_focused()
    expect(page.get_by_text("A case that tells them apart")).to_be_visible()
    choices = page.locator(".readings button")
    expect(choices).to_have_count(2)
    assert ["Allows that case" in text for text in choices.all_inner_texts()].count(True) == 1
    expect(page.get_by_role("button", name="Save the edit")).to_have_count(0)
    settled(page)
    page.keyboard.press("2")
    expect(heading(page)).to_have_text("understood, and read as")
    chosen = page.locator(".reading .english").first.inner_text()
    assert chosen.startswith("The trip is approved only if all of the following hold:")
    expect(editor).to_have_value(chosen)
    settled(page)
    page.keyboard.press("y")
    expect(page.locator(".card .english").first).to_have_text(chosen)


def test_a_new_fact_is_declared_from_the_words_and_nothing_is_lost(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    editor = open_editor(site, page)
    text = "If the traveller is a contractor, then the trip is not approved."
    rewrite(page, text)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".marked mark")).to_have_count(2)
    settled(page)
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="A new variable")).to_be_focused()
    expect(page.get_by_label("Phrase", exact=True)).to_have_value("the traveller is a contractor")
    expect(page.get_by_label("Phrase for no")).to_have_value("the traveller is not a contractor")
    name = page.get_by_label("Name", exact=True)
    free = name.input_value()
    settled(page)
    name.fill("and")
    name.press("Enter")
    expect(page.locator(".declares")).to_contain_text("would do")
    expect(editor).to_have_value(text)
    settled(page)
    name.fill(free)
    name.press("Enter")
    expect(page.locator(".reading").first).to_contain_text("Declared: ‘the traveller is")
    expect(heading(page)).to_have_text("understood, and read as")
    expect(editor).to_have_value(text)
    assert Variable.objects.get(policy=site.travel, name=free).role == "fact"
    settled(page)
    page.keyboard.press("y")
    expect(page.locator(".card .english").first).to_have_text(text)


def test_phrases_are_offered_while_typing_and_taken_by_keyboard(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    editor = open_editor(site, page)
    editor.fill("")
    page.keyboard.type("If the co")
    offered = page.get_by_role("listbox", name="Phrases")
    expect(offered.get_by_role("option").first).to_have_text("the cost of the trip")
    expect(page.locator("[data-voice]")).to_contain_text("Down arrow chooses")
    # Nothing is chosen yet: Escape closes the list, and the text keeps the focus.
    page.keyboard.press("Escape")
    expect(offered).to_have_count(0)
    expect(editor).to_be_focused()
    page.keyboard.type("s")
    expect(offered).to_be_visible()
    page.keyboard.press("ArrowDown")
    option = offered.get_by_role("option", selected=True)
    expect(option).to_have_text("the cost of the trip")
    expect(editor).to_have_attribute("aria-activedescendant", option.get_attribute("id") or "")
    page.keyboard.press("Enter")
    expect(editor).to_have_value("If the cost of the trip")
    expect(offered).to_have_count(0)
    page.keyboard.press("ControlOrMeta+z")
    expect(editor).to_have_value("If the cos")
    # Without a choice, Enter and Tab do what they always do.
    page.keyboard.press("End")
    page.keyboard.type("t")
    expect(offered).to_be_visible()
    page.keyboard.press("Enter")
    expect(editor).to_have_value("If the cost\n")
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()


def test_a_phrase_is_taken_by_mouse(site: Site, page: Page, sign_in: SignIn) -> None:
    sign_in(page)
    editor = open_editor(site, page)
    editor.fill("")
    page.keyboard.type("The tri")
    page.get_by_role("option", name="the trip is approved").click()
    expect(editor).to_have_value("The trip is approved")
    expect(editor).to_be_focused()


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_failure_to_offer_phrases_disturbs_nobody(
    site: Site, page: Page, sign_in: SignIn, status: int
) -> None:
    """The failure is made up between browser and server."""
    sign_in(page)
    editor = open_editor(site, page)

    def fail(route: Route) -> None:
        route.fulfill(status=status, content_type="text/html", body="<h1>Oh no</h1>")

    page.route("**/phrases/", fail)
    editor.fill("")
    with page.expect_response("**/phrases/"):
        page.keyboard.type("If the cost")
    expect(page.get_by_text("Oh no")).to_have_count(0)
    expect(page.get_by_role("listbox")).to_have_count(0)
    expect(editor).to_have_value("If the cost")


def test_the_same_without_script(site: Site, page_without_script: Page, sign_in: SignIn) -> None:
    page = page_without_script
    sign_in(page)
    page.goto(f"{site.policy_url}review/{first_rule(site.travel).uid}/")
    page.locator("summary", has_text="Edit").click()
    editor = page.get_by_label("The rule in English")
    said = editor.input_value()
    text = "If the traveller is a contractor and the csot of the trip is more than EUR 1,000, "
    editor.fill(f"{text}then the trip is not approved.")
    page.get_by_role("button", name="Read it").first.click()
    expect(page.locator(".marked mark").last).to_contain_text("the csot of the trip")
    page.get_by_role("button", name="the cost of the trip").first.click()
    mended = text.replace("csot", "cost")
    expect(editor).to_have_value(f"{mended}then the trip is not approved.")
    page.get_by_role("button", name="Declare a new fact").first.click()
    expect(page.get_by_label("Phrase", exact=True)).to_have_value("the traveller is a contractor")
    page.get_by_role("button", name="Declare it").click()
    expect(page.locator(".reading h3").first).to_have_text("understood, and read as")
    expect(editor).to_have_value(f"{mended}then the trip is not approved.")
    # A text that changed since it was read is read again before it is saved.
    editor.fill(said.replace("1,000", "2,000"))
    page.get_by_role("button", name="Save the edit").click()
    expect(page.locator(".reading .notice")).to_contain_text("changed since it was read")
    page.get_by_role("button", name="Save the edit").click()
    expect(page.locator("#said")).to_contain_text("Saved:")
    expect(page.locator(".card .english").first).to_contain_text("EUR 2,000")


@pytest.mark.parametrize("script", [True, False])
def test_a_rule_is_written_in_english_for_a_sentence_without_one(
    site: Site, new_page: Callable[..., Page], sign_in: SignIn, script: bool
) -> None:
    page = new_page(java_script_enabled=script)
    sign_in(page)
    page.goto(f"{site.policy_url}review/")
    page.locator(".sentence", has_text="reasonable").locator("a").first.click()
    expect(page.locator("#card-title")).to_contain_text("Sentence")
    page.locator("summary", has_text="Write a rule").click()
    page.get_by_label("The rule in English").fill(
        "If there is no receipt, then the expense is not reimbursed."
    )
    page.get_by_role("button", name="Read it").first.click()
    expect(page.locator(".reading h3").first).to_have_text("understood, and read as")
    settled(page)
    page.get_by_role("button", name="Save the rule").click()
    expect(page.locator("#said")).to_contain_text("Saved:")
    expect(page.locator(".card .english").first).to_have_text(
        "If there is no receipt, then the expense is not reimbursed."
    )


@pytest.mark.parametrize("script", [True, False])
def test_an_assumption_is_written_in_english(
    site: Site, new_page: Callable[..., Page], sign_in: SignIn, script: bool
) -> None:
    page = new_page(java_script_enabled=script)
    sign_in(page)
    page.goto(f"{site.policy_url}assumptions/")
    page.locator("summary", has_text="Assume something else").click()
    page.get_by_label("The assumption in English").fill("The expense is at most EUR 100,000.")
    page.get_by_role("button", name="Read it").first.click()
    expect(page.locator(".reading h3").first).to_have_text("understood, and read as")
    settled(page)
    page.get_by_role("button", name="Save the assumption").click()
    expect(page.locator("#card-title")).to_contain_text("Assumption 1 of 1")


def test_fr_55_the_second_half_of_a_double_click_saves_nothing(
    site: Site, page: Page, sign_in: SignIn
) -> None:
    sign_in(page)
    editor = open_editor(site, page)
    rewrite(page, editor.input_value().replace("1,000", "1,500"))
    page.get_by_role("button", name="Read it").first.dblclick(delay=20)
    expect(heading(page)).to_have_text("understood, and read as")
    page.get_by_role("button", name="Save the edit").click()
    page.get_by_role("button", name="Save the edit").click()
    settled(page)
    assert first_rule(site.travel).revisions.count() == 1
    page.get_by_role("button", name="Save the edit").dblclick(delay=20)
    expect(page.locator("#said")).to_contain_text("Saved:")
    assert first_rule(site.travel).revisions.count() == 2


@pytest.mark.parametrize("script", [True, False])
def test_fr_56_a_text_that_was_read_when_the_session_ended_is_sent_after_signing_in(
    site: Site, new_page: Callable[..., Page], sign_in: SignIn, script: bool
) -> None:
    from django.contrib.sessions.models import Session

    page = new_page(java_script_enabled=script)
    sign_in(page)
    page.goto(f"{site.policy_url}review/{first_rule(site.travel).uid}/")
    page.locator("summary", has_text="Edit").click()
    editor = page.get_by_label("The rule in English")
    text = editor.input_value().replace("1,000", "1,500")
    editor.fill(text)
    page.get_by_role("button", name="Read it").first.click()
    expect(page.locator(".reading h3").first).to_have_text("understood, and read as")
    settled(page)
    Session.objects.all().delete()
    page.get_by_role("button", name="Save the edit").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("E-mail address").fill("owner@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("English")).to_have_value(text)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#said")).to_contain_text("Saved:")
    expect(page.locator(".card .english").first).to_contain_text("EUR 1,500")
