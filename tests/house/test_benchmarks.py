"""The benchmarks of translation still run, in a small form: nothing but counts is asserted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> str:
    """A benchmark as it is run by hand, on a database of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("POLICYWRIGHT_")}
    environment.pop("DATABASE_URL", None)
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_run_with_translators_finishes_and_asks_for_each_span_three_times() -> None:
    printed = run("benchmarks.translation", "--spans", "6", "--threads", "4", "--delay", "0.1")
    lines = {line[:44].strip(): line[44:].strip() for line in printed.splitlines()}
    assert lines["spans, calls, rules, questions"].startswith("(6, 18, ")
    assert lines["failed spans"] == "[]"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_made_units_become_a_policy_whose_rules_all_fit() -> None:
    found = json.loads(run("benchmarks.translation_scale", "60").splitlines()[-1])
    assert found["rules"] >= 50
    assert found["variables"] > found["rules"] > found["spans"] > 10
    assert found["candidates"] > 0
