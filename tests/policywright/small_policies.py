"""Small policies made by a seed: conditions on a few facts, one outcome that leads to another."""

from __future__ import annotations

import random

from policywright.model import PolicyModel
from policywright.smtlib import read

DECLARED = """(declare-datatype Place ((home) (abroad) (other)))
; variable: {"role": "fact", "unit": "days"}
(declare-const notice Int)
; variable: {"role": "fact", "unit": "EUR"}
(declare-const cost Real)
; variable: {"role": "fact"}
(declare-const signed Bool)
; variable: {"role": "fact"}
(declare-const late Bool)
; variable: {"role": "fact"}
(declare-const place Place)
; variable: {"role": "outcome"}
(declare-const approved Bool)
; variable: {"role": "outcome"}
(declare-const booked Bool)
"""


def small_policy(seed: int) -> PolicyModel:
    """Two to four rules; it may contradict itself."""
    chance = random.Random(seed)
    rules = [_rule(chance, "approved")]
    if chance.random() < 0.5:
        rules.append(_rule(chance, "approved"))
    onwards = ["(=> approved booked)", "(= booked approved)"]
    onwards += [f"(=> (and approved {_atom(chance)}) booked)", _rule(chance, "booked")]
    rules.append(chance.choice(onwards))
    if chance.random() < 0.4:
        rules.append("(>= notice 0)")
    return read(DECLARED + "".join(f"(assert (! {r} :named r{i}))" for i, r in enumerate(rules)))


def _rule(chance: random.Random, outcome: str) -> str:
    condition = _condition(chance)
    forms = [f"(=> {condition} {outcome})", f"(=> {condition} (not {outcome}))"]
    forms += [f"(= {outcome} {condition})", f"(=> {outcome} {condition})"]
    forms.append(f"(=> {_atom(chance)} (= {outcome} {condition}))")
    return chance.choice(forms)


def _condition(chance: random.Random) -> str:
    atoms = chance.sample(_atoms(chance), chance.randint(1, 3))
    return atoms[0] if len(atoms) == 1 else f"({chance.choice(['and', 'or'])} {' '.join(atoms)})"


def _atom(chance: random.Random) -> str:
    return chance.choice(_atoms(chance))


def _atoms(chance: random.Random) -> list[str]:
    """One of each fact: a condition that says a thing twice is a slip of another kind."""
    order = chance.choice(["<", "<=", ">", ">="])
    atoms = [chance.choice(["signed", "(not signed)"]), "late"]
    atoms.append(f"({order} notice {chance.choice([3, 5])})")
    atoms.append(f"({order} cost {chance.choice(['100.0', '0.5'])})")
    atoms.append(f"(= place {chance.choice(['home', 'abroad', 'other'])})")
    return atoms
