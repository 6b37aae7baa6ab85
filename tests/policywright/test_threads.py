"""Field report 18: many checks at once, in threads, while garbage is collected by others."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice

from policywright.library import LoadedPolicy
from policywright.smtlib import read
from policywright.solving import SolverProcess

POLICY = """
(declare-datatypes ((Size 0)) (((small) (large))))
(declare-const size Size)
(declare-const weight Real)
(declare-const insured Bool)
(declare-const accepted Bool)
(assert (! (=> (> weight 30.0) (not accepted)) :named too-heavy))
(assert (! (=> (and (= size large) (not insured)) (not accepted)) :named large-uninsured))
(assert (! (=> (and (<= weight 30.0) insured) accepted) :named insured))
"""
QUESTIONS = [
    ("(assert (! (= weight 31.0) :named w))", "accepted"),
    ("(assert (! (= weight 2.0) :named w))(assert (! insured :named i))", "accepted"),
    ("(assert (! (= weight 2.0) :named w))", "accepted"),
    ("(assert (! (= weight 31.0) :named w))(assert (! accepted :named a))", "insured"),
]

# In a process of its own: what this looks for would end the process of the tests.
IN_THREADS = """
import gc, threading
from tests.policywright.test_threads import in_process
stop = threading.Event()
def collect():
    while not stop.is_set():
        gc.collect()
gc.set_threshold(50)
other = threading.Thread(target=collect)
other.start()
try:
    for _ in range(4):
        in_process()
finally:
    stop.set()
    other.join()
print("alike")
"""


def in_process() -> None:
    """Fifty checks in eight threads of one process, each answer as it is given alone."""
    policy = LoadedPolicy(read(POLICY))
    alone = [_told(policy, *question) for question in QUESTIONS]
    asked = list(islice(cycle(range(len(QUESTIONS))), 50))
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda i: _told(policy, *QUESTIONS[i]), asked))
    assert told == [alone[i] for i in asked]


def test_fr_18_checks_in_threads_of_one_process_answer_as_each_does_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_THREADS], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "alike"), done.stderr[-2000:]


def test_fr_18_checks_in_solver_processes_answer_as_each_does_alone() -> None:
    asked = list(islice(cycle(range(len(QUESTIONS))), 50))
    with SolverProcess() as process:
        alone = [_asked(process, i) for i in range(len(QUESTIONS))]

    def work(share: list[int]) -> list[object]:
        with SolverProcess() as process:
            return [_asked(process, i) for i in share]

    with ThreadPoolExecutor(3) as pool:
        shares = list(pool.map(work, [asked[start::3] for start in range(3)]))
    told = {(start, at): answer for start, s in enumerate(shares) for at, answer in enumerate(s)}
    assert all(told[i % 3, i // 3] == alone[asked[i]] for i in range(len(asked)))


def _asked(process: SolverProcess, i: int) -> object:
    facts, claim = QUESTIONS[i]
    return process.check("parcels", POLICY, facts=facts, claim=claim)


def _told(policy: LoadedPolicy, facts: str, claim: str) -> object:
    return policy.check(facts, claim).to_json(policy.model)
