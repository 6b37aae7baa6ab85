"""What a page of the playground costs: `python -m benchmarks.playground`.

Per policy size, processor time, medians over several choices of two facts:

- page: what follows of the twenty outcomes that come first, with minimal rules, and which
  further fact matters most.
- start: the same with nothing given.
- naive: a fresh solver with the whole policy as text for either side of each of the twenty
  outcomes; no minimal rules, and nothing on what matters.

The policies are those of `benchmarks.vetting`. `--sizes 100,300` picks sizes.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import random
import statistics
import time
from collections.abc import Mapping
from dataclasses import replace

from benchmarks.vetting import HUBS, fresh, made
from policywright.evaluate import Value
from policywright.findings.conditions import equals
from policywright.model import PolicyModel
from policywright.playground import Played, State
from policywright.playground.mattering import telling_values
from policywright.playground.order import facts_behind, outcomes_in_order
from policywright.playground.play import play
from policywright.smtlib import print_model
from policywright.terms import Term, and_, not_

CHOICES = 8


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the playground.")
    parser.add_argument("--sizes", default="100,300,1467,3000")
    parser.add_argument("--hubs", action="store_true", help="1,500 rules, one component, too")
    options = parser.parse_args()
    print("| rules | page ms (worst) | start ms | naive ms | naive/page | settled | undecided |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for size in map(int, options.sizes.split(",")):
        measure(size)
    if options.hubs:
        measure(1500, hubs=HUBS)


def measure(size: int, *, hubs: int = 0) -> None:
    """Print one row of the table."""
    model = made(size, hubs)
    play(model, {})  # what is learned about a model is kept with it
    gc.collect()
    gc.freeze()
    times, naive, found = [], [], []
    for given in choices(model):
        seconds, played = clocked(model, given)
        times.append(seconds)
        naive.append(naive_seconds(model, given, played))
        found.append(played)
    start, _ = clocked(model, {})
    gc.unfreeze()
    states = [one.state for played in found for one in played.outcomes]
    page = statistics.median(times)
    label = f"{size:,}, one component" if hubs else f"{size:,}"
    cells = [f"{1000 * page:.0f} ({1000 * max(times):.0f})", f"{1000 * start:.0f}"]
    cells += [f"{1000 * statistics.median(naive):.0f}"]
    cells += [f"{statistics.median(n / t for n, t in zip(naive, times, strict=True)):.0f}"]
    cells += [str(states.count(State.SETTLED)), str(states.count(State.UNDECIDED))]
    print(f"| {label} | {' | '.join(cells)} |", flush=True)


def choices(model: PolicyModel) -> list[dict[str, Value]]:
    """Two facts behind an outcome picked at random, each with a value that may tell."""
    rng, telling = random.Random(1), telling_values(model)
    found: list[dict[str, Value]] = []
    for outcome in rng.sample(outcomes_in_order(model, []), CHOICES):
        facts = sorted(facts_behind(model, outcome))
        picked = [model.variable_by_id[uid] for uid in rng.sample(facts, min(2, len(facts)))]
        found.append({one.id: rng.choice(telling(one)) for one in picked})
    return found


def clocked(model: PolicyModel, given: Mapping[str, Value]) -> tuple[float, Played]:
    started = time.process_time()
    played = play(model, given, deadline_s=60)
    return time.process_time() - started, played


def naive_seconds(model: PolicyModel, given: Mapping[str, Value], played: Played) -> float:
    """One of the outcomes asked on either side, times their number."""
    facts = [equals(model.variable_by_id[uid], value) for uid, value in given.items()]
    outcome = model.variable_by_id[played.outcomes[0].variable]
    claim = equals(outcome, telling_values(model)(outcome)[0])
    texts = [_asked(model, and_(*facts, side)) for side in (claim, not_(claim))]
    with multiprocessing.get_context("spawn").Pool(1) as beside:
        return sum(beside.map(fresh, texts)) * len(played.outcomes)


def _asked(model: PolicyModel, term: Term) -> str:
    asked = replace(model.rules[0], id="asked", name="asked", term=term)
    return print_model(model.with_rules([*model.rules, asked]))


if __name__ == "__main__":
    main()
