"""The tab 'Scenarios' of an archived policy is read, and begins nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.archiving import archive
from policies.models import Job, User
from tests.loans import draft_loans

pytestmark = pytest.mark.django_db


def test_the_tab_of_an_archived_policy_opens_though_its_edits_were_never_counted(
    alice: User, client_of: Callable[[User], Client]
) -> None:
    policy = draft_loans(alice)
    assert archive(policy, alice)
    page = client_of(alice).get(f"/policies/{policy.slug}/scenarios/")
    assert page.status_code == 200
    assert "Boundaries and outcomes" in page.content.decode()
    assert not Job.objects.filter(policy=policy, kind="suite").exists()
