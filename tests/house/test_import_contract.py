"""A wrong import in any room is seen by the contract that forbids it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("policywright", "documents", "policies", "translation", "vetting", "config")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the rooms, to plant things in."""
    copy = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for room in ROOMS:
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def lint_imports(house: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    environment = {**os.environ, "PYTHONPATH": str(house), "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(
        command, cwd=house, env=environment, capture_output=True, text=True, check=False
    )


def test_the_house_keeps_its_contracts(house: Path) -> None:
    result = lint_imports(house)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("place", "line", "contract"),
    [
        ("policywright/planted.py", "import documents", "Imports run one way"),
        ("documents/planted.py", "import policywright.terms", "Imports run one way"),
        ("policies/planted.py", "from translation import apps", "Imports run one way"),
        ("translation/planted.py", "import vetting", "Imports run one way"),
        ("vetting/planted.py", "from config import settings", "Imports run one way"),
        ("policywright/planted.py", "import django.db", "know no Django"),
        ("documents/planted.py", "from celery import shared_task", "know no Django"),
        ("documents/planted.py", "import policies", "Imports run one way"),
        ("policywright/planted.py", "import litellm", "know no Django"),
        ("policywright/planted.py", "def late():\n    import z3", "one home of z3"),
        ("policies/planted.py", "from z3 import Solver", "one home of z3"),
        ("translation/planted.py", "import litellm", "one home of LiteLLM"),
        ("vetting/planted.py", "from policies.versions import freeze_version", "Only vetting"),
        ("policies/planted.py", "from policies import versions", "Only vetting"),
    ],
)
def test_a_planted_import_is_seen(house: Path, place: str, line: str, contract: str) -> None:
    planted = house / place
    planted.write_text(f"{line}\n", encoding="utf-8")
    try:
        result = lint_imports(house)
    finally:
        planted.unlink()
    assert result.returncode == 1
    broken = [text for text in result.stdout.splitlines() if text.endswith("BROKEN")]
    assert any(contract in text for text in broken), result.stdout
