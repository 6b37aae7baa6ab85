"""How fast spans become units, against a local model server that takes two seconds a reply.

    python -m benchmarks.translation [--spans 200] [--translators 3] [--threads 16] [--delay 2]
    python -m benchmarks.translation --scale [--rules 1600]

The run: a document of made units, `manage.py work` as a real process on a database of its
own (SQLite, or an empty one that DATABASE_URL names), and a model server in another. Wall
time is held against replies alone, (calls x delay / threads); CPU is that of the runner
and its solver processes. LiteLLM's own share is measured by sending the same requests
again with nothing of ours around them.

`--scale` needs no model: what a policy of 274 pages takes from replies to rows, for a
quarter, a half and the whole (`benchmarks.translation_scale`).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from benchmarks.processes import Watched, watch
from benchmarks.translation_rows import make_database, make_rows
from benchmarks.units import make_policy

RULES_A_SPAN = 3.7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spans", type=int, default=200)
    parser.add_argument("--translators", type=int, default=3, help="the drafting one included")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--delay", type=float, default=2.0, help="seconds a reply takes")
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--rules", type=int, default=1600, help="of --scale, about")
    given = parser.parse_args()
    if given.scale:
        print_scale(given.rules)
    else:
        for name, value in run(given.spans, given.translators, given.threads, given.delay).items():
            print(f"{name:44} {value}")


def run(spans: int, translators: int, threads: int, delay_s: float) -> dict[str, Any]:
    rules = int(spans * RULES_A_SPAN) + 20
    with model_server(rules, delay_s) as address, tempfile.TemporaryDirectory() as folder:
        names = [f"litellm:openai/made-{number}" for number in range(2, translators + 1)]
        os.environ |= {
            "POLICYWRIGHT_FORMALIZER": "litellm",
            "POLICYWRIGHT_LLM_MODEL": "openai/made-1",
            "POLICYWRIGHT_LLM_API_BASE": address,
            "POLICYWRIGHT_TRANSLATORS": ",".join(names),
            "POLICYWRIGHT_RUN_TOKENS": "1000000000",
        }
        make_database(folder)
        began = time.process_time()
        made = make_policy(rules)
        yardstick_s = time.process_time() - began
        policy, found = make_rows(replace(made, units=made.units[:spans]))
        wall_s, watched = work_off(policy, threads)
        alone = litellm_alone(policy, rules, threads)
        told = figures(policy, len(found), wall_s, watched, alone, threads, delay_s)
        return told | {"yardstick: making the policy, CPU s": round(yardstick_s, 2)}


@contextmanager
def model_server(rules: int, delay_s: float) -> Iterator[str]:
    """The address of one in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.model_server", str(rules), str(delay_s)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def work_off(policy: Any, threads: int) -> tuple[float, Watched]:
    """Start the runner, then the job; the seconds until its last span is done."""
    from policies.jobs import progress_of
    from policies.models.jobs import JobState
    from translation.jobs import start_formalizing

    command = [sys.executable, "manage.py", "work", "--threads", str(threads)]
    runner = subprocess.Popen(command)
    try:
        with watch(runner.pid) as watched:
            time.sleep(3)
            watched.begin()
            began = time.monotonic()
            job = start_formalizing(policy, None)
            while not (progress := progress_of(job)).finished:
                time.sleep(0.25)
            wall_s = time.monotonic() - began
            watched.end()
        assert progress.state == JobState.DONE, progress
        return wall_s, watched
    finally:
        runner.send_signal(signal.SIGTERM)
        runner.wait(30)


def litellm_alone(policy: Any, rules: int, threads: int) -> dict[str, float]:
    """The same requests once more, from a process that does nothing else."""
    from translation.ensemble import model_translator
    from translation.models import Purpose
    from translation.prompt import schema

    asked = policy.attempts.filter(reply__isnull=False).select_related("reply")
    requests = [
        {
            "model": one.reply.model,
            "messages": one.reply.messages,
            "schema": model_translator.schema() if one.purpose == Purpose.TRANSLATE else schema(),
        }
        for one in asked
    ]
    with model_server(rules, 0) as address:
        command = [sys.executable, "-m", "benchmarks.litellm_alone", address, str(threads)]
        told = json.dumps(requests)
        done = subprocess.run(command, input=told, stdout=subprocess.PIPE, text=True, check=True)
    alone: dict[str, float] = json.loads(done.stdout)
    return alone


def figures(
    policy: Any,
    spans: int,
    wall_s: float,
    watched: Watched,
    alone: dict[str, float],
    threads: int,
    delay_s: float,
) -> dict[str, Any]:
    from policies.models import Item

    calls = policy.attempts.count()
    ideal_s = calls * delay_s / threads
    own_s = watched.cpu_s - alone["import_s"] - alone["calls_s"]
    return {
        "spans, calls, rules, questions": (
            spans,
            calls,
            policy.rules.count(),
            policy.questions.count(),
        ),
        "failed spans": [row.error for row in Item.objects.exclude(error="")],
        "wall s, ideal s, ratio": (
            round(wall_s, 1),
            round(ideal_s, 1),
            round(wall_s / ideal_s, 3),
        ),
        "CPU of the runner, ms a span": round(1000 * watched.cpu_s / spans, 1),
        "LiteLLM alone, ms a span": round(1000 * alone["calls_s"] / spans, 1),
        "LiteLLM's import, s once": round(alone["import_s"], 2),
        "our own, ms a span": round(1000 * own_s / spans, 1),
        "solver processes, ms a span": round(1000 * watched.children_cpu_s / spans, 1),
        "memory MB: after a quarter, at the end": watched.memory_mb(),
        "memory growth after a quarter, KB a span": round(
            watched.growth_kb(0.25) / (0.75 * spans), 1
        ),
        "load": os.getloadavg()[0],
    }


def print_scale(rules: int) -> None:
    sizes = [measured(size) for size in (rules // 4, rules // 2, rules)]
    print("| | " + " | ".join(f"{one['rules']:,} rules" for one in sizes) + " | last/middle |")
    print("| --- |" + " --- |" * (len(sizes) + 1))
    for part in ("spans", "variables", "datatypes", "candidates"):
        print(f"| {part} | " + " | ".join(f"{one[part]:,}" for one in sizes) + " | |")
    for step in sizes[0]["cpu_s"]:
        took = [one["cpu_s"][step] for one in sizes]
        shown = " | ".join(f"{seconds:.2f}" for seconds in took)
        print(f"| {step}, s | {shown} | {took[-1] / took[-2]:.2f} |")


def measured(rules: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.translation_scale", str(rules)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


if __name__ == "__main__":
    main()
