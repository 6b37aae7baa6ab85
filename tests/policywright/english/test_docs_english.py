"""The examples in docs/english.md are what the product says and reads."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from policywright.english import render_sentence
from policywright.english.joints import RuleNotReadError
from policywright.english.read_rule import Ambiguous, parse_rule, read_rule
from policywright.model import PolicyModel
from policywright.scenarios import read_scenario, say_scenario
from tests.policywright.english.test_variations import MODEL as WIDER

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "english.md").read_text(encoding="utf-8")
NAMES = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
MODEL = replace(WIDER, variables=tuple(v for v in WIDER.variables if v.id in NAMES))


def _table(section: str) -> list[list[str]]:
    body = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*) \|$", body, re.MULTILINE)
    return [row.split(" | ") for row in rows[2:]]


def _block(name: str) -> str:
    (found,) = re.findall(
        rf"```\{{code-block\}} \w+\n:name: {re.escape(name)}\n(.*?)```", PAGE, re.S
    )
    return str(found)


def test_the_variables_are_said_as_the_page_says() -> None:
    assert isinstance(MODEL, PolicyModel)
    assert {variable.id for variable in MODEL.variables} == NAMES
    for variable in MODEL.variables:
        assert f"| `{variable.id}` |" in PAGE
        assert variable.phrases.text in PAGE


@pytest.mark.parametrize("text", [row[1] for row in _table("The templates")] + [_block("nested")])
def test_each_template_is_said_as_the_page_says(text: str) -> None:
    assert render_sentence(MODEL, parse_rule(text, MODEL)) == text.strip()


@pytest.mark.parametrize("block", _block("same").split("\n\n"))
def test_each_line_of_a_block_means_the_same(block: str) -> None:
    first, *others = block.strip().splitlines()
    assert others
    assert render_sentence(MODEL, parse_rule(first, MODEL)) == first
    for text in others:
        assert parse_rule(text, MODEL) == parse_rule(first, MODEL)


@pytest.mark.parametrize("text", _block("scenarios").splitlines())
def test_each_scenario_is_said_as_the_page_says(text: str) -> None:
    assert say_scenario(MODEL, read_scenario(text, MODEL)) == text


@pytest.mark.parametrize(("text", "reason"), _table("Scenarios"))
def test_what_is_no_scenario_is_refused_as_the_page_says(text: str, reason: str) -> None:
    with pytest.raises(RuleNotReadError) as refused:
        read_scenario(text, MODEL)
    assert refused.value.reason == reason


@pytest.mark.parametrize(("text", "count"), _table("What is asked"))
def test_what_is_asked_has_as_many_readings_and_a_case(text: str, count: str) -> None:
    found = read_rule(text, MODEL)
    assert isinstance(found, Ambiguous)
    assert len(found.readings) == int(count)
    assert found.telling_case is not None


def test_the_python_example_prints_what_the_page_says(tmp_path: Path) -> None:
    checking = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")
    policy = re.search(r":name: policy\.smt2\n(.*?)```", checking, re.DOTALL)
    assert policy
    (tmp_path / "policy.smt2").write_text(policy[1], encoding="utf-8")
    (tmp_path / "read.py").write_text(_block("read.py"), encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "read.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"prints `{result.stdout.strip()}`" in PAGE
