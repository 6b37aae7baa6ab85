"""Each page meets Alice, who owns the policy, Bob, who reviews it, and Charlie, a stranger."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.models import Policy, Rule, User

Clients = Callable[[User], Client]

PAGES = [
    "",
    "standing.json",
    "rules/",
    "effort/",
    "people/",
    "documents/",
    "documents/new/",
    "formalize/",
    "review/",
    "review/list/",
    "feedback/",
    "feedback/new/",
    "glossary/",
    "glossary/new/",
    "assumptions/",
    "lint/",
    "scenarios/playground/",
    "scenarios/",
    "scenarios/own/",
    "scenarios/own/import/",
    "scenarios/own/new/",
    "versions/",
]


@pytest.mark.parametrize("page", PAGES)
def test_members_see_a_page_and_a_stranger_sees_none(
    travel: Policy, alice: User, bob: User, charlie: User, client_of: Clients, page: str
) -> None:
    address = f"/policies/{travel.slug}/{page}"
    for member in (alice, bob):
        response = client_of(member).get(address, follow=True)
        assert response.status_code == 200
        assert "Travel policy" in response.content.decode()
    unknown = client_of(charlie).get(f"/policies/nothing/{page}")
    refused = client_of(charlie).get(address)
    assert (refused.status_code, refused.content) == (404, unknown.content)


def test_only_an_owner_sees_what_is_done_with_a_whole_policy(
    travel: Policy, alice: User, bob: User, charlie: User, client_of: Clients
) -> None:
    address = f"/policies/{travel.slug}/archive/"
    seen = [client_of(one).get(address).status_code for one in (alice, bob, charlie)]
    assert seen == [200, 403, 404]


def test_the_list_holds_ones_own_policies_only(
    travel: Policy, alice: User, charlie: User, client_of: Clients
) -> None:
    assert "Travel policy" in client_of(alice).get("/policies/").content.decode()
    page = client_of(charlie).get("/policies/").content.decode()
    assert "Travel policy" not in page
    assert "You have no policies yet" in page


def test_an_owner_is_offered_what_only_an_owner_may_do(
    travel: Policy, alice: User, bob: User, client_of: Clients
) -> None:
    people = f"/policies/{travel.slug}/people/"
    assert "Add someone" in client_of(alice).get(people).content.decode()
    assert "Add someone" not in client_of(bob).get(people).content.decode()
    added = {"email": bob.email, "role": "owner"}
    assert client_of(bob).post(f"{people}add/", added).status_code == 403
    assert client_of(alice).post(f"{people}add/", added).status_code == 302
    assert "Add someone" in client_of(bob).get(people).content.decode()


def test_a_viewer_reads_a_card_without_its_buttons(
    travel: Policy, rule: Rule, bob: User, client_of: Clients
) -> None:
    travel.memberships.filter(user=bob).update(role="viewer")
    card = f"/policies/{travel.slug}/review/{rule.uid}/"
    page = client_of(bob).get(card).content.decode()
    assert "EUR 1,000" in page
    assert "Owners and reviewers decide on rules." in page
    assert 'data-key="a"' not in page
    response = client_of(bob).post(f"{card}approve/", {"shown": ""})
    assert response.status_code == 403
    assert "needs the role owner or reviewer" in response.content.decode()
    short = client_of(bob).post(f"{card}approve/", {"shown": ""}, headers={"hx-request": "true"})
    assert (short.status_code, short["X-Problem"]) == (403, "shown")
    assert "<html" not in short.content.decode()


def test_the_last_owner_stays(travel: Policy, alices: Client) -> None:
    travel.memberships.exclude(user__email="alice@example.org").filter(role="owner").delete()
    mine = travel.memberships.get(user__email="alice@example.org")
    address = f"/policies/{travel.slug}/people/remove/"
    page = alices.post(address, {"member": mine.pk}, follow=True).content.decode()
    assert "make somebody else an owner first" in page
    assert travel.memberships.filter(pk=mine.pk).exists()


def test_members_of_another_policy_are_out_of_reach(
    travel: Policy, policy: Policy, alices: Client, bob: User
) -> None:
    other = policy.memberships.get(user=bob)
    alices.post(f"/policies/{travel.slug}/people/remove/", {"member": other.pk})
    assert policy.memberships.filter(pk=other.pk).exists()


def test_fr_50_a_card_of_another_policy_is_not_there(
    travel: Policy, policy: Policy, rule: Rule, alices: Client
) -> None:
    for act in ("approve", "withdraw", "reject", "edit", "not-binding"):
        address = f"/policies/{policy.slug}/review/{rule.uid}/{act}/"
        assert alices.post(address, {"shown": rule.content_hash}).status_code == 404
    assert not rule.decisions.exists()
