"""Rows that are written once: guarded in Python and by triggers in the database.

The triggers are what counts: raw SQL that updates or deletes such a row fails
on SQLite and on PostgreSQL. They are installed after every migration, since
Django drops them when it rebuilds an SQLite table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import AppConfig
from django.db import connections, models

MESSAGE = "rows of this table are never changed or deleted"


class AppendOnlyError(Exception):
    """Code tried to change or delete a row that is written once."""


class AppendOnly(models.Model):
    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(MESSAGE)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        raise AppendOnlyError(MESSAGE)


def install_triggers(app_config: AppConfig, using: str, **kwargs: Any) -> None:
    """A `post_migrate` handler; running it again changes nothing."""
    tables = append_only_tables(app_config.get_models())
    connection = connections[using]
    existing = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for table in tables:
            if table in existing:
                for statement in create_statements(table, connection.vendor):
                    cursor.execute(statement)


def append_only_tables(candidates: Iterable[type[models.Model]]) -> list[str]:
    return [model._meta.db_table for model in candidates if issubclass(model, AppendOnly)]


def create_statements(table: str, vendor: str) -> list[str]:
    """SQL that puts the guard on a table; table names are Django's own, never a user's."""
    if vendor == "sqlite":
        statements = []
        for event in ("update", "delete"):
            name = f"append_only_{event}_{table}"
            statements += drop_statements(table, vendor, (event,))
            statements.append(
                f'CREATE TRIGGER "{name}" BEFORE {event.upper()} ON "{table}" '
                f"BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
            )
        return statements
    return [
        "CREATE OR REPLACE FUNCTION policywright_append_only() RETURNS trigger AS $$ "
        f"BEGIN RAISE EXCEPTION '{MESSAGE}'; END $$ LANGUAGE plpgsql",
        *drop_statements(table, vendor),
        f'CREATE TRIGGER "append_only_row" BEFORE UPDATE OR DELETE ON "{table}" '
        "FOR EACH ROW EXECUTE FUNCTION policywright_append_only()",
        f'CREATE TRIGGER "append_only_table" BEFORE TRUNCATE ON "{table}" '
        "FOR EACH STATEMENT EXECUTE FUNCTION policywright_append_only()",
    ]


def drop_statements(
    table: str, vendor: str, events: Iterable[str] = ("update", "delete")
) -> list[str]:
    """SQL that takes the guard off: for tests that empty the database between them."""
    if vendor == "sqlite":
        return [f'DROP TRIGGER IF EXISTS "append_only_{event}_{table}"' for event in events]
    return [
        f'DROP TRIGGER IF EXISTS "{name}" ON "{table}"'
        for name in ("append_only_row", "append_only_table")
    ]
