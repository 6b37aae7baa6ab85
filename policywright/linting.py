"""Lints a policy model in a process of its own, and ends it when the clock runs out.

Like `policywright.solving`, for the server: no solver object lives in its processes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from policywright.errors import PolicywrightError

COMMAND = (sys.executable, "-m", "policywright.lint")
DEADLINE_S = 120.0
LOOK_S = 0.5


class LintNotDoneError(PolicywrightError):
    """There is no report: the message is one sentence that says why."""


def lint_apart(
    request: dict[str, Any],
    *,
    deadline_s: float = DEADLINE_S,
    look_s: float = LOOK_S,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """The report of `policywright.lint.telling` for a request of `python -m policywright.lint`.

    Raises LintNotDoneError past the deadline, once `cancelled`, or where the process ended.
    """
    # Leaving the block closes the pipes and waits for the process.
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            out = _answer(process, json.dumps(request).encode(), deadline_s, look_s, cancelled)
        finally:
            if process.poll() is None:
                process.kill()
    if process.returncode != 0 or not out:
        raise LintNotDoneError(
            "The check of the rules ended without an answer; the server's log names the cause."
        )
    reply: dict[str, Any] = json.loads(out)
    if "problems" in reply:
        raise LintNotDoneError(f"The rules could not be checked: {'; '.join(reply['problems'])}.")
    found: dict[str, Any] = reply["report"]
    return found


def _answer(
    process: subprocess.Popen[bytes],
    request: bytes,
    deadline_s: float,
    look_s: float,
    cancelled: Callable[[], bool],
) -> bytes:
    end = time.monotonic() + deadline_s
    sent: bytes | None = request
    while True:
        left_s = max(0.0, end - time.monotonic())
        try:
            return process.communicate(sent, timeout=min(look_s, left_s))[0]
        except subprocess.TimeoutExpired:
            sent = None  # what is left of it is sent with the next call
        if cancelled():
            raise LintNotDoneError("The check of the rules was cancelled.")
        if time.monotonic() > end:
            raise LintNotDoneError(
                f"The rules were not checked within {deadline_s:g} seconds, so nothing is "
                "said of them, for or against. Check them again when the server has less to do."
            )
