"""How small and how fast suites of scenarios are: `python -m benchmarks.suites`.

Per policy and number of tiers, processor time, reading left out:

- find: a case for each mutant that can be told apart; all others settled.
- suite: the suite as the server makes it, from nothing: cases made to tell many, chosen,
  and cut to the facts that are needed.
- naive: a fresh solver with the whole policy for each mutant, once for equivalence;
  estimated: the mean of a sample times the mutants.

Where `suite` takes less than SHORT_S the median of three is told. Policies are the `.smt2`
files of a folder (`--gold FOLDER`) and those of `synthetic.py`; `--hubs N` of these with one
component.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import z3

from benchmarks.made import HUBS, made
from policywright.lint import lint
from policywright.model import PolicyModel, Rule
from policywright.scenarios import Suite, make_suite
from policywright.scenarios.mutants import groups_of
from policywright.scenarios.plan import Plan
from policywright.smtlib import print_model, read
from policywright.terms import and_, xor

SAMPLE = 10
SHORT_S = 5.0
HEAD = (
    "policy",
    "tiers",
    "rules",
    "mutants",
    "same",
    "told",
    "open",
    "scenarios",
    "a rule",
    "find s",
    "suite s",
    "naive s",
    "naive/find",
)
Made = TypeVar("Made")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure suites of scenarios.")
    parser.add_argument("--sizes", default="50,200,1467")
    parser.add_argument("--tiers", default="1,3")
    parser.add_argument("--gold", type=Path, help="a folder of policies")
    parser.add_argument("--hubs", type=int, help="a size with one component, too")
    parser.add_argument("--kinds", action="store_true", help="the score by kind of edit, too")
    options = parser.parse_args()
    print_head()
    for name, load in policies(options.gold, options.sizes, options.hubs):
        for tiers in options.tiers.split(","):
            measure(name, load, int(tiers), kinds=options.kinds)


def print_head() -> None:
    print(f"| {' | '.join(HEAD)} |")
    print("| --- " * len(HEAD) + "|")


def policies(
    gold: Path | None, sizes: str, hubs: int | None
) -> Iterator[tuple[str, Callable[[], PolicyModel]]]:
    """Names, and what reads each anew. A suite of a policy with lint errors says little."""
    for path in sorted(gold.glob("*.smt2")) if gold else ():
        load = partial(from_file, path)
        if not lint(load()).errors:
            yield path.stem, load
    for size in sizes.split(",") if sizes else ():
        yield f"made, {int(size):,}", partial(made, int(size), 0)
    if hubs:
        yield f"made, {hubs:,}, one component", partial(made, hubs, HUBS)


def from_file(path: Path) -> PolicyModel:
    return read(path.read_text(encoding="utf-8"))


def measure(name: str, load: Callable[[], PolicyModel], tiers: int, *, kinds: bool = False) -> None:
    """Print one row of the table."""
    suite_s, suite = timed(load, lambda model: make_suite(model, tiers=tiers))
    find_s, _ = timed(load, lambda model: find(model, tiers))
    if suite_s < SHORT_S:
        again = [timed(load, lambda model: make_suite(model, tiers=tiers))[0] for _ in range(2)]
        suite_s = statistics.median([suite_s, *again])
        again = [timed(load, lambda model: find(model, tiers))[0] for _ in range(2)]
        find_s = statistics.median([find_s, *again])
    tally, count = suite.tally, len(suite.scenarios)
    rules = len(load().rules)
    naive_s = naive_seconds(load()) * tally.mutants
    cells = [name, str(tiers), f"{rules:,}", f"{tally.mutants:,}", f"{tally.equivalent:,}"]
    cells += [f"{tally.killed:,}", f"{tally.undecided:,}", f"{count:,}", f"{count / rules:.2f}"]
    cells += [f"{find_s:.2f}", f"{suite_s:.2f}", f"{naive_s:.1f}", f"{naive_s / find_s:.0f}"]
    print(f"| {' | '.join(cells)} |", flush=True)
    if kinds:
        say_kinds(suite)


def find(model: PolicyModel, tiers: int) -> None:
    for search in Plan(model, tiers=tiers, packed=False).searches():
        for tier in range(tiers):
            search.run(tier)


def say_kinds(suite: Suite) -> None:
    for kind, tally in suite.by_kind.items():
        print(f"  {kind.value}: {tally.killed:,} of {tally.mutants - tally.equivalent:,}")


def timed(
    load: Callable[[], PolicyModel], make: Callable[[PolicyModel], Made]
) -> tuple[float, Made]:
    """Processor time on a model read anew: what is learned about one is kept with it."""
    model = load()
    gc.collect()
    gc.disable()  # as in the process of the server
    started = time.process_time()
    found = make(model)
    seconds = time.process_time() - started
    gc.enable()
    return seconds, found


def naive_seconds(model: PolicyModel) -> float:
    """Of one mutant: the whole policy as text to a new solver, asked for a case that tells."""
    rng = random.Random(1)
    groups = [group for group in groups_of(model) if group.mutants and group.rules]
    times = []
    for group in rng.choices(groups, k=SAMPLE):
        changed = rng.choice(group.changed)
        before = and_(*(model.rules[number].term for number in group.rules))
        rules = [r for n, r in enumerate(model.rules) if n not in group.rules]
        differ = Rule("x", "they-differ", xor(before, and_(*changed)))
        text = print_model(model.with_rules((*rules, differ)))
        started = time.process_time()
        solver = z3.Solver(ctx=z3.Context())
        solver.set("timeout", 60_000)
        solver.from_string(text)
        solver.check()
        times.append(time.process_time() - started)
    return statistics.mean(times)


if __name__ == "__main__":
    main()
