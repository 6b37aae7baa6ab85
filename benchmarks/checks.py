"""How fast a check is, as ratios measured in one run: `python -m benchmarks.checks`.

Per policy size, processor time of one check (the median of three in a row), medians over
the questions:

- whole: what a short script does: the whole policy given to a new solver as text,
  twice, the core as it comes. In process, and once as a process of its own.
- warm: kind, minimal rules or two scenarios, from kept solvers.
- shown: what a person is shown: fresh solver, minimal rules, near scenarios.
- limit: two bare checks of Z3 on the slice, which it keeps: no cores, no scenarios.

Ratios are taken question by question, then their median. `--sizes 30,300` picks sizes.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import multiprocessing
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import z3

from benchmarks.synthetic import Question, Synthetic
from policywright.findings import WarmChecker, check_claim
from policywright.model import PolicyModel
from policywright.smtlib import Answer, print_model, read, read_term
from policywright.smtlib.reader import read_facts
from policywright.solver import compiled

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
    checker, limit = WarmChecker(model), Limit(model)
    for question in questions:  # caches are filled, as they are in a running server
        warm(checker, question)
        shown(model, question)
        limit.measure(question)
    gc.collect()
    gc.freeze()
    # In a process of its own: what it does to a heap would slow the others down.
    with multiprocessing.get_context("spawn").Pool(1) as beside:
        rows = [
            (
                beside.apply(clocked_whole, (text, question)),
                clock(lambda q=question: warm(checker, q)),
                clock(lambda q=question: shown(model, q)),
                limit.measure(question),
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
    """Processor time in seconds, the median of three in a row."""
    times = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times)


def clocked_whole(text: str, question: Question) -> float:
    return clock(lambda: whole(text, question))


def whole(text: str, question: Question) -> str:
    """The baseline: everything as text to a new solver for each side of the claim, then told."""
    facts = "\n".join(f"(assert (! {f} :named fact{i}))" for i, f in enumerate(question.facts))
    return told(text, facts, question.claim)


def told(text: str, facts: str, claim: str) -> str:
    can_hold, holds = _one_side(text, f"{facts}\n(assert (! {claim} :named asked))")
    can_fail, fails = _one_side(text, f"{facts}\n(assert (! (not {claim}) :named asked))")
    return f"{can_hold} {can_fail}: {holds}, {fails}"


def _one_side(text: str, asked: str) -> tuple[bool, object]:
    """Whether it can hold; the value of each of the policy's constants, or the core as it comes."""
    solver = z3.Solver()
    solver.from_string(f"{text}\n{asked}")
    if solver.check() != z3.sat:
        return False, sorted(str(part) for part in solver.unsat_core() if str(part) != "asked")
    found = solver.model()
    values = {str(declared): found[declared] for declared in found}
    constants = re.findall(r"\(declare-const (\S+)", text)
    return True, {name: values[name] for name in constants if name in values}


def answer_to(model: PolicyModel, question: Question) -> Answer:
    facts = "\n".join(f"(assert {fact})" for fact in question.facts)
    return Answer(read_facts(facts, model), read_term(question.claim, model))


def warm(checker: WarmChecker, question: Question) -> object:
    answer = answer_to(checker.model, question)
    return checker.check(answer.facts, answer.claim)


def shown(model: PolicyModel, question: Question) -> object:
    answer = answer_to(model, question)
    return check_claim(model, answer.facts, answer.claim)


class Limit:
    """Bare Z3 on the slice: rules asserted and kept, facts and claim given as Z3's terms."""

    def __init__(self, model: PolicyModel) -> None:
        self.model, self.solvers = model, {}

    def measure(self, question: Question) -> float:
        """Push, facts, one side of the claim, check, pop; then the other side."""
        prepared, answer = compiled(self.model), answer_to(self.model, question)
        terms = [*(fact.term for fact in answer.facts), answer.claim]
        rules = prepared.slice_of(terms)
        solver, parser, known = self.solvers.setdefault(rules, self._kept())
        used = {i for n in rules for i in prepared.rule_symbols[n]}
        used = used.union(*map(prepared.symbols, terms))
        lines = [prepared.declarations(used, known)]
        lines.append(prepared.datatypes(rules, terms, known))
        parser.from_string("\n".join(lines))
        if not solver.assertions():
            solver.add(*self._read(parser, map(prepared.rule_text, rules)))
            solver.check()
        *facts, claim = self._read(parser, map(prepared.text, terms))
        return clock(lambda: [_bare(solver, facts, side) for side in (claim, z3.Not(claim))])

    def _kept(self) -> tuple[z3.Solver, z3.ParserContext, set[str]]:
        context = z3.Context()
        return z3.SimpleSolver(ctx=context), z3.ParserContext(context), set()

    def _read(self, parser: z3.ParserContext, texts: Iterable[str]) -> list[z3.BoolRef]:
        return list(parser.from_string("\n".join(f"(assert {text})" for text in texts)))


def _bare(solver: z3.Solver, facts: Sequence[z3.BoolRef], side: z3.BoolRef) -> object:
    solver.push()
    solver.add(*facts, side)
    status = solver.check()
    solver.pop()
    return status


def first_check() -> float:
    """Median ratio of our command's processor time to the script's, each as a process."""
    made = Synthetic(1500)
    questions = made.questions(8)
    text = print_model(made.model())
    with tempfile.TemporaryDirectory() as folder:
        policy, answer, script = (Path(folder) / n for n in ("p.smt2", "a.smt2", "s.py"))
        policy.write_text(text)
        script.write_text(_script())
        ratios = []
        for question in questions:
            facts = "\n".join(f"(assert {fact})" for fact in question.facts)
            answer.write_text(f"{facts}\n(define-fun claim () Bool {question.claim})")
            ours = _process(
                "-c",
                "import sys; from policywright.cli import main; main(sys.argv[1:])",
                "check", str(policy), str(answer),
            )  # fmt: skip
            theirs = _process(str(script), str(policy), str(answer))
            ratios.append(ours / theirs)
    return statistics.median(ratios)


def _script() -> str:
    """The baseline as a script of its own, which imports Z3 and little else."""
    parts = (inspect.getsource(part) for part in (_one_side, told))
    return (
        "import re, sys\nimport z3\n\n\n"
        + "\n\n".join(parts)
        + "\n\nprint(told(open(sys.argv[1]).read(), open(sys.argv[2]).read(), 'claim'))\n"
    )


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
