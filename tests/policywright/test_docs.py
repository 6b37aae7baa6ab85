"""The examples in docs/checking.md do what the page says, and what is public is on it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import policywright
from policywright.cli.main import COMMANDS
from policywright.findings import FindingKind
from policywright.smtlib.comments import KEYWORDS
from policywright.terms import FACTORIES

ROOT = Path(__file__).parents[2]
CHECKING = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")
LANGUAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The files of the page, in a folder of their own."""
    blocks = re.findall(r"```\{code-block\} \w+\n:name: (\S+)\n(.*?)```", CHECKING, re.DOTALL)
    assert {name for name, _ in blocks} == {"policy.smt2", "answer.smt2", "example.py"}
    for name, text in blocks:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_commands_print_what_the_page_shows(files: Path) -> None:
    examples = re.findall(r"console\n\$ (.*?)\n(.*?)```", CHECKING, re.DOTALL)
    exit_codes = {"check": 1, "explain": 0}
    assert [command.split()[1] for command, _ in examples] == list(exit_codes)
    for command, shown in examples:
        code = "import sys; from policywright.cli import main; sys.exit(main())"
        result = subprocess.run(
            [sys.executable, "-c", code, *command.split()[1:]],
            cwd=files,
            env={"PYTHONPATH": str(ROOT), "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        expected = (exit_codes[command.split()[1]], shown, "")
        assert (result.returncode, result.stdout, result.stderr) == expected


def test_the_python_example_prints_what_the_page_says(files: Path) -> None:
    result = subprocess.run(
        [sys.executable, "example.py"],
        cwd=files,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"prints `{result.stdout.strip()}`" in CHECKING


def test_what_is_public_is_documented() -> None:
    assert all(f"policywright {name}" in CHECKING for name in COMMANDS)
    said_of_answers = {"TRANSLATION_AMBIGUOUS", "NO_TRANSLATIONS", "TOO_COMPLEX"}
    assert all(kind in CHECKING for kind in FindingKind if kind not in said_of_answers)
    assert "load_policy" in policywright.__all__
    assert all(f"; {keyword}:" in LANGUAGE for keyword in KEYWORDS)
    operators = LANGUAGE.split("- `and or")[1].split("`")[0]
    assert set(FACTORIES) <= {"and", "or", *operators.split()}
