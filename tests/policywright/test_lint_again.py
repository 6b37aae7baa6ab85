"""After an edit only what it reaches is asked about, and the report is that of a whole run."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.made import made
from policywright.lint import Report, lint
from policywright.lint.joining import joined, known_keys
from policywright.lint.parts import parts_of
from policywright.lint.telling import report_to_json
from policywright.linting import lint_apart
from policywright.model import DefaultChoice, Kind, Phrases, PolicyModel, Role, Rule, Value
from policywright.modeljson import model_to_json
from policywright.smtlib import read
from policywright.sorts import BOOL
from policywright.terms import TRUE, Term, and_, eq, ge, implies, integer, not_, real
from tests.policywright.generated import models
from tests.policywright.shared import shared

RLIMIT = 200_000
slow_draws = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def rules_changed(model: PolicyModel, rng: random.Random) -> PolicyModel:
    number = rng.randrange(len(model.rules))
    rule, other = model.rules[number], rng.choice(model.rules)
    terms: list[Callable[[], Term]] = [
        lambda: not_(rule.term),
        lambda: implies(other.term, rule.term),
        lambda: and_(rule.term, rule.term),
        lambda: other.term,
    ]
    changed = replace(rule, term=rng.choice(terms)())
    return model.with_rules([*model.rules[:number], changed, *model.rules[number + 1 :]])


def rule_left_out(model: PolicyModel, rng: random.Random) -> PolicyModel:
    number = rng.randrange(len(model.rules))
    if len(model.rules) < 2:
        return model
    return model.with_rules([*model.rules[:number], *model.rules[number + 1 :]])


def rule_added(model: PolicyModel, rng: random.Random) -> PolicyModel:
    """Anywhere; an assumption under the very name that a fix of lint would give it."""
    variable = rng.choice(model.variables)
    name, kind = f"added-{len(model.rules)}", Kind.RULE
    term: Term = implies(rng.choice(model.rules).term, not_(rng.choice(model.rules).term))
    if variable.sort.is_number:
        name, kind = f"range-{variable.name}", Kind.ASSUMPTION
        zero = integer(0) if variable.sort.key == "Int" else real(0)
        term = ge(variable.symbol, zero)
    elif variable.sort == BOOL and variable.role is Role.OUTCOME:
        kind, term = Kind.DEFAULT, TRUE
    if any(name == rule.name for rule in model.rules):
        return model
    choice = DefaultChoice.OPEN if kind is Kind.DEFAULT else None
    outcome = variable.id if choice else ""
    rule = Rule(name, name, term, kind, outcome=outcome, choice=choice)
    at = rng.randrange(len(model.rules) + 1)
    return model.with_rules([*model.rules[:at], rule, *model.rules[at:]])


def variable_changed(model: PolicyModel, rng: random.Random) -> PolicyModel:
    number = rng.randrange(len(model.variables))
    variable, other = model.variables[number], rng.choice(model.variables)
    changes: list[dict[str, Any]] = [
        {"unit": rng.choice(["EUR", "days", "share", ""])},
        {"role": rng.choice(list(Role))},
        {"role_guessed": not variable.role_guessed},
        {"phrases": Phrases("the card is shown and a thing is so", "")},
        {"phrases": Phrases(other.phrases.text or "the thing", "")},
        {"name": f"renamed-{variable.name}"},
    ]
    changed = replace(variable, **rng.choice(changes))
    before, behind = model.variables[:number], model.variables[number + 1 :]
    return replace(model, variables=(*before, changed, *behind))


def value_added(model: PolicyModel, rng: random.Random) -> PolicyModel:
    if not model.datatypes:
        return model
    number = rng.randrange(len(model.datatypes))
    one = model.datatypes[number]
    name = f"more{len(one.values)}-{one.name}"
    more = replace(one, values=(*one.values, Value(name, name, "something more")))
    return replace(
        model, datatypes=(*model.datatypes[:number], more, *model.datatypes[number + 1 :])
    )


EDITS = (rules_changed, rule_left_out, rule_added, variable_changed, value_added)


class Kept:
    """What was kept of the last report, in memory and as a server keeps it."""

    def __init__(self) -> None:
        self.report: Report | None = None
        self.told: dict[str, Any] = {}

    def check(
        self, model: PolicyModel, ranks: Mapping[str, int], complete: Sequence[str] = ()
    ) -> Report:
        """Ask only what is new, and compare all that is said with a run over everything."""
        known = self.report.parts if self.report else {}
        again = lint(model, rlimit=RLIMIT, known=known, ranks=ranks, complete=complete)
        whole = lint(model, rlimit=RLIMIT, ranks=ranks, complete=complete)
        assert again.diagnostics == whole.diagnostics
        assert (again.limits, again.questions) == (whole.limits, whole.questions)
        keys = known_keys(self.told)
        assert keys == list(known)
        answer = json.loads(json.dumps(report_to_json(model, again, keys)))
        everything = json.loads(json.dumps(report_to_json(model, whole)))
        self.report, self.told = again, joined(answer, self.told)
        assert self.told == joined(everything, {})
        assert [one["code"] for one in self.told["diagnostics"]] == [
            one.code for one in whole.diagnostics
        ]
        return again


def edit_and_compare(model: PolicyModel, seed: int, edits: int) -> list[frozenset[str]]:
    """The rules that were asked about after each edit."""
    rng, kept = random.Random(seed), Kept()
    ranks = {source.document: 1 for rule in model.rules for source in rule.sources}
    kept.check(model, ranks)
    asked = []
    for _ in range(edits):
        model = rng.choice(EDITS)(model, rng)
        if rng.random() < 0.2:
            ranks = {title: rng.randrange(1, 3) for title in ranks}
        complete = [one.id for one in model.datatypes if rng.random() < 0.3]
        asked.append(kept.check(model, ranks, complete).looked_at)
    return asked


@slow_draws
@given(models(), st.integers(0, 2**32))
def test_any_edits_of_made_policies_give_the_report_of_a_whole_run(
    model: PolicyModel, seed: int
) -> None:
    edit_and_compare(model, seed, 3)


@pytest.mark.parametrize("seed", [1, 2])
def test_any_edits_of_a_policy_of_sections_give_the_report_of_a_whole_run(seed: int) -> None:
    model = made(30, 0)
    asked = edit_and_compare(model, seed, 3)
    assert all(len(one) < len(model.rules) for one in asked)


@pytest.mark.parametrize("name", ["airline-refund-unvetted", "park"])
def test_any_edits_of_a_gold_policy_give_the_report_of_a_whole_run(name: str) -> None:
    text = shared("corpus", "gold", f"{name}.smt2").read_text(encoding="utf-8")
    edit_and_compare(read(text), 1, 8)


def test_each_rule_is_in_one_part_with_all_that_it_reads() -> None:
    model = made(60, 0)
    parts = list(parts_of(model, {}))
    assert sorted(n for part in parts for n in part.numbers) == list(range(len(model.rules)))
    assert len(parts) > 3
    for part in parts:
        assert [rule.id for rule in part.model.rules] == [
            model.rules[number].id for number in part.numbers
        ]
        for variable in part.model.variables:
            assert variable is model.variable_by_id[variable.id]


def test_a_rank_asks_again_only_about_rules_of_ranked_documents() -> None:
    model = made(50, 0)
    sources = [replace(source, document="Law") for source in model.rules[0].sources]
    model = model.with_rules([replace(model.rules[0], sources=tuple(sources)), *model.rules[1:]])
    before = lint(model, ranks={"Handbook": 2})
    after = lint(model, known=before.parts, ranks={"Handbook": 2, "Law": 1})
    assert model.rules[0].id in after.looked_at
    assert len(after.looked_at) < len(model.rules)
    assert lint(model, known=before.parts, ranks={"Handbook": 2, "Other": 1}).looked_at == set()


def test_the_process_is_asked_only_what_is_new_and_tells_the_whole() -> None:
    model = made(50, 0)
    request = {"model": model_to_json(model), "complete": [], "ranks": {}}
    first = lint_apart(request)
    assert lint_apart(request, kept=first) == first
    rules = [replace(model.rules[3], term=eq(model.rules[3].term, TRUE)), *model.rules[4:]]
    edited = model.with_rules([*model.rules[:3], *rules])
    changed = {**request, "model": model_to_json(edited)}
    again = lint_apart(changed, kept=first)
    assert lint_apart(changed, kept={**first, "checks": ["of another release"]}) == again
    assert again == lint_apart(changed)
    assert 0 < len(set(known_keys(again)) - set(known_keys(first))) < 3
