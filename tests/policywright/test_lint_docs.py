"""docs/lint.md has every code, and its examples do what it says: before with, after without."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from policywright.lint import LINTS, lint
from policywright.smtlib import read

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")
SECTIONS = {
    section.split("`")[0]: section for section in re.split(r"^## `", PAGE, flags=re.MULTILINE)[1:]
}
EXAMPLES = {
    code: re.findall(r"^(?:Before|After):\n\n```text\n(.*?)```", section, re.DOTALL | re.MULTILINE)
    for code, section in SECTIONS.items()
}
WITH_EXAMPLE = [code for code, texts in EXAMPLES.items() if texts]


def codes_of(text: str) -> set[str]:
    return {diagnostic.code for diagnostic in lint(read(text)).diagnostics}


def test_every_code_has_its_section_with_its_severity() -> None:
    assert list(SECTIONS) == [check.code for check in LINTS]
    for check in LINTS:
        assert f"*{check.severity.value.capitalize()}.*" in SECTIONS[check.code]
        assert check.explanation.endswith(".")
    without = set(SECTIONS) - set(WITH_EXAMPLE)
    assert without == {"ill-typed", "duplicate-name"}, "what no file that can be read shows"


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_example_has_the_diagnostic_before_and_not_after(code: str) -> None:
    before, after = EXAMPLES[code]
    assert code in codes_of(before)
    assert code not in codes_of(after)


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_an_example_mended_has_no_error(code: str) -> None:
    report = lint(read(EXAMPLES[code][1]))
    assert report.errors == ()


def test_the_command_prints_what_the_page_shows(tmp_path: Path) -> None:
    name, text = re.findall(r"```\{code-block\} text\n:name: (\S+)\n(.*?)```", PAGE, re.DOTALL)[0]
    (tmp_path / name).write_text(text, encoding="utf-8")
    command, shown = re.findall(r"console\n\$ (.*?)\n(.*?)```", PAGE, re.DOTALL)[0]
    run = "import sys; from policywright.cli import main; sys.exit(main())"
    result = subprocess.run(
        [sys.executable, "-c", run, *command.split()[1:]],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (1, shown)
    assert result.stderr.startswith("1 conflict found among 1 pair of")
