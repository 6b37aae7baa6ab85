"""The threads of one process that write to SQLite queue here.

SQLite has one writer at a time. Those who wait for it ask again and again, so one of
many may never have its turn within the timeout, and what it was to keep is lost: a
reply that was paid for, for one. PostgreSQL needs none of this.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

_queue = threading.RLock()


@contextmanager
def written() -> Iterator[None]:
    """A transaction that writes; on SQLite begun when no other thread of ours is in one."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        # Within a transaction it is too late to wait: another thread may wait for this one.
        with transaction.atomic():
            yield
        return
    with _queue, transaction.atomic():
        yield
