"""How good and how fast merge proposals are: `python -m benchmarks.merging`."""

from __future__ import annotations

import csv
import random
import resource
import time
from pathlib import Path

from policywright.model import Datatype, Value
from translation.merging.candidates import Described, compare, find_candidates
from translation.merging.embedding import Embedder, WordLlamaEmbedder
from translation.merging.values import datatype_candidates

PAIRS = Path(__file__).parent / "merge_pairs.csv"


def described(row: dict[str, str], side: str) -> Described:
    return Described(
        side,
        row[f"{side}_name"],
        row["sort"],
        row["unit"],
        description=row[f"{side}_says"],
    )


def judge(embedder: Embedder, *, verbose: bool = False) -> dict[str, int]:
    """The hundred pairs: proposed or not, guarded and not, right or wrong."""
    counts = dict.fromkeys(("tp", "fp", "fn", "tn", "near_tp", "near_fp"), 0)
    with PAIRS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            first, second = described(row, "first"), described(row, "second")
            one, other = embedder.embed([first.text, second.text])
            found = compare(first, second, float(one @ other), embedder.near)
            same = row["same"] == "yes"
            proposed = found is not None and found.is_proposal
            counts["near_tp" if same else "near_fp"] += found is not None
            counts[{(1, 1): "tp", (0, 1): "fp", (1, 0): "fn", (0, 0): "tn"}[same, proposed]] += 1
            if verbose and same != proposed:
                why = [str(one) for one in found.apart] if found else "not near"
                print(f"  {row['same']:3} {first.name} | {second.name} | {one @ other:.2f} | {why}")
    return counts


def said(counts: dict[str, int]) -> None:
    def line(name: str, right: int, wrong: int, missed: int) -> str:
        precision, recall = right / max(right + wrong, 1), right / (right + missed)
        return f"| {name} | {right + wrong} | {precision:.2f} | {recall:.2f} |"

    same = counts["tp"] + counts["fn"]
    print("| | proposed | precision | recall |\n| --- | --- | --- | --- |")
    print(line("near alone", counts["near_tp"], counts["near_fp"], same - counts["near_tp"]))
    print(line("near, with the guard", counts["tp"], counts["fp"], counts["fn"]))


THINGS = ("trip", "claim", "invoice", "contract", "device", "account", "course", "booking", "grant")
PARTS = ("cost", "length", "limit", "notice", "fee", "approval", "start", "deadline", "weight")
WHOSE = ("employee", "customer", "contractor", "supplier", "visitor", "tenant", "student", "agent")
SAYS = (
    "the {part} of the {thing} of the {whose} in section {n}",
    "{whose}: {part} of a {thing}, clause {n}",
)


def made(count: int) -> list[Described]:
    """Variables in the manner of a policy of 274 pages; the same each time."""
    chance = random.Random(5)
    sorts = [("Bool", ""), ("Real", "EUR"), ("Int", "days"), ("Int", "months"), ("Real", "percent")]
    sorts += [(f"datatype{n}", "") for n in range(count * 600 // 1968)]
    found = []
    for index in range(count):
        thing, part, whose = (chance.choice(words) for words in (THINGS, PARTS, WHOSE))
        sort, unit = sorts[index % 5] if chance.random() < 0.7 else chance.choice(sorts)
        says = chance.choice(SAYS).format(part=part, thing=thing, whose=whose, n=index // 8)
        name = f"{whose}{thing.title()}{part.title()}"
        found.append(Described(str(index), name, sort, unit, description=says))
    return found


def made_datatypes(count: int) -> list[Datatype]:
    chance = random.Random(6)
    words = [f"{whose}{part.title()}" for whose in WHOSE for part in PARTS]
    found = []
    for index in range(count):
        names = chance.sample(words, chance.randint(2, 6))
        values = tuple(Value(f"{index}.{name}", name) for name in names)
        found.append(Datatype(str(index), f"Kind{index}", values))
    return found


def main() -> None:
    began = time.perf_counter()
    embedder = WordLlamaEmbedder()
    embedder.embed(["x"])
    print(f"load {time.perf_counter() - began:.2f} s")
    said(judge(embedder, verbose=True))
    began = time.perf_counter()
    pairs = list(datatype_candidates(made_datatypes(600)))
    print(f"600 datatypes: {time.perf_counter() - began:.2f} s, {len(pairs)} candidates")
    for count in (492, 984, 1_968, 3_936, 7_872):
        variables = made(count)
        began = time.perf_counter()
        found = find_candidates(variables, embedder)
        took = time.perf_counter() - began
        proposals = sum(candidate.is_proposal for candidate in found)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"| {count:,} | {took:.2f} | {len(found):,} | {proposals:,} | {peak} |")


if __name__ == "__main__":
    main()
