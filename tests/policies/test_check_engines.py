"""A change is checked by real workers of both engines, with nobody who opens a page."""

from __future__ import annotations

import pytest

from policies.composing import compose
from policies.models import Item, Policy, User
from policies.models.jobs import ItemState
from tests.airline import draft_airline, rule_of
from tests.policies.engines import Engine, wait_until
from vetting.checking import KIND
from vetting.edits import edit_rule
from vetting.models import LintReport

# Workers are other processes: they see what is committed, and nothing else.
pytestmark = pytest.mark.django_db(transaction=True)


def is_checked(policy: Policy):
    return LintReport.objects.filter(policy=policy, revision=policy.revision).exists


def reword(policy: Policy, user: User, smtlib: str) -> None:
    row = rule_of(policy, "cancelled-flight")
    edit_rule(policy, user, row, smtlib=smtlib, shown_hash=compose(policy).hashes[row.uid])
    policy.refresh_from_db()


def test_a_change_is_checked_and_again_where_a_worker_is_killed(
    engine: Engine, alice: User
) -> None:
    airline = draft_airline(alice)
    engine.start()
    wait_until(is_checked(airline), seconds=60, said=engine.logs)
    reword(airline, alice, "(=> (not (= flightStatus operated)) refundDue)")
    checks = Item.objects.filter(job__kind=KIND)
    wait_until(checks.filter(state=ItemState.RUNNING).exists, said=engine.logs)
    engine.kill()
    engine.start()
    wait_until(is_checked(airline), seconds=60, said=engine.logs)
    wait_until(lambda: not checks.exclude(state=ItemState.DONE).exists(), said=engine.logs)
