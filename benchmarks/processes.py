"""Watches a process and its children from outside: CPU seconds and memory over time (Linux)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024
EVERY_S = 0.5


@dataclass
class Watched:
    """`memory` holds (seconds, KB) of the process alone, between `begin` and `end`."""

    pid: int
    memory: list[tuple[float, int]] = field(default_factory=list)
    _at_begin: tuple[float, float] = (0.0, 0.0)
    _at_end: tuple[float, float] = (0.0, 0.0)
    _is_running: threading.Event = field(default_factory=threading.Event)

    def begin(self) -> None:
        self._at_begin = self._cpu()
        self._is_running.set()

    def end(self) -> None:
        self._is_running.clear()
        self._at_end = self._cpu()

    @property
    def cpu_s(self) -> float:
        """Of the process and all its threads, without its children."""
        return self._at_end[0] - self._at_begin[0]

    @property
    def children_cpu_s(self) -> float:
        return self._at_end[1] - self._at_begin[1]

    def memory_mb(self) -> tuple[float, float]:
        """After a quarter of the time, and at the end."""
        quarter = self.memory[len(self.memory) // 4][1]
        return round(quarter / 1024, 1), round(self.memory[-1][1] / 1024, 1)

    def growth_kb(self, after: float) -> float:
        """By the straight line through what was seen after that share of the time."""
        seen = self.memory[int(len(self.memory) * after) :]
        times, sizes = [when for when, _ in seen], [size for _, size in seen]
        middle, mean = sum(times) / len(times), sum(sizes) / len(sizes)
        spread = sum((when - middle) ** 2 for when in times) or 1.0
        slope = sum((when - middle) * (size - mean) for when, size in seen) / spread
        return slope * (times[-1] - times[0])

    def _cpu(self) -> tuple[float, float]:
        own, reaped = _seconds(self.pid)
        return own, reaped + sum(_seconds(child)[0] for child in _children(self.pid))

    def _sample(self, done: threading.Event) -> None:
        while not done.wait(EVERY_S):
            if self._is_running.is_set():
                pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
                self.memory.append((time.monotonic(), pages * PAGE_KB))


@contextmanager
def watch(pid: int) -> Iterator[Watched]:
    watched, done = Watched(pid), threading.Event()
    thread = threading.Thread(target=watched._sample, args=(done,), daemon=True)
    thread.start()
    try:
        yield watched
    finally:
        done.set()
        thread.join()


def _seconds(pid: int) -> tuple[float, float]:
    """CPU of a process, and of its children that have ended."""
    # Behind the name, which may hold spaces.
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system, user_children, system_children = (int(part) for part in parts[11:15])
    return (user + system) * TICK_S, (user_children + system_children) * TICK_S


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (thread / "children").read_text().split()]
    return found
