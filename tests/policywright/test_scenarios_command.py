"""`policywright scenarios`: its output and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policywright.cli import main

from .shared import shared

RULES = """(declare-const age Int) (declare-const senior Bool)
(assert (! (= senior (>= age 60)) :named senior-rate))
"""


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "policy.smt2"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


def test_every_slip_told_apart_is_exit_code_0(
    policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scenarios", policy, "--score", "--json"]) == 0
    out = capsys.readouterr()
    counts = json.loads(out.out)
    assert list(counts) == ["scenarios", "mutants", "equivalent", "killed", "undecided", "score"]
    assert counts["score"] == 1.0
    assert counts["killed"] == counts["mutants"] - counts["equivalent"] > 5
    assert out.err == ""


def test_the_scenarios_are_listed_with_what_is_found_and_by_which_rules(
    policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scenarios", policy, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"facts", "claim", "finding", "rules", "english"} <= listed[0].keys()
    found = {(one["facts"].get("age"), one["claim"]): one["finding"] for one in listed}
    assert found[60, "senior"] == "VALID"
    assert found[59, "senior"] == "INVALID"
    assert all(one["rules"] == ["senior-rate"] for one in listed)
    assert main(["scenarios", policy]) == 0
    assert "VALID: by senior-rate" in capsys.readouterr().out


def test_the_score_is_shown_by_kind_of_edit(
    policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scenarios", policy, "--score"]) == 0
    out = capsys.readouterr().out
    assert "comparison strict, not strict or reversed" in out
    assert "scenarios" in out.splitlines()[-1]


@pytest.mark.parametrize(
    "rules",
    [
        "(declare-const x Bool)(assert (! x :named a))(assert (! (not x) :named b))",
        "(declare-const x Bool)",
        "(assert",
    ],
)
def test_a_policy_with_errors_or_no_rule_is_exit_code_2(
    rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.smt2"
    path.write_text(rules, encoding="utf-8")
    assert main(["scenarios", str(path), "--score", "--json"]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err


def test_a_draft_with_a_conflict_is_sent_to_lint_first(capsys: pytest.CaptureFixture[str]) -> None:
    path = shared("corpus", "gold", "airline-refund-unvetted.smt2")
    assert main(["scenarios", str(path)]) == 2
    assert "`policywright lint` finds" in capsys.readouterr().err
