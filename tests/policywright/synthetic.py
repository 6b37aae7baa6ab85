"""Policies of any size in sections, and answers to them: deterministic, of our own making.

Each section has facts, thresholds, an outcome that rules forbid and a closed world;
some sections read the outcome of the one before. `shared` variables are read by all.
"""

from __future__ import annotations

import random


def policy_text(rules: int, *, seed: int = 1, shared: int = 0) -> str:
    """About `rules` rules as SMT-LIB; the same text for the same arguments."""
    rng = random.Random(seed)
    head = [f"(declare-const common{i} Bool)" for i in range(shared)]
    body: list[str] = []
    section = 0
    while sum(line.startswith("(assert") for line in body) < rules:
        section += 1
        _section(section, rng, head, body, shared)
    return "\n".join([*head, *body]) + "\n"


def _section(
    number: int, rng: random.Random, head: list[str], body: list[str], shared: int
) -> None:
    place, paid, signed, granted = (f"{n}{number}" for n in ("place", "paid", "signed", "granted"))
    head.append(
        f"(declare-datatype Place{number} ((home{number}) (abroad{number}) (other{number})))"
    )
    head += [f"(declare-const {place} Place{number})", f"(declare-const {paid} Real)"]
    head += [f"(declare-const {signed} Bool)", f"(declare-const months{number} Int)"]
    head.append(f"(declare-const {granted} Bool)")
    limit, months = rng.choice((10, 100, 1000)), rng.choice((3, 6, 12))
    bans = [
        f"(and (> {paid} {limit}) (not {signed}))",
        f"(and (= {place} abroad{number}) (< months{number} {months}))",
    ]
    if shared:
        bans.append(f"(and common{rng.randrange(shared)} (= {place} other{number}))")
    if number > 1 and rng.random() < 0.3:
        bans.append(f"(and (not granted{number - 1}) (not {signed}))")
    for i, ban in enumerate(bans):
        body.append(f"(assert (! (=> {ban} (not {granted})) :named s{number}-ban{i}))")
    closed = f"(=> (not (or {' '.join(bans)})) {granted})"
    body.append(f"(assert (! {closed} :named s{number}-else))")
    body.append(f"(assert (! (>= {paid} 0) :named s{number}-range))")


def answers(sections: int, count: int, *, seed: int = 1) -> list[tuple[list[str], str]]:
    """Facts and a claim of each kind in turn, on sections picked at random."""
    rng = random.Random(seed)
    made = []
    for i in range(count):
        n = rng.randrange(1, sections + 1)
        dear, signed = f"(= paid{n} 5000)", f"signed{n}"
        facts = [
            [dear, f"(not {signed})"],
            [dear, signed, f"(= place{n} home{n})", f"(= months{n} 1)"],
            [f"(= place{n} abroad{n})", signed],
            [dear, f"(not {signed})", f"granted{n}"],
            [],
        ][i % 5]
        made.append((facts, f"granted{n}" if i % 2 else f"(not granted{n})"))
    return made
