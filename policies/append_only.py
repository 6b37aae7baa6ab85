"""Rows that are written once: guarded in Python and by triggers in the database.

The triggers are what counts: raw SQL that updates or deletes such a row fails
on SQLite and on PostgreSQL. On SQLite a third one refuses a row whose key is
taken, since `INSERT OR REPLACE` deletes the old row past the delete trigger. They
are installed after every migration, since Django drops them when it rebuilds an
SQLite table.
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
    connection = connections[using]
    existing = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for model in append_only_models(app_config.get_models()):
            if model._meta.db_table in existing:
                for statement in create_statements(model, connection.vendor):
                    cursor.execute(statement)


def append_only_models(candidates: Iterable[type[models.Model]]) -> list[type[models.Model]]:
    return [model for model in candidates if issubclass(model, AppendOnly)]


def append_only_tables(candidates: Iterable[type[models.Model]]) -> list[str]:
    return [model._meta.db_table for model in append_only_models(candidates)]


def create_statements(model: type[models.Model], vendor: str) -> list[str]:
    """SQL that puts the guard on a table; its names are Django's own, never a user's."""
    table = model._meta.db_table
    if vendor == "sqlite":
        conditions = {"update": "", "delete": "", "insert": f"WHEN {_key_is_taken(model)} "}
        return [
            *drop_statements(table, vendor),
            *(
                f'CREATE TRIGGER "append_only_{event}_{table}" BEFORE {event.upper()} '
                f"ON \"{table}\" {condition}BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
                for event, condition in conditions.items()
            ),
        ]
    return [
        "CREATE OR REPLACE FUNCTION policywright_append_only() RETURNS trigger AS $$ "
        f"BEGIN RAISE EXCEPTION '{MESSAGE}'; END $$ LANGUAGE plpgsql",
        *drop_statements(table, vendor),
        f'CREATE TRIGGER "append_only_row" BEFORE UPDATE OR DELETE ON "{table}" '
        "FOR EACH ROW EXECUTE FUNCTION policywright_append_only()",
        f'CREATE TRIGGER "append_only_table" BEFORE TRUNCATE ON "{table}" '
        "FOR EACH STATEMENT EXECUTE FUNCTION policywright_append_only()",
    ]


def drop_statements(table: str, vendor: str) -> list[str]:
    """SQL that takes the guard off: for tests that empty the database between them."""
    if vendor == "sqlite":
        events = ("update", "delete", "insert")
        return [f'DROP TRIGGER IF EXISTS "append_only_{event}_{table}"' for event in events]
    return [
        f'DROP TRIGGER IF EXISTS "{name}" ON "{table}"'
        for name in ("append_only_row", "append_only_table")
    ]


def _key_is_taken(model: type[models.Model]) -> str:
    """SQL: a row with the new row's id, or with its values in a unique set, is there."""
    options = model._meta
    keys = [[field.column] for field in options.local_fields if field.unique]
    for constraint in options.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            # A set without fields or with a condition has another meaning.
            if not constraint.fields or constraint.condition is not None:
                raise NotImplementedError(
                    f"`{constraint.name}` has a condition or no fields, which the triggers of a "
                    "table that is written once cannot read: give it fields and no condition"
                )
            columns = {field.name: field.column for field in options.local_fields}
            keys.append([columns[name] for name in constraint.fields])
    same = " OR ".join(
        "(" + " AND ".join(f'"{column}" = NEW."{column}"' for column in key) + ")" for key in keys
    )
    return f'EXISTS (SELECT 1 FROM "{options.db_table}" WHERE {same})'
