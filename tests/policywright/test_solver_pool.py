"""Solver processes that are kept: reused, bounded, and none left when something went wrong."""

from __future__ import annotations

import threading

import pytest

from policywright.comparison import Same
from policywright.smtlib import read, read_term
from policywright.solver_pool import SolverPool

MODEL = read("(declare-const age Int)\n(assert (! (> age 0) :named r))")
SIDES = [[read_term(text, MODEL)] for text in ("(> age 5)", "(>= age 6)")]


def test_a_process_is_used_again() -> None:
    pool = SolverPool(2)
    try:
        seen = set()
        for _ in range(3):
            with pool.solver() as solver:
                assert solver.compare(MODEL, *SIDES) == Same()
                assert solver._process is not None
                seen.add(solver._process.pid)
        assert len(seen) == 1
    finally:
        pool.close()


def test_no_more_processes_than_allowed_however_many_ask() -> None:
    pool, seen, found = SolverPool(2), set(), []

    def ask() -> None:
        with pool.solver() as solver:
            found.append(solver.compare(MODEL, *SIDES))
            assert solver._process is not None
            seen.add(solver._process.pid)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [Same()] * 8
        assert len(seen) <= 2
    finally:
        pool.close()


def test_after_an_error_the_process_is_ended() -> None:
    pool = SolverPool(1)
    used = []

    def fail() -> None:
        with pool.solver() as solver:
            solver.compare(MODEL, *SIDES)
            used.append(solver._process)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert used[0] is not None
    assert used[0].poll() is not None
    with pool.solver() as again:
        assert again.compare(MODEL, *SIDES) == Same()
    pool.close()
