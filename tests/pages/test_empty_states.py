"""A page with nothing to show says what comes next, to whoever may do it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.document_store import add_document
from policies.models import Membership, Policy, User
from policies.roles import Role

Clients = Callable[[User], Client]
PAGES = ["review/", "glossary/", "lint/", "scenarios/"]


@pytest.fixture
def viewers(policy: Policy, charlie: User, client_of: Clients) -> Client:
    Membership.objects.create(policy=policy, user=charlie, role=Role.VIEWER)
    return client_of(charlie)


def shown(client: Client, page: str) -> str:
    return client.get(f"/policies/travel/{page}", follow=True).content.decode()


@pytest.mark.parametrize("page", PAGES)
def test_without_a_document_one_is_added_next(
    page: str, policy: Policy, alices: Client, viewers: Client
) -> None:
    button = 'href="/policies/travel/documents/new/"'
    assert button in shown(alices, page)
    assert "An owner or a reviewer adds the first document." in shown(viewers, page)
    assert button not in shown(viewers, page)


@pytest.mark.parametrize("page", PAGES[1:])
def test_with_a_document_it_is_formalized_next(
    page: str, policy: Policy, alice: User, alices: Client, viewers: Client
) -> None:
    add_document(policy, alice, title="T", data=b"Trips need approval.", filename="t.txt")
    button = 'href="/policies/travel/formalize/"'
    assert button in shown(alices, page)
    assert "has the document formalized next" in shown(viewers, page)
    assert button not in shown(viewers, page)


def test_a_policy_with_rules_says_nothing_of_it(travel: Policy, alices: Client) -> None:
    for page in PAGES:
        answer = alices.get(f"/policies/{travel.slug}/{page}", follow=True).content.decode()
        assert "Formalize what was read" not in answer
        assert "Add the first document" not in answer
