"""Many threads that write to SQLite each have their turn, however short its patience is."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connection, connections

from policies.models import User
from policies.writing import written

THREADS = 6


@pytest.mark.django_db(transaction=True)
def test_threads_that_write_have_their_turn_one_after_the_other() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL lets writers wait by itself")
    failed: list[BaseException] = []
    ready = threading.Barrier(THREADS)

    def write(number: int) -> None:
        try:
            with connection.cursor() as cursor:
                # Without the queue all but the first would give up.
                cursor.execute("PRAGMA busy_timeout = 20")
            ready.wait(20)
            with written():
                User.objects.create_user(f"{number}@example.org", "a secret for tests")
                time.sleep(0.1)
        except BaseException as error:
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert User.objects.count() == THREADS


@pytest.mark.django_db
def test_within_a_transaction_nobody_is_waited_for() -> None:
    """Whoever is in one may be what the others wait for."""
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        from policies import writing

        with writing._queue:
            held.set()
            release.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(20)
    try:
        with written():
            User.objects.create_user("a@example.org", "a secret for tests")
    finally:
        release.set()
        thread.join()
    assert User.objects.count() == 1
