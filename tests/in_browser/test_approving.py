"""Who must approve, and a list approved at once: by keyboard, at both widths, by axe."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from policies.approving import delegate, name_approver
from policies.composing import compose
from policies.models import Rule, User
from policies.roles import Role
from policywright.lint import Severity
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from tests.in_browser.test_accessibility import violations
from vetting.lint import lint_now, made_of
from vetting.models import Decision
from vetting.questions import open_questions
from vetting.silencing import silence

pytestmark = pytest.mark.browser


@pytest.fixture
def two(site: Site) -> Site:
    """A second person may approve; each of them is named, and the one lets the other."""
    owner = User.objects.get(email=OWNER)
    bob = User.objects.get(email="bob@example.org")
    site.travel.memberships.get_or_create(user=bob, role=Role.REVIEWER)
    document = site.travel.documents.get()
    name_approver(site.travel, owner, document=document, headings=[], person=bob)
    until = timezone.localdate() + timedelta(days=30)
    delegate(site.travel, bob, to=owner, until=until)
    delegate(site.travel, owner, to=bob, until=until)
    return site


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_the_pages_of_approving(
    two: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    base = f"/policies/{two.travel.slug}/"
    rule = Rule.objects.filter(policy=two.travel)[0]
    paths = ("approvers/", "review/list/", "review/list/approve/", f"review/{rule.uid}/")
    found = {path: violations(page, f"{two.url}{base}{path}") for path in paths}
    assert {path: problems for path, problems in found.items() if problems} == {}


def test_a_list_is_approved_by_keyboard(
    site: Site, page: Page, sign_in: Callable[..., None]
) -> None:
    travel = site.travel
    composition = compose(travel)
    lint = made_of(travel, composition)
    asked = {one.question.rule.uid for one in open_questions(travel, composition)}
    rules = [one for one in travel.rules.exclude(uid__in=asked) if one.sources.exists()]
    # Of one rule whatever was found may stand.
    clean = rules[0]
    for found in lint.of(Severity.WARNING):
        if clean.uid in found.rules:
            silence(travel, User.objects.get(email=OWNER), found, reason="looked at")
    left = {uid for one in lint_now(travel, composition).of(Severity.WARNING) for uid in one.rules}
    wrong = next(one for one in rules if one.uid in left)
    sign_in(page)
    for rule in (clean, wrong):
        page.goto(f"{site.policy_url}review/{rule.uid}/")
    page.goto(f"{site.policy_url}review/list/?order=risk")
    for rule in (clean, wrong):
        page.get_by_label(rule.name, exact=True).focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Approve what is ticked").focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Approve 1 of 2 rules")
    expect(page.get_by_text(f"{wrong.name}: lint found a warning.")).to_be_visible()
    page.keyboard.press("y")
    expect(page.get_by_text("Approved 1 rule.")).to_be_visible()
    assert page.url.endswith("?order=risk")
    assert [one.rule for one in Decision.objects.filter(policy=travel)] == [clean]
