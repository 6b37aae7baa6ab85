"""Tests with real transactions leave an empty database whose guards are in place."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction

from policies import audit
from policies.models import AuditRow, Policy, User

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("turn", ["first", "second"])
def test_a_test_begins_empty_and_guarded(turn: str, policy: Policy, alice: User) -> None:
    assert AuditRow.objects.count() == 0
    with transaction.atomic():
        audit.record(policy, alice, "made", f"policy:{policy.pk}")
    for statement in ("UPDATE policies_auditrow SET action = ''", "DELETE FROM policies_auditrow"):
        with pytest.raises(DatabaseError), connection.cursor() as cursor:
            cursor.execute(statement)
    assert AuditRow.objects.get().action == "made"


def test_sqlite_queues_its_writers() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL locks rows")
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert cursor.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)
