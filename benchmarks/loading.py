"""How fast a policy is read, and a first check made: `python -m benchmarks.loading`.

Processor time, medians of one run:

- reading: `read` of a policy of 1,500 rules against Z3's own parser (`Solver.from_string`),
  pair by pair;
- a check of that policy, and of one of three rules, each in a process of its own, against a
  process that does nothing but `import z3`.
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import z3

from benchmarks.synthetic import Synthetic
from policywright.smtlib import print_model, read

ROOT = Path(__file__).parents[1]
RUNS = 9
CHECK = ("-c", "import sys; from policywright.cli import main; main(sys.argv[1:])", "check")

SMALL = """
(declare-datatype Season ((low) (high)))
(declare-const costEur Real)
(declare-const season Season)
(declare-const managerApproved Bool)
(declare-const tripApproved Bool)
(assert (! (=> (and (> costEur 1000.0) (not managerApproved)) (not tripApproved)) :named r1))
(assert (! (=> (and (= season high) (> costEur 500.0)) (not tripApproved)) :named r2))
(assert (! (=> (and (<= costEur 500.0) managerApproved) tripApproved) :named r3))
"""
SMALL_ANSWER = """
(assert (! (= costEur 2500.0) :named cost))
(assert (! (not managerApproved) :named approval))
(define-fun claim () Bool tripApproved)
"""


def main() -> None:
    made = Synthetic(1500)
    text = print_model(made.model())
    question = made.questions(1)[0]
    facts = "\n".join(f"(assert {fact})" for fact in question.facts)
    answer = f"{facts}\n(define-fun claim () Bool {question.claim})"

    pairs = [(clock(lambda: read(text)), clock(lambda: parsed_by_z3(text))) for _ in range(RUNS)]
    print("| | ms | against |")
    print("| --- | --- | --- |")
    report("read 1,500 rules", pairs, "Z3's parser")
    for label, policy, claims in (
        ("check of 3 rules, a process", SMALL, SMALL_ANSWER),
        ("check of 1,500 rules, a process", text, answer),
    ):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("policy.smt2", "answer.smt2")]
            for file, content in zip(files, (policy, claims), strict=True):
                file.write_text(content)
            report(
                label,
                [
                    (process(*CHECK, *map(str, files)), process("-c", "import z3"))
                    for _ in range(RUNS)
                ],
                "`import z3`",
            )


def report(label: str, pairs: list[tuple[float, float]], other: str) -> None:
    ours = statistics.median(pair[0] for pair in pairs)
    ratio = statistics.median(pair[0] / pair[1] for pair in pairs)
    print(f"| {label} | {ours * 1000:.0f} | {ratio:.2f} times {other} |", flush=True)


def parsed_by_z3(text: str) -> z3.Solver:
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(text)
    return solver


def clock(work: Callable[[], object]) -> float:
    """Processor time in seconds, with no garbage of others to be collected in between."""
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started


def process(*arguments: str) -> float:
    """Processor time in seconds of one process of Python."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
