"""Lint and scenarios, as ratios measured in one run: `python -m benchmarks.vetting`.

Per policy size, processor time of one lint of everything, reading left out:

- lint: all checks, with every message in English.
- naive: a fresh solver for each question, given the whole policy as text without the rules
  that the question leaves out; estimated: the mean of a sample times the questions, those
  that make a core minimal or confirm a case among them.

Then suites of scenarios, as `benchmarks.suites` measures them, of tier 1. The policies are
those of `made.py`, with `--hubs` of one component, too. `--sizes 100,300` picks sizes of lint,
`--suites 200` those of scenarios, either empty for none; `--gold FOLDER` adds suites of files.
"""

from __future__ import annotations

import argparse
import gc
import math
import multiprocessing
import random
import statistics
import time
from dataclasses import replace
from pathlib import Path

import z3

from benchmarks import suites
from benchmarks.made import HUBS, made
from policywright.lint import lint
from policywright.lint.scan import Question
from policywright.model import PolicyModel
from policywright.smtlib import print_model
from policywright.terms import TRUE, and_

SAMPLE = 24


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure lint.")
    parser.add_argument("--sizes", default="100,300,750,1500,3000")
    parser.add_argument("--hubs", action="store_true", help="1,500 rules, one component, too")
    parser.add_argument("--suites", default="50,200,1467")
    parser.add_argument("--gold", type=Path, help="a folder of policies to make suites of")
    options = parser.parse_args()
    if options.sizes:
        measure_lint([int(size) for size in options.sizes.split(",")], hubs=options.hubs)
    if options.suites or options.gold:
        print()
        suites.print_head()
        for name, load in suites.policies(options.gold, options.suites, None):
            suites.measure(name, load, tiers=1)


def measure_lint(sizes: list[int], *, hubs: bool) -> None:
    print("| rules | questions | diagnostics | undecided | lint s | naive s | naive/lint |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    seconds = [measure(size) for size in sizes]
    if hubs:
        measure(1500, hubs=HUBS)
    if len(sizes) > 1:
        print(f"\ngrowth exponent: {exponent(sizes, seconds):.2f}")


def measure(size: int, *, hubs: int = 0) -> float:
    """Print one row of the table; the seconds of the lint come back."""
    model = made(size, hubs)
    questions: list[Question] = []
    lint(model, observe=questions.append)  # what is learned about a model is kept with it
    model = made(size, hubs)
    gc.collect()
    gc.freeze()
    started = time.process_time()
    report = lint(model)
    seconds = time.process_time() - started
    gc.unfreeze()
    naive = naive_seconds(model, questions) * report.questions
    undecided = sum(int(x.split()[0]) for x in report.limits if "within the limit" in x)
    label = f"{size:,}, one component" if hubs else f"{size:,}"
    cells = [f"{report.questions:,}", f"{len(report.diagnostics):,}", str(undecided)]
    cells += [f"{seconds:.2f}", f"{naive:.0f}", f"{naive / seconds:.0f}"]
    print(f"| {label} | {' | '.join(cells)} |", flush=True)
    return seconds


def naive_seconds(model: PolicyModel, questions: list[Question]) -> float:
    """The mean of a sample, in a process of its own, whose heap holds nothing else."""
    sample = random.Random(1).sample(questions, min(SAMPLE, len(questions)))
    texts = []
    for left_out, terms in sample:
        rules = [rule for number, rule in enumerate(model.rules) if number not in left_out]
        asked = replace(model.rules[0], id="asked", name="asked", term=and_(TRUE, *terms))
        texts.append(print_model(model.with_rules([*rules, asked])))
    with multiprocessing.get_context("spawn").Pool(1) as beside:
        return statistics.mean(beside.map(fresh, texts))


def fresh(text: str) -> float:
    started = time.process_time()
    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", 10_000_000)
    solver.from_string(text)
    solver.check()
    return time.process_time() - started


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope between logarithms, by least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    slope, _ = statistics.linear_regression(xs, ys)
    return slope


if __name__ == "__main__":
    main()
