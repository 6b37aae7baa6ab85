"""Keeps the leases of all items that this process works on, from one thread.

A few times a second it asks the rows, in one query for all of them, which were cancelled
or taken over, and tells those who work on them; three times in a lease's length it renews
them all in one update. So whoever waits for a model or a solver need not ask by himself.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, connections

from policies.jobs import leases
from policies.jobs.limits import KEEP_S, LEASE_S
from policies.jobs.registry import Context
from policies.writing import written

logger = logging.getLogger(__name__)


@contextmanager
def kept(context: Context) -> Iterator[None]:
    """Renew the lease in the background; sets `context.lost` soon after it is held no more.

    Not within a transaction: what nobody else sees yet nobody can take away, or renew.
    """
    if connection.in_atomic_block:
        yield
        return
    _keeper.add(context)
    try:
        yield
    finally:
        _keeper.leave(context)


class Keeper:
    """One thread, begun with the first item; a process that was forked begins without."""

    def __init__(self) -> None:
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, int], Context] = {}
        self._some = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, context: Context) -> None:
        with self._lock:
            self._kept[context.item_id, context.fence] = context
            context.lost.is_watched = True
            self._some.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep, name="leases", daemon=True)
                self._thread.start()

    def leave(self, context: Context) -> None:
        with self._lock:
            context.lost.is_watched = False
            self._kept.pop((context.item_id, context.fence), None)
            if not self._kept:
                self._some.clear()

    def _keep(self) -> None:
        renewed_s = time.monotonic()
        while True:
            time.sleep(min(KEEP_S, LEASE_S / 3))
            if not self._some.is_set():
                connections.close_all()
                self._some.wait()
                # A lease that was just claimed has all its time.
                renewed_s = time.monotonic()
                continue
            with self._lock:
                contexts = list(self._kept.values())
            is_late = time.monotonic() - renewed_s >= LEASE_S / 3
            try:
                if is_late and self._renewed(contexts):
                    renewed_s = time.monotonic()
                    continue
                self._tell_lost(contexts)
            except Exception:
                # The database may be away for a moment: try again with a new connection.
                logger.exception("the leases are looked at again after an error")
                connections.close_all()

    def _renewed(self, contexts: list[Context]) -> bool:
        """Whether all are still held; those that are have a new lease either way."""
        with written():
            until = leases.after(LEASE_S)
            return leases.held(*contexts).update(lease_until=until) == len(contexts)

    def _tell_lost(self, contexts: list[Context]) -> None:
        held = set(leases.held(*contexts).values_list("pk", "fence"))
        for context in contexts:
            if (context.item_id, context.fence) not in held:
                with self._lock:
                    self._kept.pop((context.item_id, context.fence), None)
                context.lost.set()


_keeper = Keeper()
