"""A solver process: the same findings, kept models, and an end when the clock runs out."""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from policywright import load_policy
from policywright.errors import ReadError
from policywright.playground.play import play
from policywright.smtlib import read
from policywright.solving import SolverGoneError, SolverProcess
from tests.policywright.shared import shared

LOANS = Path(__file__).parents[1] / "fixtures" / "checks" / "loans.smt2"
TEXT = LOANS.read_text()
FACTS = "(assert (! (= feesOwed 35) :named owed))\n(assert (! (not deskApproved) :named desk))"
STUCK = (sys.executable, "-c", "import time; time.sleep(60)")
DYING = (sys.executable, "-c", "import sys; sys.stdin.readline()")


def test_a_process_gives_the_same_finding_as_the_library() -> None:
    expected = load_policy(LOANS).check(FACTS, "loanGranted")
    with SolverProcess() as solver:
        for evidence in (True, False, True):
            found = solver.check("l", TEXT, facts=FACTS, claim="loanGranted", evidence=evidence)
            assert (found["finding"], tuple(found["rules"])) == (expected.kind, expected.rules)
            assert "fees-rule" in found["english"]


def test_many_checks_reuse_one_process_and_one_reading_of_the_policy() -> None:
    with SolverProcess() as solver:
        solver.check("l", TEXT, facts="", claim="loanGranted")
        process = solver._process
        for _ in range(20):
            # No text is needed any more: the process holds the model under its key.
            solver.check("l", "not a policy", facts=FACTS, claim="rareBook", evidence=False)
        assert solver._process is process


def test_problems_come_back_with_their_places() -> None:
    with SolverProcess() as solver, pytest.raises(ReadError, match="`nothing` is not declared"):
        solver.check("l", TEXT, facts="", claim="nothing")


def test_fr_17_no_answer_in_time_is_undecided_and_leaves_no_process() -> None:
    with SolverProcess(deadline_s=0.3, command=STUCK) as solver:
        for _ in range(3):
            started = time.monotonic()
            found = solver.check("l", TEXT, facts="", claim="loanGranted")
            assert found["finding"] == "UNDECIDED"
            assert time.monotonic() - started < 1.3
            assert solver._process is None


def test_fr_17_a_hard_question_ends_within_its_limit_and_the_next_is_answered() -> None:
    hard = shared("cases", "files", "fr-17-slow.smt2").read_text()
    with SolverProcess(deadline_s=20) as solver:
        found = solver.check("slow", hard, facts="", claim="(> a 100)", rlimit=500_000)
        assert found["finding"] == "UNDECIDED"
        again = solver.check("l", TEXT, facts=FACTS, claim="loanGranted")
        assert again["finding"] == "INVALID"


def test_a_process_that_keeps_ending_is_said_to_be_gone() -> None:
    with SolverProcess(command=DYING) as solver, pytest.raises(SolverGoneError):
        solver.check("l", TEXT, facts="", claim="loanGranted")


def test_a_killed_process_is_replaced_without_a_word() -> None:
    with SolverProcess() as solver:
        solver.check("l", TEXT, facts="", claim="loanGranted")
        assert solver._process is not None
        solver._process.kill()
        solver._process.wait()
        assert solver.check("l", TEXT, facts=FACTS, claim="loanGranted")["finding"] == "INVALID"


def test_the_playground_says_the_same_in_a_process_and_reads_the_policy_once() -> None:
    model = read(TEXT)
    given = {"feesOwed": Fraction(35)}
    with SolverProcess() as solver:
        for text in (TEXT, "not a policy"):
            assert solver.play("l", text, model, given) == play(model, given)
        found = solver.play("l", TEXT, model, {}, asked=["loanGranted"], count=1)
        assert found == play(model, {}, asked=["loanGranted"], count=1)
        with pytest.raises(KeyError):
            solver.play("l", TEXT, model, {"nothing": True})


def test_fr_17_a_playground_without_an_answer_in_time_is_ended() -> None:
    with SolverProcess(deadline_s=0.3, command=STUCK) as solver:
        started = time.monotonic()
        assert solver.play("l", TEXT, read(TEXT), {}) is None
        assert time.monotonic() - started < 1.3
        assert solver._process is None
