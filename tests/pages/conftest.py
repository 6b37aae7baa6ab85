"""The travel example in the database, for pages that are asked for without a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.jobs.embedded import run_urgent
from policies.models import Membership, Policy, Rule, User
from policies.roles import Role
from tests.in_browser.making import draft_travel


@pytest.fixture(autouse=True)
def _an_upload_is_read_while_its_page_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner's own step, in this process: these tests see no other connection's rows."""
    monkeypatch.setattr("policies.intake.pause", lambda: run_urgent("tests"))


@pytest.fixture
def travel(alice: User, bob: User) -> Policy:
    """The travel policy as the built-in formalizer drafted it; Alice owns it, Bob reviews."""
    policy = draft_travel()
    Membership.objects.create(policy=policy, user=alice, role=Role.OWNER)
    Membership.objects.create(policy=policy, user=bob, role=Role.REVIEWER)
    return policy


@pytest.fixture
def rule(travel: Policy) -> Rule:
    """Its first rule, about trips above EUR 1,000."""
    found = Rule.objects.filter(policy=travel).first()
    assert found is not None
    return found


@pytest.fixture
def alices(client_of: Callable[[User], Client], alice: User) -> Client:
    return client_of(alice)
