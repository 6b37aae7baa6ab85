"""How far the answers to the suite's cases are, by tier, for pages that show more than that.

It is of the whole draft, composed: worked out once for each state of what it rests on.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, Max

from policies.composing import compose
from policies.models import Policy
from policywright.scenarios.edits import TIERS
from vetting.cases_answered import CaseState, case_states
from vetting.models import Scenario, ScenarioRun, ScenarioWithdrawal, SuitePart, SuiteReport
from vetting.suites import suite_now


class TierNow(NamedTuple):
    """A tier from 1 on. It is made once every part of it is; its cases may be fewer before.

    Cases that are in none of the three are not decided by the solver.
    """

    number: int
    is_made: bool
    cases: int = 0
    agreeing: int = 0
    disagreeing: int = 0
    unanswered: int = 0

    @property
    def is_done(self) -> bool:
        return self.is_made and self.agreeing == self.cases


class _Stamp(NamedTuple):
    """While it stays, the tiers do; `made` tells a policy from one whose id it has."""

    policy: int
    made: datetime
    revision: int
    reported: datetime
    parts: int
    part: int | None
    scenario: int | None
    withdrawal: int | None
    run: int | None


def tiers_now(policy: Policy) -> tuple[TierNow, ...]:
    """Every tier there is; one query where no suite was ever made, else five."""
    reports = SuiteReport.objects.filter(policy=policy, tiers__gt=0)
    reported = reports.aggregate(Max("at"))["at__max"]
    if reported is None:
        return tuple(TierNow(number, is_made=False) for number in range(1, len(TIERS) + 1))
    parts = SuitePart.objects.filter(policy=policy).aggregate(count=Count("pk"), last=Max("pk"))
    own = {"scenario__policy": policy}
    stamp = _Stamp(
        policy.pk,
        policy.created_at,
        policy.revision,
        reported,
        parts["count"],
        parts["last"],
        Scenario.objects.filter(policy=policy).aggregate(Max("pk"))["pk__max"],
        ScenarioWithdrawal.objects.filter(**own).aggregate(Max("pk"))["pk__max"],
        ScenarioRun.objects.filter(policy=policy).aggregate(Max("pk"))["pk__max"],
    )
    # Within a transaction what is kept might be rolled back.
    told = _tiers.__wrapped__ if connection.in_atomic_block else _tiers
    return told(stamp)


@lru_cache(maxsize=32)
def _tiers(stamp: _Stamp) -> tuple[TierNow, ...]:
    policy = Policy.objects.get(pk=stamp.policy)
    composition = compose(policy)
    suite = suite_now(policy, composition)
    found: dict[int, list[CaseState]] = {}
    for one in case_states(policy, composition, suite).values():
        found.setdefault(one.case.tier + 1, []).append(one.state)
    return tuple(
        TierNow(
            number,
            number <= suite.tiers_made,
            len(found.get(number, ())),
            found.get(number, []).count(CaseState.AGREED),
            found.get(number, []).count(CaseState.DISAGREES),
            found.get(number, []).count(CaseState.NEW),
        )
        for number in range(1, len(TIERS) + 1)
    )
