"""What make says to somebody whose Python will not do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def make_venv(tmp_path: Path, python: str = sys.executable, **planted: str) -> str:
    """Runs the first step of every target with modules planted before Python's own.

    Returns what it said; it must fail and leave nothing behind.
    """
    for name, text in planted.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    venv = tmp_path / "venv"
    result = subprocess.run(
        ["make", f"{venv}/.installed-run", f"VENV={venv}", f"PYTHON={python}"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    assert result.stdout == ""
    assert not venv.exists()
    said, *makes_own = result.stderr.splitlines()
    assert all(line.startswith("make") for line in makes_own)
    return said


def test_an_old_python_is_one_sentence_with_the_remedy(tmp_path: Path) -> None:
    old = "import sys\nsys.version_info = (3, 9, 18, 'final', 0)\n"
    said = make_venv(tmp_path, sitecustomize=old)
    assert said.startswith("Policywright needs Python 3.11 or later, and ")
    assert said.endswith("is 3.9: install a newer one, or name it with `make PYTHON=python3.12`.")


def test_a_missing_venv_module_is_one_sentence_with_the_remedy(tmp_path: Path) -> None:
    said = make_venv(tmp_path, ensurepip="raise ImportError\n")
    assert "lacks the venv module" in said
    assert "apt install python3-venv" in said


def test_a_missing_python_is_one_sentence_with_the_remedy(tmp_path: Path) -> None:
    said = make_venv(tmp_path, python="python-that-is-not-there")
    assert "`python-that-is-not-there` was not found: install it" in said


@pytest.mark.parametrize("target", ["demo", "test", "lint"])
def test_a_second_make_installs_nothing(target: str) -> None:
    """With the stamps in place, make goes straight to the work."""
    stamp = Path(sys.prefix) / ".installed-dev"
    if not stamp.exists():
        pytest.skip("this environment was not made by `make lint`")
    command = ["make", "--dry-run", target, f"VENV={sys.prefix}"]
    dry = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "pip install" not in dry.stdout
