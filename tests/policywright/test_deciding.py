"""Which facts decide an open claim, and when none does, compared with trying every case."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from policywright.evaluate import Value, holds
from policywright.findings import FindingKind, check_claim
from policywright.model import Datatype, PolicyModel, Role, Rule, Variable
from policywright.model import Value as Member
from policywright.sorts import BOOL
from policywright.terms import Literal, Term, and_, eq, implies, not_, or_

COLOURS = Datatype("D", "Colour", tuple(Member(name, name) for name in ("red", "green", "blue")))
SEEDS = 60


def test_depends_on_is_smallest_and_silent_is_certain_in_every_small_model() -> None:
    kinds = [_compare(random.Random(seed)) for seed in range(SEEDS)]
    # Both outcomes must have been met, or this shows nothing.
    assert kinds.count("silent") > 5, kinds
    assert kinds.count("depends") > 15, kinds


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_depends_on_and_silent_in_many_small_models() -> None:
    kinds = [_compare(random.Random(seed)) for seed in range(SEEDS, 1000)]
    assert kinds.count("silent") > 50


def _compare(rng: random.Random) -> str:
    model = _model(rng)
    claim = _literal(rng, [v for v in model.variables if v.role is not Role.FACT])
    finding = check_claim(model, (), claim)
    if finding.kind is not FindingKind.SATISFIABLE or not _cases(model):
        return "decided"  # or rules elsewhere clash, which is no part of the finding
    expected = _smallest(model, claim)
    assert finding.silent is (expected is None), (model, claim)
    if expected is None:
        return "silent"
    names = {v.name: v for v in model.variables}
    facts = tuple(names[name] for name in finding.depends_on)
    assert len(facts) == expected, (model, claim, finding.depends_on)
    assert _decides(model, claim, facts)
    return "depends"


def _smallest(model: PolicyModel, claim: Term) -> int | None:
    """The size of the smallest set of facts of which some values decide; None without one."""
    facts = [v for v in model.variables if v.role is Role.FACT]
    sizes = range(1, len(facts) + 1)
    return next(
        (n for n in sizes if any(_decides(model, claim, s) for s in combinations(facts, n))), None
    )


def _decides(model: PolicyModel, claim: Term, facts: tuple[Variable, ...]) -> bool:
    sides: dict[tuple[Value, ...], set[bool]] = {}
    for case in _cases(model):
        values = tuple(case[v.id] for v in facts)
        sides.setdefault(values, set()).add(holds(claim, case, model))
    return any(len(found) == 1 for found in sides.values())


def _cases(model: PolicyModel) -> list[dict[str, Value]]:
    ids = [v.id for v in model.variables]
    every = product(*(_values(v) for v in model.variables))
    cases = (dict(zip(ids, values, strict=True)) for values in every)
    return [case for case in cases if all(holds(r.term, case, model) for r in model.rules)]


def _values(variable: Variable) -> list[Value]:
    return [False, True] if variable.sort == BOOL else [m.id for m in COLOURS.values]


def _model(rng: random.Random) -> PolicyModel:
    variables = [
        Variable(f"{role.value[0]}{i}", f"{role.value[0]}{i}", rng.choice(sorts), role=role)
        for role, count in ((Role.FACT, rng.randint(2, 4)), (Role.OUTCOME, rng.randint(2, 4)))
        for i, sorts in ((i, (BOOL, BOOL, COLOURS.sort)) for i in range(count))
    ]
    rules = tuple(Rule(f"r{i}", f"r{i}", _rule(rng, variables)) for i in range(rng.randint(2, 6)))
    return PolicyModel((COLOURS,), tuple(variables), (), rules)


def _rule(rng: random.Random, variables: list[Variable]) -> Term:
    parts = [_literal(rng, variables) for _ in range(rng.randint(1, 3))]
    condition = parts[0] if len(parts) == 1 else rng.choice((and_, or_))(*parts)
    if rng.random() < 0.15:
        return not_(condition)
    if rng.random() < 0.25:  # an outcome that a rule defines
        outcomes = [v for v in variables if v.role is Role.OUTCOME and v.sort == BOOL]
        return eq(rng.choice(outcomes).symbol, condition) if outcomes else condition
    return implies(condition, _literal(rng, variables))


def _literal(rng: random.Random, variables: list[Variable]) -> Term:
    variable = rng.choice(variables)
    if variable.sort == BOOL:
        term: Term = variable.symbol
    else:
        term = eq(variable.symbol, Literal(rng.choice(COLOURS.values).id, variable.sort))
    return term if rng.random() < 0.6 else not_(term)
