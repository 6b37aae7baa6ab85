"""What an act would do to the scenarios in force: it is done, looked at and taken back.

For acts whose draft afterwards nobody works out in memory: a rule that leaves, an answer, a
default, another sort. What it would refuse it refuses here too; nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from policies.composing import Composition, compose
from policies.models import Policy
from vetting.models import Scenario
from vetting.refusals import NotSeenError
from vetting.scenario_changes import (
    ScenarioChanges,
    changed_scenarios,
    has_lost_rule,
    scenario_stamp,
)
from vetting.scenarios import scenarios_in_force

UNSEEN = "what comes of this is not what you were shown: read it as it is now, then do it."


def check_seen(policy: Policy, seen: str, act: Callable[[], object]) -> None:
    """NotSeenError where `act` turns scenarios otherwise than the page showed.

    `seen` is `ScenarioChanges.seen` of what it showed: as long as nothing moved nothing is
    asked. Raises what `act` raises. No transaction may be open.
    """
    stamp, _, token = seen.partition(" ")
    if stamp == scenario_stamp(policy):
        return
    changes = foretell(policy, act)
    if changes.any and changes.token != token:
        raise NotSeenError(UNSEEN)


def foretell(policy: Policy, act: Callable[[], object]) -> ScenarioChanges:
    """The scenarios that would turn out differently by `act`, which changes rows of the draft.

    Raises what `act` raises. No transaction may be open.
    """
    if not Scenario.objects.filter(policy=policy).exists():
        return ScenarioChanges()
    before = compose(policy)
    found = scenarios_in_force(policy, before)
    after, stay = _tried(policy, act)
    # Who answers a question anew takes the first answer back, and knows it.
    found = [one for one in found if one.scenario.uid in stay or has_lost_rule(one, after)]
    return changed_scenarios(policy, before, after, found=found)


def _tried(policy: Policy, act: Callable[[], object]) -> tuple[Composition, set[str]]:
    revision = policy.revision
    try:
        with transaction.atomic():
            act()
            after = compose(policy)
            stay = {one.scenario.uid for one in scenarios_in_force(policy, after)}
            transaction.set_rollback(True)
    finally:
        policy.revision = revision
    return after, stay
