"""Hostile text for a bounded time: the seeds and broken seeds, then guesses by atheris."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fuzz.targets import SEEDS, TARGETS

ROOT = Path(__file__).parents[2]
SECONDS = 60
SECONDS_AN_INPUT = 10


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_runs_on_its_seeds_and_on_broken_ones(name: str) -> None:
    for seed in SEEDS[name]:
        TARGETS[name](seed)
        for cut in range(0, len(seed), 7):
            TARGETS[name](seed[:cut])
            TARGETS[name](seed[:cut] + seed[cut + 3 :])


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 120)
@pytest.mark.parametrize("name", TARGETS)
def test_a_minute_of_fuzzing_finds_no_crash_and_no_hang(name: str, tmp_path: Path) -> None:
    if find_spec("atheris") is None:
        pytest.skip("needs atheris, which `make lint` installs on Linux on x86-64")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(SEEDS[name]):
        (corpus / str(number)).write_text(seed, encoding="utf-8")
    words = "smtlib.dict" if name.startswith("read") else "english.dict"
    options = [
        f"-max_total_time={SECONDS}",
        f"-timeout={SECONDS_AN_INPUT}",
        "-max_len=2000",
        "-rss_limit_mb=2048",
        f"-dict={Path(__file__).with_name(words)}",
        f"-artifact_prefix={tmp_path}/",
    ]
    result = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.run", name, *options, str(corpus)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    found = [path for path in tmp_path.iterdir() if path.name.startswith(("crash", "timeout"))]
    inputs = "\n".join(repr(path.read_bytes()) for path in found)
    assert result.returncode == 0, f"{result.stderr[-3000:]}\n{inputs}"
    print(result.stderr.splitlines()[-1])
