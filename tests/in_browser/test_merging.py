"""Two words for one thing are merged and the merge undone: by keys, by mouse, on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from policies.models import Datatype, Merge, Rule, User, Variable
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from translation.jobs import finish_inline
from translation.merges import start_search
from vetting.declarations import NewValue, NewVariable, declare_datatype, declare_variable


@pytest.fixture
def twin(site: Site) -> Variable:
    """The cost of a trip in other words, proposed as the same."""
    owner = User.objects.get(email=OWNER)
    cost = Variable.objects.get(policy=site.travel, name="costOfTrip")
    phrase, says = "the whole cost of the trip", "What a trip costs."
    new = NewVariable("wholeCost", "Real", unit=cost.unit, phrase=phrase, description=says)
    made = declare_variable(site.travel, owner, new)
    declare_datatype(site.travel, owner, name="Cabin", values=[NewValue("front"), NewValue("back")])
    finish_inline(start_search(site.travel, owner), holder="tests")
    return made


def test_a_merge_is_made_by_keys_and_undone_with_one_click(
    site: Site, page: Page, sign_in: Callable[..., None], twin: Variable
) -> None:
    sign_in(page)
    page.goto(f"{site.policy_url}glossary/")
    expect(page.get_by_role("heading", name="the whole cost of the trip")).to_be_visible()
    page.keyboard.press("m")
    expect(page.get_by_role("heading", name="What looks alike")).to_be_visible()
    page.keyboard.press("c")
    expect(page.get_by_role("heading", name="Are these one?")).to_be_visible()
    expect(page.get_by_text("Becomes the same")).to_be_visible()
    page.keyboard.press("y")
    expect(page.get_by_role("status")).to_contain_text("Merged")
    expect(page.get_by_role("heading", name="the whole cost of the trip")).to_have_count(0)
    page.get_by_role("button", name="Undo the merge of wholeCost").click()
    expect(page.get_by_role("status")).to_contain_text("The merge is undone")
    expect(page.get_by_role("heading", name="the whole cost of the trip")).to_be_visible()
    assert Merge.objects.get(from_uid=twin.uid).undone_by == User.objects.get(email=OWNER)


def test_all_of_it_works_without_script(
    site: Site, new_page: Callable[..., Page], sign_in: Callable[..., None], twin: Variable
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page)
    page.goto(f"{site.policy_url}glossary/alike/")
    page.get_by_role("link", name="Compare, then merge").first.click()
    page.get_by_role("link", name="The other way round").click()
    page.get_by_role("button", name="Yes, they are one").click()
    expect(page.get_by_role("status")).to_contain_text("Merged")
    page.get_by_role("button", name="Undo the merge of costOfTrip").click()
    expect(page.get_by_role("status")).to_contain_text("The merge is undone")


@pytest.mark.axe
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    site: Site,
    new_page: Callable[..., Page],
    sign_in: Callable[..., None],
    twin: Variable,
    scheme: str,
    width: int,
) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page)
    cost = Variable.objects.get(policy=site.travel, name="costOfTrip")
    cabin = Datatype.objects.get(policy=site.travel, name="Cabin")
    rule = Rule.objects.filter(policy=site.travel, kind="rule").first()
    assert rule is not None
    glossary = f"{site.policy_url}glossary/"
    found = {}
    for address in (
        glossary,
        f"{glossary}alike/",
        f"{glossary}merge/?from={twin.uid}&into={cost.uid}",
        f"{glossary}datatypes/new/",
        f"{glossary}datatypes/{cabin.uid}/",
        f"{glossary}datatypes/{cabin.uid}/split/",
        f"{glossary}values/{cabin.values.first().uid}/split/",  # type: ignore[union-attr]
        f"{glossary}{cost.uid}/",
        f"{glossary}{cost.uid}/split/",
        f"{site.policy_url}rules/{rule.uid}/parts/",
    ):
        page.goto(address)
        violations = Axe().run(page).response["violations"]
        problems = [f"{one['id']}: {n['html'][:120]}" for one in violations for n in one["nodes"]]
        if page.locator("html").evaluate("e => e.scrollWidth > e.clientWidth"):
            problems.append("wider than the page")
        if problems:
            found[address.removeprefix(site.url)] = problems
    assert found == {}
