"""Policies that nobody would write: lint and scenarios end in bounded time, and say what was cut.

The commands run as a user runs them, each in a process with a limit of processor time and of
memory; so a policy that takes more fails here however quiet the machine is.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

START = "import sys; from policywright.cli import main; sys.exit(main())"
ROOT = Path(__file__).resolve().parents[2]
BOOL, INT, REAL = "Bool", "Int", "Real"


def declared(sort: str, *names: str) -> str:
    return "".join(f"(declare-const {name} {sort})" for name in names)


def rule(term: str, name: str = "r") -> str:
    return f"(assert (! {term} :named {name}))\n"


def named(count: int, letter: str = "x") -> list[str]:
    return [f"{letter}{n}" for n in range(count)]


def of_conditions(count: int, join: str = "and") -> str:
    parts = " ".join(f"(> {name} {n})" for n, name in enumerate(named(count)))
    return declared(INT, *named(count)) + declared(BOOL, "ok") + rule(f"(=> ({join} {parts}) ok)")


def of_alternatives(count: int) -> str:
    names = named(count)
    return declared(BOOL, "ok", *names) + rule(f"(=> (or {' '.join(names)}) ok)")


def of_one_number(count: int) -> str:
    parts = " ".join(f"(= x {n})" for n in range(count))
    return declared(INT, "x") + declared(BOOL, "ok") + rule(f"(=> (or {parts}) ok)")


def nested(depth: int) -> str:
    term = "x0"
    for n in range(1, depth):
        term = f"({'and' if n % 2 else 'or'} x{n} {term})"
    return declared(BOOL, "ok", *named(depth)) + rule(f"(=> {term} ok)")


def of_values(count: int) -> str:
    values = " ".join(f"(v{n})" for n in range(count))
    text = f"(declare-datatype Place ({values}))" + declared("Place", "from", "to")
    return text + declared(BOOL, "ok") + rule("(=> (or (= from v3) (= to v7) (= from to)) ok)")


def of_numbers(large: str, small: str) -> str:
    term = f"(= ok (and (> amount {large}) (<= share {small}) (< share (/ 1.0 3.0))))"
    return declared(REAL, "amount", "share") + declared(BOOL, "ok") + rule(term)


def of_definitions(count: int, body: str = "(not d{})") -> str:
    text = declared(INT, "x") + declared(BOOL, "ok") + "(define-fun d0 () Bool (> x 0))\n"
    for n in range(1, count):
        text += f"(define-fun d{n} () Bool {body.replace('{}', str(n - 1))})\n"
    return text + rule(f"(=> d{count - 1} ok)")


def chain(count: int) -> str:
    steps = "".join(rule(f"(=> o{n} o{n + 1})", f"r{n}") for n in range(count))
    return declared(BOOL, *named(count + 1, "o")) + steps


def of_thresholds(count: int) -> str:
    steps = "".join(rule(f"(=> (> x {10 * n}) o{n})", f"r{n}") for n in range(count))
    return declared(INT, "x") + declared(BOOL, *named(count, "o")) + steps


def of_outcomes(count: int) -> str:
    """As many values of one outcome, each by a rule of its own."""
    values = " ".join(f"(v{n})" for n in range(count))
    text = f"(declare-datatype Place ({values}))" + declared("Place", "place")
    text += declared(INT, "x")
    for n in range(count):
        text += rule(f"(=> (= x {n}) (= place v{n}))", f"r{n}")
    return text


def apart(count: int) -> str:
    text = declared(INT, *named(count, "a")) + declared(BOOL, *named(count, "o"))
    return text + "".join(rule(f"(=> (> a{n} {n}) o{n})", f"r{n}") for n in range(count))


CUBES = (
    declared(INT, "a", "b", "c")
    + declared(BOOL, "ok")
    + rule("(=> (= (+ (* a a a) (* b b b)) (* c c c)) ok)", "cubes")
    + rule("(and (> a 2) (> b 2) (> c 2))", "positive")
)
CONTRADICTION = declared(BOOL, "x", "y") + rule("x", "a") + rule("(not x)", "b") + rule("(=> y x)")


def command(
    tmp_path: Path, text: str, *arguments: str, seconds: int = 60, megabytes: int = 2_500
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; a process that takes more is ended, and its code negative."""
    path = tmp_path / "policy.smt2"
    path.write_text(text, encoding="utf-8")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    ran = subprocess.run(
        [sys.executable, "-c", START, arguments[0], str(path), *arguments[1:]],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=limited,
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    assert ran.returncode in (0, 1, 2), (ran.returncode, ran.stderr)
    return ran.returncode, ran.stdout, ran.stderr


SCORE = ("scenarios", "--score", "--tiers", "1")


def test_a_contradiction_is_found_and_leaves_no_suite(tmp_path: Path) -> None:
    code, out, err = command(tmp_path, CONTRADICTION, "lint")
    assert code == 1
    assert "error[contradiction]" in out
    assert "nothing else was asked" in err
    code, _, err = command(tmp_path, CONTRADICTION, *SCORE)
    assert code == 2
    assert "scenarios need a policy without errors" in err


@pytest.mark.parametrize("arguments", [("lint",), SCORE])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (declared(BOOL, "x"), "this policy has no rules"),
        ("", "this policy has no rules"),
        (nested(1_000), "nested deeper than 200; split the rule"),
        (of_definitions(1_000), "nested deeper than 200 once its names are written out"),
        (
            of_definitions(40, "(and (or d{} ok) (or (> x 1) d{}))"),
            "more than 200,000 parts once its names are written out",
        ),
        (of_numbers("1" + "0" * 400 + ".0", "0.5"), "more than 300 digits"),
    ],
    ids=["no rule", "empty", "nested", "definitions", "doubling", "digits"],
)
def test_what_nobody_can_check_is_refused_in_a_sentence(
    tmp_path: Path, text: str, said: str, arguments: tuple[str, ...]
) -> None:
    code, out, err = command(tmp_path, text, *arguments, seconds=10)
    assert code == 2
    assert out == ""
    assert said in err


