"""Glossary, assumptions, versions: what their forms do and refuse."""

from __future__ import annotations

import pytest
from django.test import Client

from policies.jobs.embedded import run_urgent
from policies.models import Policy, Rule, User, Variable
from tests.airline import draft_airline
from tests.in_browser.making import settle
from vetting.checking import start_check
from vetting.declarations import variable_hash
from vetting.publishing import publish


@pytest.fixture
def cost(travel: Policy) -> Variable:
    found = Variable.objects.filter(policy=travel, unit="EUR").first()
    assert found is not None
    return found


def parts(variable: Variable, **changes: str) -> dict[str, str]:
    names = ("name", "sort", "role", "unit", "description", "phrase", "negative_phrase")
    sent = {name: getattr(variable, name) for name in names}
    return {**sent, "shown": variable_hash(variable), **changes}


def test_a_better_phrase_reaches_the_rules(travel: Policy, cost: Variable, alices: Client) -> None:
    address = f"/policies/{travel.slug}/glossary/{cost.uid}/"
    assert "rule uses it" in alices.get(address).content.decode()
    alices.post(address, parts(cost, phrase="the price of the trip"))
    rule = Rule.objects.filter(policy=travel).first()
    assert rule is not None
    page = alices.get(f"/policies/{travel.slug}/review/{rule.uid}/").content.decode()
    assert "the price of the trip is more than EUR 1,000" in page


def test_fr_46_a_moved_variable_is_refused_with_both_texts(
    travel: Policy, cost: Variable, alices: Client
) -> None:
    address = f"/policies/{travel.slug}/glossary/{cost.uid}/"
    mine = parts(cost, description="All that is paid.")
    alices.post(address, parts(cost, description="The fare alone."))
    response = alices.post(address, mine)
    page = response.content.decode()
    assert response.status_code == 409
    assert "The fare alone." in page
    assert "All that is paid.</textarea>" in page.replace("\n", "")
    cost.refresh_from_db()
    assert cost.description == "The fare alone."


def test_a_name_that_is_not_allowed_is_one_sentence(travel: Policy, alices: Client) -> None:
    sent = {"name": "and", "sort": "Bool", "role": "fact"}
    response = alices.post(f"/policies/{travel.slug}/glossary/new/", sent)
    assert response.status_code == 422
    assert "<code>and</code>" in response.content.decode()


def test_a_range_is_assumed_and_reviewed_like_a_rule(
    travel: Policy, cost: Variable, alices: Client
) -> None:
    address = f"/policies/{travel.slug}/assumptions/range/"
    wrong = alices.post(address, {"variable": cost.uid, "lower": "5", "upper": "1"})
    assert wrong.status_code == 422
    assert "above the upper end" in wrong.content.decode()
    page = alices.post(address, {"variable": cost.uid, "lower": "0"}, follow=True).content.decode()
    assert "The cost of the trip is at least EUR 0." in page
    assert "Assumption 1 of 1" in page


def test_a_default_needs_a_choice(travel: Policy, alices: Client) -> None:
    outcome = Variable.objects.filter(policy=travel, role="outcome").first()
    assert outcome is not None
    address = f"/policies/{travel.slug}/assumptions/default/"
    response = alices.post(address, {"outcome": outcome.uid})
    assert "Choose what holds when no rule speaks." in response.content.decode()
    sent = {"outcome": outcome.uid, "choice": "approved unless forbidden"}
    assert "Default 1 of 1" in alices.post(address, sent, follow=True).content.decode()


def test_what_stands_in_the_way_is_listed_with_links(travel: Policy, alices: Client) -> None:
    page = alices.get(f"/policies/{travel.slug}/versions/").content.decode()
    assert "in the way" in page
    for rule in Rule.objects.filter(policy=travel):
        assert f"/policies/{travel.slug}/review/{rule.uid}/" in page
    sent = {"revision": travel.revision}
    response = alices.post(f"/policies/{travel.slug}/versions/publish/", sent)
    assert response.status_code == 422
    assert not travel.versions.exists()


def test_a_draft_that_moved_is_not_published(travel: Policy, alices: Client) -> None:
    settle(travel)
    response = alices.post(f"/policies/{travel.slug}/versions/publish/", {"revision": "0"})
    assert response.status_code == 409
    assert not travel.versions.exists()


def test_a_version_is_served_as_the_same_bytes_with_their_hash(
    travel: Policy, alices: Client, charlie: User
) -> None:
    settle(travel)
    travel.refresh_from_db()
    owner = User.objects.get(email="owner@example.org")
    version = publish(owner, travel, shown_revision=travel.revision)
    base = f"/policies/{travel.slug}/versions/1/"
    page = alices.get(base).content.decode()
    assert version.sha256 in page
    assert "A trip that costs more than EUR 1,000" in page
    response = alices.get(f"{base}{travel.slug}-v1.smt2")
    assert response.content == bytes(version.smt2)
    assert response["Content-Type"].startswith("text/x-smtlib2")
    assert response["Content-Disposition"] == f'attachment; filename="{travel.slug}-v1.smt2"'
    assert response["ETag"] == f'"{version.sha256}"'
    again = alices.get(f"{base}{travel.slug}-v1.smt2", headers={"if-none-match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert alices.get(f"{base}another.smt2").status_code == 404
    page = alices.get(f"/policies/{travel.slug}/versions/").content.decode()
    assert "There is nothing new to publish." in page


def test_the_front_page_names_what_lint_found_or_says_that_nobody_looked(
    alice: User, alices: Client
) -> None:
    airline = draft_airline(alice)
    page = alices.get(f"/policies/{airline.slug}/").content.decode()
    assert "Not checked since the draft changed" in page
    start_check(airline, alice)
    assert "The draft is being checked" in alices.get(f"/policies/{airline.slug}/").content.decode()
    while run_urgent("tests"):
        pass
    page = alices.get(f"/policies/{airline.slug}/").content.decode()
    assert "These rules cannot all hold where" in page
    assert f'href="/policies/{airline.slug}/lint/"' in page
    assert "Not checked since" not in page
