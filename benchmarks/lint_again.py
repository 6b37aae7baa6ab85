"""What lint costs after one edit, of what it costs at first: `python -m benchmarks.lint_again`.

The policies are those of `benchmarks.vetting`. An edit narrows one rule drawn at random; of
EDITS of them the median and the dearest are told. `here` is processor time of lint in this
process, `apart` the wall clock and the processor time of the process that the server starts,
with the policy and the earlier report written to it and read back.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import time
from dataclasses import replace
from typing import Any

from benchmarks.vetting import HUBS, made
from policywright.lint import lint
from policywright.linting import lint_apart
from policywright.model import PolicyModel
from policywright.modeljson import model_to_json
from policywright.terms import implies

EDITS = 12
LONG_S = 900.0


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure lint after an edit.")
    parser.add_argument("--sizes", default="300,1467,3000")
    parser.add_argument("--hubs", action="store_true", help="1,500 rules, one component, too")
    options = parser.parse_args()
    print(
        "| rules | parts | largest | at first, CPU s | rules asked again | here, CPU s "
        "| apart, wall s | apart, CPU s |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for size in options.sizes.split(","):
        measure(int(size))
    if options.hubs:
        measure(1500, hubs=HUBS, edits=2)


def measure(size: int, *, hubs: int = 0, edits: int = EDITS) -> None:
    """Print one row of the table."""
    model = made(size, hubs)
    started = time.process_time()
    report = lint(model)
    first_s = time.process_time() - started
    kept = lint_apart(_request(model), deadline_s=LONG_S)
    rng = random.Random(size)
    rows = []
    for _ in range(edits):
        edited = _edited(model, rng)
        started = time.process_time()
        again = lint(edited, known=report.parts)
        here_s = time.process_time() - started
        wall_s, cpu_s = _apart(edited, kept)
        rows.append((len(again.looked_at), here_s, wall_s, cpu_s))
    largest = max(len(part.model.rules) for part in report.parts.values())
    label = f"{size:,}, one component" if hubs else f"{size:,}"
    cells = [label, f"{len(report.parts):,}", f"{largest:,}", f"{first_s:.2f}"]
    for column in zip(*rows, strict=True):
        middle, most = statistics.median(column), max(column)
        shown = "{:,.0f}, {:,.0f}" if isinstance(column[0], int) else "{:.2f}, {:.2f}"
        cells.append(shown.format(middle, most))
    print(f"| {' | '.join(cells)} |", flush=True)


def _edited(model: PolicyModel, rng: random.Random) -> PolicyModel:
    """The policy with one rule narrowed to where another one of its section applies as well."""
    number = rng.randrange(len(model.rules))
    rule, beside = model.rules[number], model.rules[number - 1]
    changed = replace(rule, term=implies(beside.term, rule.term))
    return model.with_rules([*model.rules[:number], changed, *model.rules[number + 1 :]])


def _apart(model: PolicyModel, kept: dict[str, Any]) -> tuple[float, float]:
    """Wall clock with what this process does, and processor time of the other one."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    lint_apart(_request(model), kept=kept, deadline_s=LONG_S)
    wall_s = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s, cpu_s


def _request(model: PolicyModel) -> dict[str, Any]:
    return {"model": model_to_json(model), "complete": [], "ranks": {}}


if __name__ == "__main__":
    main()
