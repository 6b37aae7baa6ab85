"""A scenario with what it tells apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policywright.evaluate import Value
from policywright.scenarios.mutants import Mutant
from policywright.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Telling:
    """A scenario of a suite, and the mutants that it is the first to tell apart.

    `case` has a value for every variable of the component, of a large one for those near:
    what it was found as, and what it is tried as when the component is made again.
    """

    scenario: Scenario
    tier: int
    tells: tuple[Mutant, ...]
    case: Mapping[str, Value]
