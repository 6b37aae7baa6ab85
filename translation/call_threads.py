"""Threads that calls run in, kept for the next call: a call cannot be ended, but can be given up.

A thread whose call is given up is free again once the call ends. None of them keeps the process
from ending, which is why this is no executor of the standard library's.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable


class CallThreads:
    """As many threads as there were calls at once; a process that was forked begins with none."""

    def __init__(self) -> None:
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._idle: list[queue.SimpleQueue[Callable[[], None]]] = []

    def run(self, call: Callable[[], None]) -> None:
        """Begin a call, which deals with its errors itself, and go on."""
        try:
            calls = self._idle.pop()
        except IndexError:
            calls = queue.SimpleQueue()
            threading.Thread(target=self._work, args=(calls,), name="llm-call", daemon=True).start()
        calls.put(call)

    def _work(self, calls: queue.SimpleQueue[Callable[[], None]]) -> None:
        while True:
            calls.get()()
            self._idle.append(calls)


CALLS = CallThreads()
