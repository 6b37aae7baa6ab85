"""Lints a policy model in a process of its own, and ends it when the clock runs out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from policywright.apart import LOOK_S, Stop, StoppedError, lines_apart
from policywright.errors import PolicywrightError
from policywright.lint.joining import joined, known_keys

MODULE = "policywright.lint"
DEADLINE_S = 120.0


class LintNotDoneError(PolicywrightError):
    """There is no report: the message is one sentence that says why."""


def lint_apart(
    request: dict[str, Any],
    *,
    kept: Mapping[str, Any] | None = None,
    deadline_s: float = DEADLINE_S,
    look_s: float = LOOK_S,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """The report of `policywright.lint.joining` for `model`, `complete` and `ranks` as JSON.

    `kept` is an earlier report of it: only the parts that differ from it are asked about.

    Raises LintNotDoneError past the deadline, once `cancelled`, or where the process ended.
    """
    before = kept or {}
    request = {**request, "known": known_keys(before)}
    lines = lines_apart(MODULE, request, deadline_s=deadline_s, cancelled=cancelled, look_s=look_s)
    try:
        replies = list(lines)
    except StoppedError as error:
        raise LintNotDoneError(_why(error.why, deadline_s)) from error
    if len(replies) != 1:
        raise LintNotDoneError(_why(Stop.BROKEN, deadline_s))
    reply = replies[0]
    if "problems" in reply:
        raise LintNotDoneError(f"The rules could not be checked: {'; '.join(reply['problems'])}.")
    return joined(reply, before)


def _why(stop: Stop, deadline_s: float) -> str:
    if stop is Stop.CANCELLED:
        return "The check of the rules was cancelled."
    if stop is Stop.TIME:
        return (
            f"The rules were not checked within {deadline_s:g} seconds, so nothing is "
            "said of them, for or against. Check them again when the server has less to do."
        )
    return "The check of the rules ended without an answer; the server's log names the cause."
