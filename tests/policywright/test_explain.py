"""`policywright explain`: the policy read out, and every sentence read back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from policywright.cli import explain, main
from tests.policywright.shared import shared

ROOT = Path(__file__).parents[2]
LOANS = ROOT / "tests" / "fixtures" / "checks" / "loans.smt2"
POLICY = """
; variable: {"role": "fact", "unit": "EUR", "phrases": {"text": "the fare"}}
(declare-const fare Real)
; variable: {"role": "fact", "unit": "days", "phrases": {"text": "the notice"}}
(declare-const notice Int)
; variable: {"role": "outcome", "phrases": {"text": "the trip is approved"}}
(declare-const approved Bool)
; kind: default
; rule: {"outcome": "approved", "choice": "approved unless forbidden", "rests_on": ["cap"]}
(assert (! (=> (not (> fare 900)) approved) :named closed))
; kind: assumption
(assert (! (>= fare 0) :named range))
; source: {"document": "Travel", "revision": "3", "offsets": [0, 9], "quote": "No fare\\nover 900."}
(assert (! (=> (> fare 900) (not approved)) :named cap))
; kind: definition
(assert (! (= notice 14) :named two-weeks))
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.smt2"
    path.write_text(POLICY, encoding="utf-8")
    return path


def test_sentences_are_numbered_and_told_apart_by_what_they_are(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(policy)]) == 0
    assert capsys.readouterr() == (
        """What the words mean
   1. The notice is 14 days.
      [two-weeks]

Rules
   2. If the fare is more than EUR 900, then the trip is not approved.
      [cap]
      'No fare over 900.' (Travel, 3)

Assumptions: not from the text
   3. The fare is at least EUR 0.
      [range]

Where no rule speaks
   4. The trip is approved unless a rule forbids it (cap).
      [closed]
""",
        "",
    )


def test_json_is_one_document(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(policy), "--json", "--verify"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["sentences"][1] == {
        "number": 2,
        "kind": "rule",
        "name": "cap",
        "english": "If the fare is more than EUR 900, then the trip is not approved.",
        "sources": [
            {
                "document": "Travel",
                "revision": "3",
                "offsets": [0, 9],
                "quote": "No fare\nover 900.",
            }
        ],
    }
    assert (data["different"], data["warnings"]) == ([], [])


def test_every_gold_policy_is_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    count = 0
    for path in sorted(shared("corpus", "gold").glob("*.smt2")):
        assert main(["explain", str(path), "--verify", "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["different"] == []
        count += len(data["sentences"])
    assert count >= 100


def test_definitions_are_read_back_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(LOANS), "--verify"]) == 0
    assert "Read back: 8 of 8 come back as the same rule." in capsys.readouterr().out


def test_a_default_that_fell_behind_its_rules_is_named(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.write_text(POLICY.replace("(> fare 900) (not approved)", "(> fare 950) (not approved)"))
    assert main(["explain", str(policy), "--verify"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "closed does not come back the same: it is read as another rule."


def test_a_rule_too_deep_for_english_does_not_pass_as_verified(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = "(=> approved " * 60 + "approved" + ")" * 60
    policy.write_text(f"{POLICY}(assert (! {deep} :named deep))")
    assert main(["explain", str(policy), "--verify", "--json"]) == 1
    different = json.loads(capsys.readouterr().out)["different"]
    reasons = {found["name"]: found["reason"] for found in different}
    assert reasons["deep"]
    assert "`deep` decides `approved` in a form" in reasons["closed"]


def test_units_that_do_not_fit_are_a_warning_on_stderr(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.write_text(POLICY + "(assert (! (> fare (to_real notice)) :named odd))")
    assert main(["explain", str(policy)]) == 0
    captured = capsys.readouterr()
    assert captured.err == (
        f"{policy}: warning: rule `odd` compares an amount in EUR and an amount in days; "
        "give both the same unit\n"
    )


def test_what_a_terminal_would_obey_is_not_printed(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.write_text(
        POLICY.replace("over 900", "\\u001b[2Jover 900").replace('fare"', 'f\\u0007"')
    )
    assert main(["explain", str(policy)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "\N{REPLACEMENT CHARACTER}[2Jover" in out


def test_a_file_that_cannot_be_used_exits_with_2(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.write_text("(assert (> x 1))")
    assert main(["explain", str(policy), "--json"]) == 2
    assert capsys.readouterr() == (
        "",
        f"{policy}: line 1, column 12: `x` is not declared; declare it\n",
    )


def test_a_file_of_roles_is_read(policy: Path, tmp_path: Path) -> None:
    roles = tmp_path / "roles.toml"
    roles.write_text('fact = ["nobody"]\n')
    assert main(["explain", str(policy), "--roles", str(roles)]) == 2


@pytest.mark.parametrize(
    ("options", "loaded"), [([], ["z3", "django", "lark"]), (["--verify"], ["z3", "django"])]
)
def test_explain_loads_no_solver_and_the_grammar_only_to_verify(
    policy: Path, options: list[str], loaded: list[str]
) -> None:
    code = (
        "import sys; from policywright.cli import main; "
        f"main(['explain', {str(policy)!r}, *{options!r}]); "
        f"sys.exit(any(m in sys.modules for m in {loaded!r}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


def test_every_kind_has_a_heading() -> None:
    from policywright.model import Kind

    assert set(explain.HEADINGS) == {kind.value for kind in Kind}
