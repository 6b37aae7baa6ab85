"""Suites of scenarios in a process of its own, ended when the clock runs out.

What the process is asked and replies is in `policywright.scenarios.__main__`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from policywright.apart import LOOK_S, Stop, StoppedError, lines_apart
from policywright.errors import PolicywrightError

MODULE = "policywright.scenarios"
DEADLINE_S = 600.0


class SuiteNotMadeError(PolicywrightError):
    """The message is one sentence that says why; parts that were handed over are good."""


def suite_apart(
    request: dict[str, Any],
    *,
    deadline_s: float = DEADLINE_S,
    cancelled: Callable[[], bool] = lambda: False,
    on_counts: Callable[[dict[str, Any]], None] = lambda counted: None,
    on_part: Callable[[str, dict[str, Any]], None] = lambda key, body: None,
    look_s: float = LOOK_S,
) -> dict[str, Any]:
    """The reply to a request of `python -m policywright.scenarios`.

    Of a suite it is `{"counts", "keys", "done"}`, told to `on_counts` before anything is
    searched; `on_part` is told each part as it is done. Raises SuiteNotMadeError past the
    deadline, once `cancelled`, or where the process ended.
    """
    reply: dict[str, Any] = {}
    lines = lines_apart(MODULE, request, deadline_s=deadline_s, cancelled=cancelled, look_s=look_s)
    try:
        for line in lines:
            if "part" in line:
                on_part(line["part"], line["body"])
                continue
            if "counts" in line:
                on_counts(line)
            reply |= line
    except StoppedError as error:
        raise SuiteNotMadeError(_why(error.why, deadline_s)) from error
    if "problems" in reply:
        raise SuiteNotMadeError(f"The rules could not be used: {'; '.join(reply['problems'])}.")
    if not reply or ("do" not in request and "done" not in reply):
        raise SuiteNotMadeError(_why(Stop.BROKEN, deadline_s))
    return reply


def _why(stop: Stop, deadline_s: float) -> str:
    if stop is Stop.CANCELLED:
        return "The search for scenarios was cancelled."
    if stop is Stop.TIME:
        return (
            f"The search for scenarios was not done within {deadline_s:g} seconds. What was "
            "found is kept; start it again for the rest."
        )
    return "The search for scenarios ended without an answer; the server's log names the cause."
