"""`policywright check` as a script would call it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from policywright.cli import main

SLOW = ("django", "litellm", "lark", "babel", "rapidfuzz")
POLICY = Path(__file__).parents[1] / "fixtures" / "checks" / "loans.smt2"


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    path = tmp_path / "answer.smt2"
    path.write_text(
        "(assert (! (= feesOwed 35) :named owed))\n(assert (! (not deskApproved) :named desk))\n"
        "(define-fun claim () Bool loanGranted)\n"
    )
    return path


def test_an_invalid_answer_exits_with_1_and_prints_one_json_document(
    answer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(POLICY), str(answer), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["finding"] == "INVALID"
    assert (data["rules"], data["facts"]) == (["fees-rule"], ["desk", "owed"])
    assert "fees-rule" in data["english"]
    assert "scenarios" not in data


def test_a_valid_answer_exits_with_0(answer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer.write_text(answer.read_text().replace("Bool loanGranted", "Bool (not loanGranted)"))
    assert main(["check", str(POLICY), str(answer)]) == 0
    assert capsys.readouterr().out.startswith("VALID: ")


def test_an_open_answer_prints_both_scenarios_and_what_it_depends_on(
    answer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer.write_text("(assert (= feesOwed 20.5))\n(define-fun claim () Bool loanGranted)")
    assert main(["check", str(POLICY), str(answer), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["depends_on"] == ["deskApproved"]
    assert data["silent"] is False
    assert data["scenarios"]["holds"]["feesOwed"] == "20.5"
    assert data["scenarios"]["fails"]["loanGranted"] is False
    assert "guessed" in data["notes"][0]


def test_a_file_of_roles_overrides_the_guess(
    answer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roles = tmp_path / "roles.toml"
    roles.write_text(
        'fact = ["feesOwed", "rareBook", "memberMonths"]\n'
        'outcome = ["loanGranted", "pickupAllowed"]\nderived = ["deskApproved"]\n'
    )
    answer.write_text("(assert (= feesOwed 20.5))\n(define-fun claim () Bool loanGranted)")
    main(["check", str(POLICY), str(answer), "--json", "--roles", str(roles)])
    data = json.loads(capsys.readouterr().out)
    assert "deskApproved" not in data["depends_on"]
    assert data["notes"] == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("(assert (> x 1))", "line 1, column 12: `x` is not declared"),
        ("(assert rareBook", "this `(` is never closed"),
        ("", "this answer has no claim"),
    ],
)
def test_unusable_input_exits_with_2_and_names_file_and_place(
    answer: Path, capsys: pytest.CaptureFixture[str], content: str, sentence: str
) -> None:
    answer.write_text(content)
    assert main(["check", str(POLICY), str(answer), "--json"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"{answer}: " in captured.err
    assert sentence in captured.err


def test_a_missing_file_and_one_that_is_not_text_are_one_sentence_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path / "none.smt2"), str(POLICY)]) == 2
    assert "No such file" in capsys.readouterr().err
    binary = tmp_path / "binary.smt2"
    binary.write_bytes(b"(assert \xff)")
    assert main(["check", str(binary), str(POLICY)]) == 2
    assert "byte 9 is not UTF-8 text; save the file as UTF-8" in capsys.readouterr().err


def test_importing_the_package_loads_neither_solver_nor_server() -> None:
    code = (
        "import sys, policywright, policywright.cli; "
        "sys.exit(any(m in sys.modules for m in ('z3', 'django', 'litellm', 'lark')))"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_check_loads_neither_django_nor_litellm_nor_a_grammar(answer: Path) -> None:
    code = (
        "import sys; from policywright.cli import main; "
        f"main(['check', {str(POLICY)!r}, {str(answer)!r}]); "
        f"sys.exit(any(m in sys.modules for m in {SLOW}))"
    )
    root = Path(__file__).parents[2]
    result = subprocess.run([sys.executable, "-c", code], cwd=root, check=False)
    assert result.returncode == 0


def test_check_of_an_amount_of_money_loads_no_list_of_currencies(tmp_path: Path) -> None:
    policy, answer = tmp_path / "policy.smt2", tmp_path / "answer.smt2"
    policy.write_text(
        '; variable: {"unit": "EUR"}\n(declare-const fee Real)\n'
        '; variable: {"role": "outcome"}\n(declare-const waived Bool)\n'
        "(assert (! (=> (> fee 1000) (not waived)) :named dear))"
    )
    answer.write_text("(assert (= fee 2500))\n(define-fun claim () Bool waived)")
    code = (
        "import sys; from policywright.cli import main; "
        f"main(['check', {str(policy)!r}, {str(answer)!r}]); "
        f"sys.exit(any(m in sys.modules for m in {SLOW}))"
    )
    root = Path(__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root, check=False, capture_output=True, text=True
    )
    assert "EUR 2,500" in result.stdout
    assert result.returncode == 0
