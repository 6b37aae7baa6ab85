"""A JSON process beside this one: one request, lines of JSON in reply, ended by a clock.

For the server, so that no solver object lives in its processes. What the process writes is
handed over line by line as it comes; past the deadline, or once whoever waits has had
enough, it is ended.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from enum import Enum
from typing import IO, Any

from policywright.errors import PolicywrightError

LOOK_S = 0.5
_CHUNK = 1 << 16


class Stop(Enum):
    """Why a process was ended, or ended by itself before it was done."""

    TIME = "time"
    CANCELLED = "cancelled"
    BROKEN = "broken"


class StoppedError(PolicywrightError):
    """There is no more to come."""

    def __init__(self, why: Stop) -> None:
        super().__init__(f"the process stopped: {why.value}")
        self.why = why


def lines_apart(
    module: str,
    request: dict[str, Any],
    *,
    deadline_s: float,
    cancelled: Callable[[], bool] = lambda: False,
    look_s: float = LOOK_S,
) -> Iterator[dict[str, Any]]:
    """The objects that `python -m module` replies with to a request, one a line.

    `cancelled` is asked every `look_s`. The process is ended with the iterator at the
    latest. Raises StoppedError past the deadline, once `cancelled`, or where the process
    ended with an error.
    """
    end = time.monotonic() + deadline_s
    # A file and no pipe: nobody has to read while the other writes.
    with tempfile.TemporaryFile() as asked:
        asked.write(json.dumps(request).encode())
        asked.seek(0)
        command = (sys.executable, "-m", module)
        # Leaving the block closes the pipe and waits for the process.
        with subprocess.Popen(command, stdin=asked, stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                for line in _lines(process.stdout, end, cancelled, look_s):
                    yield json.loads(line)
                process.wait()
            finally:
                if process.poll() is None:
                    process.kill()
    if process.returncode != 0:
        raise StoppedError(Stop.BROKEN)


def _lines(
    out: IO[bytes], end: float, cancelled: Callable[[], bool], look_s: float
) -> Iterator[bytes]:
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        while True:
            left_s = end - time.monotonic()
            if cancelled():
                raise StoppedError(Stop.CANCELLED)
            if left_s <= 0:
                raise StoppedError(Stop.TIME)
            if selector.select(min(look_s, left_s)):
                chunk = os.read(out.fileno(), _CHUNK)
                if not chunk:
                    return
                *whole, rest = (rest + chunk).split(b"\n")
                yield from whole
