"""Kinds of jobs for the tests of both engines.

A handler notes each start in a file, so that what happened in killed processes
is known too; its effect is an audit row, so that a second effect would show.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from django.apps import AppConfig

KIND = "test-work"


class JobHandlersConfig(AppConfig):
    name = "tests.policies.job_handlers"
    label = "job_handlers"
    path = str(Path(__file__).parent)

    def ready(self) -> None:
        from policies.jobs import register

        register(KIND, handle=handle, save=save, finalize=finalize)
        register("test-bad-end", handle=handle, save=save, finalize=finalize_badly)


def handle(payload: dict[str, Any], context: Any) -> str:
    from policies.jobs import JobError

    note(payload, context, "start")
    match payload.get("do"):
        case "fail":
            raise JobError("The model refused this span.")
        case "crash":
            raise RuntimeError("a secret detail")
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
    end = time.monotonic() + payload.get("seconds", 0)
    while time.monotonic() < end:
        time.sleep(0.02)
        if payload.get("polite") and context.cancelled():
            note(payload, context, "stopped")
            return "stopped early"
    note(payload, context, "end")
    return "done"


def save(context: Any, result: str) -> None:
    from policies.audit import record

    assert result == "done"
    record(context.policy, context.user, "effect", context.item_key)


def finalize(job: Any) -> None:
    from policies.audit import record

    record(job.policy, job.created_by, "finalized", job.uid)


def finalize_badly(job: Any) -> None:
    finalize(job)
    raise RuntimeError("a secret detail")


def note(payload: dict[str, Any], context: Any, what: str) -> None:
    if "log" in payload:
        with open(payload["log"], "a", encoding="utf-8") as file:
            file.write(f"{what} {context.item_key.partition(':')[2]}\n")
