"""Solver processes that are kept between questions: starting one costs more than most questions.

As many as there are processors, whoever asks; who asks while all are busy waits.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from policywright.solving import DEADLINE_S, SolverProcess


class SolverPool:
    """For any number of threads; a process that was forked begins with none."""

    def __init__(self, size: int | None = None, *, deadline_s: float = DEADLINE_S) -> None:
        self.deadline_s = deadline_s
        self._size = size or os.cpu_count() or 1
        self._idle: list[SolverProcess] = []
        self._renew()

    @contextmanager
    def solver(self) -> Iterator[SolverProcess]:
        """A solver for one thread, given back at the end."""
        if self._owner != os.getpid():
            self._renew()
        with self._free:
            with self._lock:
                solver = self._idle.pop() if self._idle else None
            solver = solver or SolverProcess(deadline_s=self.deadline_s)
            try:
                yield solver
            except BaseException:
                # Who knows what it is still about: the next question gets a new one.
                solver.close()
                raise
            with self._lock:
                self._idle.append(solver)

    def close(self) -> None:
        """End the processes that wait; a pool that is used again starts others."""
        with self._lock:
            idle, self._idle = self._idle, []
        for solver in idle:
            solver.close()

    def _renew(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(self._size)
        self._idle.clear()


POOL = SolverPool()
atexit.register(POOL.close)
