"""The two engines as real processes, and a Redis that a test may stop and start."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]


def wait_until(
    holds: Callable[[], bool], *, seconds: float = 30, said: Callable[[], str] = str
) -> float:
    """Wait until something holds; gives the seconds it took.

    If it never does the test fails, with what the workers said.
    """
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, f"not within {seconds} s; {said()}"
        time.sleep(0.05)
    return time.monotonic() - began


class Redis:
    """A redis-server of our own on a free port, with nothing kept on disk."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder = folder
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    @staticmethod
    def is_installed() -> bool:
        return shutil.which("redis-server") is not None

    def start(self) -> None:
        if self._process is not None:
            return
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--dir", str(self.folder), "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_until(self.answers)

    def stop(self) -> None:
        """Stop it; all that lay in its queues is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def empty(self) -> None:
        import redis

        with redis.Redis.from_url(self.url) as client:
            client.flushall()


class Engine:
    """Starts workers of one engine; each is a process group of its own."""

    def __init__(self, name: str, folder: Path, redis: Redis | None, pool: str = "threads") -> None:
        self.name = name
        self.redis = redis
        self.folder = folder
        self.pool = pool
        self._workers: list[subprocess.Popen[bytes]] = []

    def start(self, *, slots: int = 2) -> subprocess.Popen[bytes]:
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "tests.policies.worker_settings",
            "POLICYWRIGHT_TEST_DATABASE": str(connection.settings_dict["NAME"]),
            "POLICYWRIGHT_JOBS": self.name,
        }
        if self.name == "embedded":
            command = ["manage.py", "work", "--threads", str(slots)]
        else:
            assert self.redis is not None
            environment["REDIS_URL"] = self.redis.url
            command = ["-m", "celery", "-A", "config", "worker", "--pool", self.pool]
            command += ["--concurrency", str(slots), "--without-gossip", "--without-mingle"]
            command += ["--loglevel", "warning", "--hostname", f"w{len(self._workers)}@test"]
        log = (self.folder / f"worker{len(self._workers)}.log").open("wb")
        worker = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        log.close()
        self._workers.append(worker)
        return worker

    def kill(self) -> None:
        """SIGKILL to every worker and its children, as a machine that loses its power."""
        for worker in self._workers:
            if worker.poll() is None:
                os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()

    def logs(self) -> str:
        return "".join(path.read_text() for path in sorted(self.folder.glob("worker*.log")))
