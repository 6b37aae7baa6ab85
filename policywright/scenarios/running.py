"""Runs scenarios on a policy: what it finds of each, and whether that is expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from policywright.findings import FindingKind, WarmChecker
from policywright.model import PolicyModel
from policywright.scenarios.scenario import Scenario
from policywright.smtlib import Fact
from policywright.solver import DEFAULT_RLIMIT
from policywright.terms import TRUE


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
