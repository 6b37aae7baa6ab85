"""The pages of people's own scenarios, state by state, for pictures and for axe."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from policies.models import User
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from vetting.own_scenarios import add_scenario, propose_scenario

CASE = "Given that the cost of the trip is EUR {} and the line manager has not approved the trip: "
FAILS = CASE.format("1,500") + "the trip is approved."
HOLDS = CASE.format("1,200") + "the trip is not approved."
HEAD = "costOfTrip,lineManagerApprovedTrip,claim,expected\n"
TABLE = (
    f"{HEAD}1500,false,tripApproved,INVALID\n2000,false,tripApproved,VALID\n3000,,,SATISFIABLE\n"
)


def write(site: Site, text: str, email: str = OWNER) -> None:
    user = User.objects.get(email=email)
    shown = propose_scenario(site.travel, text).read_as
    add_scenario(site.travel, user, text, shown=shown)


def read(page: Page, text: str, says: str) -> None:
    page.get_by_label("The scenario in English").fill(text)
    page.get_by_role("button", name="Read it").click()
    expect(page.locator(".reading h3").first).to_contain_text(says)


def upload(page: Page, text: str) -> None:
    file = {"name": "cases.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.get_by_label("The file").set_input_files([file])  # type: ignore[list-item]
    page.get_by_role("button", name="Read the file").click()


def own_pages(site: Site, page: Page) -> Iterator[str]:
    """The name of each state while the page shows it."""
    own = f"{site.policy_url}scenarios/own/"
    page.goto(own)
    yield "own-none"
    write(site, FAILS)
    write(site, HOLDS, "bob@example.org")
    page.goto(own)
    yield "own"
    page.get_by_role("link", name="EUR 1,500").click()
    page.get_by_text("Withdraw it").first.click()
    yield "own-fails"
    page.goto(f"{own}new/")
    read(page, f"{HOLDS[:-1]} and the trip is international.", "understood")
    yield "own-read"
    read(page, "Given that the price of the trip is EUR 5: the trip is approved.", "not understood")
    yield "own-not-understood"
    read(
        page, f"{CASE.format('5')}either the trip is approved or the trip is international.", "two"
    )
    yield "own-two-readings"
    page.goto(f"{own}import/")
    upload(page, f"{TABLE}1,maybe,tripApproved,VALID\n")
    expect(page.get_by_role("alert")).to_be_visible()
    yield "own-import-refused"
    upload(page, TABLE)
    expect(page.get_by_role("heading", name="What the file holds")).to_be_visible()
    yield "own-import"
