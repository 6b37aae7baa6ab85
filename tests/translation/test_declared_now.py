"""What is known of a draft's declarations is what its rows say, whoever changed them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from policies import declared_now as module
from policies.composing import declarations_and_merges
from policies.declared_now import declared_now, will_declare
from policies.editing import editing
from policies.models import Policy, Span
from policywright.model import PolicyModel
from tests.policies.making import make_variable
from tests.translation.test_keeping_narrowly import Story, spans

__all__ = ["spans"]

pytestmark = pytest.mark.django_db(transaction=True)


def said_by_rows(policy: Policy) -> tuple[PolicyModel, dict[str, str]]:
    base, merged = declarations_and_merges(policy)
    return base, dict(merged)


def known(policy: Policy) -> tuple[PolicyModel, dict[str, str]]:
    policy.refresh_from_db()
    now = declared_now(policy, policy.revision)
    return now.base, dict(now.merged)


@pytest.mark.parametrize("seed", range(6))
def test_what_a_kept_unit_adds_is_told_as_its_rows_say_it(
    policy: Policy, spans: list[Span], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    told = []

    def keep(policy: Policy, now: Any) -> None:
        told.append(now.revision)
        assert (now.base, dict(now.merged)) == said_by_rows(policy)
        original(policy, now)

    original = module._keep
    monkeypatch.setattr(module, "_keep", keep)
    Story(policy, spans, seed).run()
    assert len(told) >= 3
    assert known(policy) == said_by_rows(policy)


def test_a_change_by_somebody_else_is_seen_at_once(policy: Policy) -> None:
    assert known(policy)[0].variables == ()
    with editing(policy, None):
        make_variable(policy, "cost")
    assert [one.name for one in known(policy)[0].variables] == ["cost"]
    assert known(policy) == said_by_rows(policy)


def test_what_is_known_is_read_once(policy: Policy, django_assert_num_queries: Any) -> None:
    known(policy)
    with django_assert_num_queries(0):
        declared_now(policy, policy.revision)


def test_what_was_rolled_back_is_not_known(policy: Policy) -> None:
    known(policy)
    with transaction.atomic():
        with editing(policy, None) as edit:
            make_variable(policy, "cost")
        will_declare(edit.policy, *declarations_and_merges(policy))
        # Nor what is read before it is undone.
        assert len(declared_now(edit.policy, edit.policy.revision).base.variables) == 1
        transaction.set_rollback(True)
    with editing(policy, None):
        make_variable(policy, "other")
    assert [one.name for one in known(policy)[0].variables] == ["other"]
