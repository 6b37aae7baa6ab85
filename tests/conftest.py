"""The cast, a policy for it to act on, and what the tests need of the database.

Alice owns the policy, Bob reviews it, Charlie has no access: each view meets all three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client, TransactionTestCase

from policies.append_only import append_only_tables, drop_statements
from policies.models import Membership, Policy, User
from policies.roles import Role

pytest_plugins = ["tests.browser"]


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice@example.org", "alice", name="Alice")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob@example.org", "bob", name="Bob")


@pytest.fixture
def charlie(db: None) -> User:
    return User.objects.create_user("charlie@example.org", "charlie", name="Charlie")


@pytest.fixture
def policy(alice: User, bob: User) -> Policy:
    """An empty policy that Alice owns and Bob reviews."""
    made = Policy.objects.create(slug="travel", name="Travel policy", created_by=alice)
    Membership.objects.create(policy=made, user=alice, role=Role.OWNER)
    Membership.objects.create(policy=made, user=bob, role=Role.REVIEWER)
    return made


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    """`client_of(alice)` is a browser in which Alice is signed in."""

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """PostgreSQL drops no database that a page still asks, such as one left open by a browser."""
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(autouse=True, scope="session")
def _flush_may_empty_guarded_tables() -> Iterator[None]:
    """A test with real transactions ends by emptying every table; the guards refuse that.

    They are taken off just before, and come back with the `post_migrate` signal
    that ends the flush.
    """
    empty_the_tables = TransactionTestCase._fixture_teardown

    def without_guards(case: TransactionTestCase) -> None:
        with connection.cursor() as cursor:
            for table in append_only_tables(apps.get_models()):
                for statement in drop_statements(table, connection.vendor):
                    cursor.execute(statement)
        empty_the_tables(case)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", without_guards)
        yield
