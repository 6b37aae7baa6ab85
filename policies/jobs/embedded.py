"""The embedded engine: threads that poll the rows. No broker, nothing else to run."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import uuid
from collections.abc import Callable
from types import FrameType

from django.db import connections

from policies.jobs import hourly
from policies.jobs.leases import due, release_all, urgent
from policies.jobs.limits import POLL_S, SWEEP_S
from policies.jobs.running import run_item, tidy

logger = logging.getLogger(__name__)

STOPPED_AT_ONCE = 130


def process_name() -> str:
    """Names this process among all workers on all machines, now and later."""
    return f"{socket.gethostname()[:30]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


class Runner:
    """`threads` threads that each do one item at a time, until told to stop.

    One more does urgent items only, so that nobody waits behind a slow model.

    The first SIGINT or SIGTERM lets the items under way end; the second gives
    them back and ends the process at once.
    """

    def __init__(self, threads: int) -> None:
        self.name = process_name()
        self.stop = threading.Event()
        self.at_once = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(f"{self.name}:{number}", step), daemon=True)
            for number, step in enumerate([*[run_next] * threads, run_urgent])
        ]

    def run(self) -> None:
        """Work until stopped; call from the main thread."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        for thread in self._threads:
            thread.start()
        hourly.start(self.stop)
        while not self.stop.wait(SWEEP_S):
            self._safely(tidy)
        while any(thread.is_alive() for thread in self._threads):
            if self.at_once.wait(0.1):
                release_all(self.name)
                # Threads cannot be ended from outside: the process takes them along.
                sys.stderr.flush()
                os._exit(STOPPED_AT_ONCE)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.stop.is_set():
            self.at_once.set()
        self.stop.set()

    def _work(self, holder: str, step: Callable[[str], bool]) -> None:
        try:
            while not self.stop.is_set():
                if not self._safely(lambda: step(holder)):
                    self.stop.wait(POLL_S)
        finally:
            connections.close_all()

    def _safely(self, step: Callable[[], object]) -> bool:
        """Whatever goes wrong in a step, a database that restarts for one, the runner lives."""
        try:
            return bool(step())
        except Exception:
            logger.exception("the runner goes on after an error")
            connections.close_all()
            return False


def run_next(holder: str) -> bool:
    """Do the oldest item that is to be had; False if there is none."""
    # Some more than one: others may be faster with the first.
    return any(run_item(item_id, holder) for item_id in due(limit=20))


def run_urgent(holder: str) -> bool:
    """Do the oldest urgent item that is to be had; False if there is none."""
    return any(run_item(item_id, holder) for item_id in urgent())
