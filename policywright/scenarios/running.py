"""Runs scenarios on a policy: what it finds of each, and whether that is expected.

`run_keys` names what a finding rests on: as long as the key is the same, so is the finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from policywright.findings import FindingKind, WarmChecker
from policywright.hashing import content_hash
from policywright.model import PolicyModel
from policywright.normal import canonical
from policywright.scenarios.scenario import Scenario, exact_text
from policywright.smtlib import Fact
from policywright.solver import DEFAULT_RLIMIT, compiled
from policywright.terms import TRUE, Term


@dataclass(frozen=True)
class Ran:
    """`found` is in the words of the scenario; `rules` are names, minimal and sorted.

    `holds` is None where it was not decided.
    """

    scenario: Scenario
    found: FindingKind
    rules: tuple[str, ...]

    @property
    def holds(self) -> bool | None:
        if self.found is FindingKind.UNDECIDED:
            return None
        return self.found is self.scenario.expected


def run(
    model: PolicyModel, scenarios: Iterable[Scenario], *, rlimit: int = DEFAULT_RLIMIT
) -> Iterator[Ran]:
    """The result of each scenario, in order, with kept solvers; for one thread.

    Of a scenario without a claim it is found whether its case can occur: SATISFIABLE, or
    IMPOSSIBLE. Raises KeyError for a variable that the model does not hold.
    """
    checker = WarmChecker(model, rlimit=rlimit)
    for scenario in scenarios:
        terms = scenario.fact_terms(model)
        facts = [Fact(f"fact-{number}", term) for number, term in enumerate(terms)]
        finding = checker.check(facts, TRUE if scenario.claim is None else scenario.claim)
        kind = finding.kind
        if scenario.claim is None and kind is FindingKind.VALID:
            yield Ran(scenario, FindingKind.SATISFIABLE, ())
        else:
            yield Ran(scenario, kind, finding.rules)


def run_keys(model: PolicyModel, scenarios: Iterable[Scenario]) -> list[str]:
    """Of each a content key of the case, the claim and all in the policy that they touch.

    Those are the rules connected with them, by id and as terms, and what these declare.
    What is expected is not in it. Raises KeyError for a variable that the model does not hold.
    """
    slices: dict[tuple[int, ...], str] = {}
    found = []
    for one in scenarios:
        claim = TRUE if one.claim is None else one.claim
        asked = [*one.fact_terms(model), claim]
        rules = compiled(model).slice_of(asked)
        if rules not in slices:
            slices[rules] = content_hash(_declared(model, rules, []))
        content = {
            "slice": slices[rules],
            "declared": _declared(model, (), asked),
            "facts": {uid: exact_text(value) for uid, value in one.facts.items()},
            "claim": None if one.claim is None else canonical(one.claim),
        }
        found.append(content_hash(content))
    return found


def _declared(model: PolicyModel, rules: Iterable[int], terms: Iterable[Term]) -> dict[str, Any]:
    """Rules, and the declarations of all that they and some terms read."""
    prepared = compiled(model)
    some = [model.rules[number] for number in rules]
    used = {i for term in (*(r.term for r in some), *terms) for i in prepared.symbols(term)}
    variables = [v for v in model.variables if v.id in used]
    sorts = {v.sort.key for v in variables} | {d.sort.key for d in model.definitions}
    return {
        "rules": [[r.id, canonical(r.term)] for r in some],
        "definitions": [
            [d.id, canonical(d.term)] for d in model.ordered_definitions if d.id in used
        ],
        "variables": [[v.id, v.sort.key] for v in variables],
        "datatypes": [
            [d.id, [one.id for one in d.values]] for d in model.datatypes if d.id in sorts
        ],
    }