@pytest.mark.parametrize(
    "text",
    [
        of_values(200),
        of_numbers("1" + "0" * 40 + ".0", "0." + "0" * 39 + "1"),
        of_definitions(100),
        of_conditions(40),
        of_one_number(40),
        nested(40),
    ],
    ids=["values", "numbers", "definitions", "conditions", "one number", "nested"],
)
def test_what_is_only_long_is_checked_and_what_was_cut_is_said(tmp_path: Path, text: str) -> None:
    code, out, _ = command(tmp_path, text, "lint", seconds=30)
    assert code == 0
    assert "0 errors" in out
    code, out, err = command(tmp_path, text, *SCORE, seconds=30)
    assert code == (1 if err else 0)
    assert " scenario" in out.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "text",
    [of_conditions(300), of_one_number(300), of_conditions(1_600, "or"), nested(190)],
    ids=["and", "one number", "or", "nested"],
)
def test_of_a_rule_of_hundreds_of_conditions_some_edits_are_looked_at(
    tmp_path: Path, text: str
) -> None:
    code, out, err = command(tmp_path, text, *SCORE, seconds=60, megabytes=1_500)
    assert code == 1
    assert "`r` is so long that" in err
    assert int(out.splitlines()[-1].split()[0]) > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (of_conditions(10_000), "The thresholds of 1 rule of more than 100 conditions"),
        (of_conditions(10_000, "or"), "only the first parts, at most 60, were asked"),
        (of_alternatives(10_000), "only the first parts, at most 60, were asked"),
        (of_one_number(10_000), "only the first parts, at most 60, were asked"),
    ],
    ids=["and", "or", "facts", "one number"],
)
def test_ten_thousand_conditions_end(tmp_path: Path, text: str, said: str) -> None:
    code, _, err = command(tmp_path, text, "lint", seconds=90, megabytes=1_500)
    assert code == 0
    assert said in err
    code, _, err = command(tmp_path, text, *SCORE, seconds=120, megabytes=1_500)
    assert code == 1
    assert "`r` is so long that" in err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_the_solver_cannot_decide_ends_and_is_said(tmp_path: Path) -> None:
    code, _, err = command(tmp_path, CUBES, "lint", seconds=60)
    assert code == 0
    assert "not decided within the limit, for or against" in err
    code, _, err = command(tmp_path, CUBES, *SCORE, seconds=120)
    assert code == 1
    assert "`cubes`: " in err
    assert "not decided" in err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_thousand_rules_in_a_chain_are_linted(tmp_path: Path) -> None:
    code, out, _ = command(tmp_path, chain(1_000), "lint", seconds=90)
    assert code == 0
    assert "0 errors" in out


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    "text",
    [chain(300), chain(1_000), of_outcomes(200), of_thresholds(1_000)],
    ids=["300 in a chain", "chain", "outcomes", "thresholds"],
)
def test_rules_that_all_hang_together_end_and_what_was_left_is_said(
    tmp_path: Path, text: str
) -> None:
    code, out, err = command(tmp_path, text, *SCORE, seconds=240, megabytes=2_000)
    assert code == (1 if err else 0)
    assert ("cost more work than is done at once, so " in err) == bool(err)
    assert int(out.splitlines()[-1].split()[0]) > 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_thousand_rules_that_share_nothing_end(tmp_path: Path) -> None:
    code, out, _ = command(tmp_path, apart(10_000), "lint", seconds=300)
    assert code == 0
    assert "0 errors" in out
    code, out, _ = command(tmp_path, apart(2_000), *SCORE, seconds=240)
    assert code == 0
    assert "100.0%" in out
