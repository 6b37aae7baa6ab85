"""The page 'Lint': what was found and what would mend it; nothing is changed without a yes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from policies.composing import compose
from policies.jobs.embedded import run_urgent
from policies.models import Job, Policy, User
from policies.people import add_person
from policies.roles import Role
from policywright.linting import lint_apart
from tests.airline import draft_airline, rule_of
from vetting.edits import edit_rule
from vetting.models import LintSilence

Clients = Callable[[User], Client]


@pytest.fixture
def airline(alice: User) -> Policy:
    return draft_airline(alice)


@pytest.fixture
def address(airline: Policy) -> str:
    return f"/policies/{airline.slug}/lint/"


def found(client: Client, address: str) -> str:
    """The page once the draft is checked."""
    client.get(address)
    run_urgent("tests")
    return client.get(address).content.decode()


def first_fix(page: str) -> str:
    shown = re.search(r'href="([^"]+/fixes/0/)"', page)
    assert shown is not None
    return shown[1]


def test_the_page_waits_while_the_draft_is_checked_and_then_tells(
    airline: Policy, alice: User, client_of: Clients, address: str
) -> None:
    alices = client_of(alice)
    page = alices.get(address).content.decode()
    assert "The draft waits to be checked." in page
    assert "Errors" not in page
    job = Job.objects.get(policy=airline, kind="lint")
    polled = alices.get(f"{address}?job={job.uid}", headers={"hx-request": "true"})
    assert "<html" not in polled.content.decode()
    run_urgent("tests")
    done = alices.get(f"{address}?job={job.uid}", headers={"hx-request": "true"})
    assert done["HX-Redirect"] == address
    page = alices.get(address).content.decode()
    assert "These rules cannot all hold where" in page
    assert "Whom we denied boarding gets the fare back." in page
    assert f'/review/{rule_of(airline, "denied").uid}/#here"' in page
    assert "How far this reaches" in page
    assert "Lint (" in page


def test_a_change_undone_is_a_draft_that_was_checked(
    airline: Policy, alice: User, client_of: Clients, address: str
) -> None:
    alices = client_of(alice)
    found(alices, address)
    row = rule_of(airline, "cancelled-flight")
    own = "(=> (= flightStatus cancelled) refundDue)"
    for text in ("(=> (not (= flightStatus operated)) refundDue)", own):
        shown = compose(airline).hashes[row.uid]
        edit_rule(airline, alice, row, smtlib=text, shown_hash=shown)
    card = f"/policies/{airline.slug}/review/{row.uid}/"
    assert "Not checked since the draft changed" in alices.get(card).content.decode()
    assert "Lint (" in alices.get(address).content.decode()
    assert "Not checked since the draft changed" not in alices.get(card).content.decode()


def test_a_change_is_shown_with_what_comes_of_it_and_made_with_one_yes(
    airline: Policy, alice: User, client_of: Clients, address: str
) -> None:
    alices = client_of(alice)
    fix = first_fix(found(alices, address))
    page = alices.get(fix).content.decode()
    assert "<ins>" in page
    assert "a refund is not due and a refund is due" in page
    before = rule_of(airline, "stayed-away").term
    assert alices.get(fix).status_code == 200
    assert rule_of(airline, "stayed-away").term == before  # reading changes nothing
    response = alices.post(f"{fix}take/", follow=True)
    assert "Changed: stayed-away." in response.content.decode()
    assert rule_of(airline, "stayed-away").term != before
    assert "These rules cannot all hold" not in found(alices, address)
    # The same yes again finds the draft changed, and changes nothing.
    again = rule_of(airline, "stayed-away").term
    assert "Nothing was saved" in alices.post(f"{fix}take/", follow=True).content.decode()
    assert rule_of(airline, "stayed-away").term == again


def test_a_warning_is_silenced_with_a_reason_and_shown_apart(
    airline: Policy, alice: User, client_of: Clients, address: str
) -> None:
    alices = client_of(alice)
    page = found(alices, address)
    silence = address + page.split('/silence/"')[0].rsplit(address, 1)[1] + "/silence/"
    refused = alices.post(silence, {"reason": " "})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.content.decode()
    said = alices.post(silence, {"reason": "these are all <b>there are</b>"}, follow=True)
    page = said.content.decode()
    assert "silenced this on" in page
    assert "these are all &lt;b&gt;there are&lt;/b&gt;" in page
    assert LintSilence.objects.get().by == alice
    speak = silence.replace("/silence/", "/speak/")
    assert "silenced this on" not in alices.post(speak, follow=True).content.decode()


def test_much_is_shown_in_pages_and_by_code_and_a_form_leads_back_to_its_page(
    airline: Policy, alice: User, client_of: Clients, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vetting.views.lint_pages.A_PAGE", 2)
    alices = client_of(alice)
    first = found(alices, address)
    shown = re.search(r"1 to 2 of (\d+)\.", first)
    assert shown is not None
    keys: list[str] = []
    for number in range(1, (int(shown[1]) + 3) // 2):
        page = alices.get(f"{address}?page={number}").content.decode()
        keys += re.findall(r'<h3 id="d-([^"]+)"', page)
    assert len(keys) == len(set(keys)) == int(shown[1])
    assert "Errors" in first
    of_code = alices.get(f"{address}?code=no-other").content.decode()
    assert set(re.findall(r"<code>([a-z-]+)</code> ·", of_code)) == {"no-other"}
    assert "<h2>Errors" not in of_code
    silence = re.findall(r'action="([^"]+/silence/\?code=no-other)"', of_code)[0]
    assert alices.post(silence, {"reason": ""}).status_code == 422
    response = alices.post(silence, {"reason": "these are all there are"})
    assert response["Location"] == f"{address}?code=no-other"
    for odd in ("?page=0", "?page=99", "?page=x", "?code=%00", "?code=no-such"):
        assert alices.get(address + odd).status_code == 200


def test_a_viewer_reads_and_changes_nothing_and_a_stranger_sees_nothing(
    airline: Policy, alice: User, bob: User, charlie: User, client_of: Clients, address: str
) -> None:
    add_person(airline, alice, email=bob.email, role=Role.VIEWER)
    fix = first_fix(found(client_of(alice), address))
    page = client_of(bob).get(address).content.decode()
    assert "These rules cannot all hold where" in page
    assert "Silence it" not in page
    assert "Make this change" not in client_of(bob).get(fix).content.decode()
    assert client_of(bob).post(f"{fix}take/").status_code == 403
    silence = address + fix.removeprefix(address).split("/")[0] + "/silence/"
    assert client_of(bob).post(silence, {"reason": "no"}).status_code == 403
    for one in (address, fix):
        assert client_of(charlie).get(one).status_code == 404
    assert client_of(charlie).post(f"{fix}take/").status_code == 404
    assert client_of(charlie).post(silence).status_code == 404


@pytest.mark.parametrize("path", ["x/fixes/0/", "x/fixes/99999999999999999999999/"])
def test_what_is_found_no_more_leads_back_with_a_sentence(
    airline: Policy, alice: User, client_of: Clients, address: str, path: str
) -> None:
    page = client_of(alice).get(address + path, follow=True).content.decode()
    assert "found no more" in page


def test_a_change_that_is_not_offered_is_refused(
    airline: Policy, alice: User, client_of: Clients, address: str
) -> None:
    fix = first_fix(found(client_of(alice), address))
    response = client_of(alice).get(fix.replace("/fixes/0/", "/fixes/99/"))
    assert response.status_code == 422
    assert "Choose one of the changes that are offered." in response.content.decode()


def test_the_card_says_what_was_found_of_its_rule(
    airline: Policy, alice: User, client_of: Clients, address: str
) -> None:
    alices = client_of(alice)
    card = f"/policies/{airline.slug}/review/{rule_of(airline, 'denied').uid}/"
    other = f"/policies/{airline.slug}/review/{rule_of(airline, 'flown').uid}/"
    assert "Not checked since the draft changed" in alices.get(card).content.decode()
    alices.get(address)
    page = alices.get(card).content.decode()
    assert "This change is being checked." in page
    assert "cannot all hold" not in page
    run_urgent("tests")
    assert "cannot all hold" in alices.get(card).content.decode()
    page = alices.get(other).content.decode()
    assert "cannot all hold" not in page


def test_a_check_that_failed_says_why_and_is_tried_again_and_no_other_job_is(
    airline: Policy,
    travel: Policy,
    alice: User,
    client_of: Clients,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alices = client_of(alice)

    def too_late(request: dict[str, Any], **options: Any) -> dict[str, Any]:
        return lint_apart(request, **{**options, "deadline_s": 0})

    with monkeypatch.context() as patched:
        patched.setattr("vetting.lint.lint_apart", too_late)
        page = found(alices, address)
    assert "The rules were not checked within 0 seconds" in page
    job = Job.objects.get(policy=airline, kind="lint")
    assert alices.post(f"{address}jobs/{job.uid}/again/").url == address
    assert "These rules cannot all hold" in found(alices, address)
    other = Job.objects.filter(policy=travel).first()
    assert other is not None
    theirs = f"/policies/{travel.slug}/lint/jobs/{other.uid}/again/"
    assert alices.post(theirs).status_code == 404
