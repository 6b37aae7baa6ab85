"""How much work a component may cost: so that a suite of any rules ends, and ends alike.

No clock is looked at: counted are the solver's own units, what it is told and asked, and
what is evaluated. Half is for finding cases, tier by tier, half for choosing and cutting
them.
"""

from __future__ import annotations

from dataclasses import dataclass

from policywright.scenarios.asking import Asking
from policywright.scenarios.trials import Trials

LEAST, PER_RULE, MOST = 10_000_000, 200_000, 80_000_000
"""In units of about a microsecond; rules as policies have them need less than a third."""


def work_for(rules: int) -> int:
    """What a component of so many rules may cost."""
    return min(LEAST + PER_RULE * rules, MOST)


@dataclass(frozen=True)
class Budget:
    """`most` is for one component, whose questions and evaluations are counted."""

    most: int
    asking: Asking
    trials: Trials

    @property
    def spent(self) -> int:
        return self.asking.work + self.trials.work

    @property
    def ends_search(self) -> bool:
        return 2 * self.spent >= self.most

    @property
    def is_spent(self) -> bool:
        return self.spent >= self.most
