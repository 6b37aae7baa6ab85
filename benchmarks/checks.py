"""How fast a check is, as ratios measured in one run: `python -m benchmarks.checks`.

Per policy size, processor time of one check, medians over the questions:

- whole: what a short script does: the whole policy given to a new solver as text,
  twice, the core as it comes. In process, and once as a process of its own.
- warm: kind, minimal rules or two scenarios, from kept solvers.
- shown: what a person is shown: fresh solver, minimal rules, near scenarios.
- limit: two bare checks of Z3 on the slice, kept loaded.

Ratios are taken question by question, then their median. `--sizes 30,300` picks sizes.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import z3

from benchmarks.synthetic import Question, Synthetic
from policywright.findings import WarmChecker, check_claim
from policywright.model import PolicyModel
from policywright.smtlib import Answer, print_model, read, read_term
from policywright.smtlib.reader import read_facts
from policywright.solver import Session, compiled
from policywright.terms import not_

ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure checks.")
    parser.add_argument("--sizes", default="10,30,100,300,1500,3000")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--hubs", action="store_true", help="one component, 1,500 rules, instead")
    options = parser.parse_args()
    print(
        "| rules | whole ms | warm ms | shown ms | limit ms "
        "| whole/warm | whole/shown | warm/limit |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    if options.hubs:
        measure(1500, options.questions, hubs=8)
        return
    for size in map(int, options.sizes.split(",")):
        measure(size, options.questions if size < 1000 else options.questions // 2)
    print(f"\nfirst check of a new process, 1,500 rules: {first_check():.2f} of the script's")


def measure(size: int, count: int, *, hubs: int = 0) -> None:
    """Print one row of the table."""
    made = Synthetic(size, hubs=hubs)
    text = print_model(made.model())
    model = read(text)
    questions = made.questions(count)
    checker = WarmChecker(model)
    for question in questions:  # caches are filled, as they are in a running server
        warm(checker, question)
        shown(model, question)
    gc.collect()
    gc.freeze()
    rows = [
        (
            clock(lambda q=question: whole(text, q)),
            clock(lambda q=question: warm(checker, q)),
            clock(lambda q=question: shown(model, q)),
            limit(model, question),
        )
        for question in questions
    ]
    gc.unfreeze()
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    ratios = [
        statistics.median(row[above] / row[below] for row in rows)
        for above, below in ((0, 1), (0, 2), (1, 3))
    ]
    cells = [f"{m * 1000:.2f}" for m in medians] + [f"{r:.1f}" for r in ratios]
    label = f"{size:,}, one component" if hubs else f"{size:,}"
    print(f"| {label} | {' | '.join(cells)} |", flush=True)


def clock(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def whole(text: str, question: Question) -> tuple[object, object]:
    """The baseline: everything as text to a new solver for each side of the claim."""
    facts = "\n".join(f"(assert (! {f} :named fact{i}))" for i, f in enumerate(question.facts))
    return tuple(  # type: ignore[return-value]
        _one_side(f"{text}\n{facts}\n(assert (! {claim} :named asked))")
        for claim in (question.claim, f"(not {question.claim})")
    )


def _one_side(text: str) -> object:
    solver = z3.Solver()
    solver.from_string(text)
    if solver.check() != z3.sat:
        return sorted(str(part) for part in solver.unsat_core())
    found = solver.model()
    return {str(declared): found[declared] for declared in found}


def answer_to(model: PolicyModel, question: Question) -> Answer:
    facts = "\n".join(f"(assert {fact})" for fact in question.facts)
    return Answer(read_facts(facts, model), read_term(question.claim, model))


def warm(checker: WarmChecker, question: Question) -> object:
    answer = answer_to(checker.model, question)
    return checker.check(answer.facts, answer.claim)


def shown(model: PolicyModel, question: Question) -> object:
    answer = answer_to(model, question)
    return check_claim(model, answer.facts, answer.claim)


def limit(model: PolicyModel, question: Question) -> float:
    """Two bare checks on the slice, which is loaded beforehand."""
    answer = answer_to(model, question)
    terms = [*(fact.term for fact in answer.facts), answer.claim, not_(answer.claim)]
    prepared = compiled(model)
    rules = prepared.slice_of(terms)
    session = Session(prepared, rules, rlimit=10_000_000)
    session.check(rules)
    with session.question(terms) as added:
        sides = [[*rules, *added[:-2], number] for number in added[-2:]]
        return clock(lambda: [session.check(side) for side in sides])


def first_check() -> float:
    """Median ratio of our command's processor time to the script's, each as a process."""
    made = Synthetic(1500)
    questions = made.questions(8)
    text = print_model(made.model())
    with tempfile.TemporaryDirectory() as folder:
        policy, answer, script = (Path(folder) / n for n in ("p.smt2", "a.smt2", "s.py"))
        policy.write_text(text)
        script.write_text(
            "import sys; from benchmarks.checks import whole; "
            "from benchmarks.synthetic import Question; "
            "facts, claim = eval(sys.argv[2]); "
            "whole(open(sys.argv[1]).read(), Question(facts, claim))"
        )
        ratios = []
        for question in questions:
            facts = "\n".join(f"(assert {fact})" for fact in question.facts)
            answer.write_text(f"{facts}\n(define-fun claim () Bool {question.claim})")
            ours = _process(
                "-c",
                "import sys; from policywright.cli import main; main(sys.argv[1:])",
                "check", str(policy), str(answer),
            )  # fmt: skip
            theirs = _process(str(script), str(policy), repr((question.facts, question.claim)))
            ratios.append(ours / theirs)
    return statistics.median(ratios)


def _process(*arguments: str) -> float:
    environment: dict[str, str] = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command: Sequence[str] = [sys.executable, *arguments]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
