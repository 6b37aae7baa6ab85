"""A database of its own, and a made policy's document in it, for the benchmarks of translation."""

from __future__ import annotations

import os
from typing import Any

from benchmarks.units import MadePolicy

OWNER = "owner@example.org"


def make_database(folder: str) -> None:
    """Set Django up on SQLite in a folder; for processes started from here, too.

    A DATABASE_URL that is set is used instead: its tables must be empty.
    """
    os.environ["POLICYWRIGHT_VAR"] = folder
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def make_rows(made: MadePolicy) -> tuple[Any, list[Any]]:
    """The policy, and the spans of its one document in order."""
    from policies.document_store import add_document
    from policies.models import Span, User
    from policies.people import create_policy

    owner = User.objects.create_user(OWNER, "a long enough secret")
    policy = create_policy(owner, name="Handbook")
    text = made.document().encode()
    revision = add_document(policy, owner, title="Handbook", data=text, filename="handbook.md")
    rows = Span.objects.filter(revision=revision).order_by("ordinal")
    return policy, list(rows.select_related("revision__document__policy"))
