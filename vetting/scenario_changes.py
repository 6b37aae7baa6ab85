"""Which scenarios would turn out differently by a change, told before it is accepted.

The draft as it would be is asked beside the draft as it is. What was found is kept by
content, so once the change is accepted nothing need be asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.db.models import Max

from policies.composing import Composition
from policies.models import Policy
from policywright.findings import FindingKind
from policywright.hashing import content_hash
from policywright.model import PolicyModel
from policywright.scenarios import say_said
from vetting.models import Scenario, ScenarioWithdrawal
from vetting.scenario_runs import Ran, run_asked, touched
from vetting.scenarios import SAID, InForce, Prepared, Result, prepare, scenarios_in_force

# A person waits for the page.
SECONDS = 4.0

_NO_RULE = "it is not asked any more: its rule leaves the draft"


@dataclass(frozen=True)
class ChangedScenario:
    """A case, what a person `said` of it, what the policy says `before` and would say `after`.

    `holds` says whether the change would agree with the person.
    """

    english: str
    said: str
    before: str
    after: str
    holds: bool
    uid: str = ""


@dataclass(frozen=True)
class ScenarioChanges:
    """Those that turn out differently; `not_run` were not told in time.

    `stamp` is that of the draft and of people's words on cases when this was asked.
    """

    changed: tuple[ChangedScenario, ...] = ()
    not_run: int = 0
    stamp: str = field(default="", compare=False)

    @property
    def any(self) -> bool:
        return bool(self.changed or self.not_run)

    @property
    def token(self) -> str:
        """Which turn, and into what."""
        return content_hash(sorted([one.uid, one.after] for one in self.changed))

    @property
    def seen(self) -> str:
        """For the form of a page that shows these; see `vetting.foretelling.check_seen`."""
        return f"{self.stamp} {self.token}"


def changed_scenarios(
    policy: Policy,
    composition: Composition,
    after: PolicyModel | Composition,
    *,
    seconds: float = SECONDS,
    found: Sequence[InForce] | None = None,
) -> ScenarioChanges:
    """What a change of the draft to `after` would do to the scenarios in force.

    Only those are asked about that the change reaches. No transaction may be open.
    """
    stamp = scenario_stamp(policy)
    if found is None:
        found = scenarios_in_force(policy, composition)
    if not found:
        return ScenarioChanges(stamp=stamp)
    then = after if isinstance(after, Composition) else replace(composition, model=after)
    _, old = prepare(found, composition)
    unfit, new = prepare(found, then)
    sides = (("before", old), ("after", new))
    reached = touched(
        {uid: one.asked for uid, one in old.items()}, {uid: one.asked for uid, one in new.items()}
    )
    pairs = {(side, uid): one[uid].asked for uid in reached for side, one in sides}
    told = run_asked(policy, pairs, seconds=seconds)
    changed, not_run = [], 0
    asked = set(reached)
    for one in found:
        uid = one.scenario.uid
        if has_lost_rule(one, then):
            changed.append(_leaves(one, _NO_RULE))
        elif uid in unfit and uid in old:
            changed.append(_leaves(one, unfit[uid].why))
        elif uid in asked:
            before, ran = told.get(("before", uid)), told.get(("after", uid))
            if before is None or ran is None:
                not_run += 1
            elif before.finding is not ran.finding:
                changed.append(_changed(one, old[uid], new[uid], before, ran))
    return ScenarioChanges(tuple(changed), not_run, stamp)


def has_lost_rule(one: InForce, composition: Composition) -> bool:
    """Whether the rule that its question is about is not in the draft any more."""
    if one.question is None:
        return False
    return one.rule not in composition.model.rule_by_id and one.rule not in composition.broken


def scenario_stamp(policy: Policy) -> str:
    """Another one wherever what a change turns may be another; three queries."""
    revision = Policy.objects.values_list("revision", flat=True).get(pk=policy.pk)
    rows = Scenario.objects.filter(policy=policy)
    gone = ScenarioWithdrawal.objects.filter(scenario__policy=policy)
    last = [found.aggregate(last=Max("pk"))["last"] or 0 for found in (rows, gone)]
    return ".".join(map(str, [revision, *last]))


def _changed(
    one: InForce, old: Prepared, new: Prepared, before: Ran, after: Ran
) -> ChangedScenario:
    return ChangedScenario(
        one.scenario.english,
        SAID[old.expected.expected],
        _say(old, before),
        _say(new, after),
        new.run(after).result is Result.HOLDS,
        one.scenario.uid,
    )


def _leaves(one: InForce, why: str) -> ChangedScenario:
    said = SAID[FindingKind(one.scenario.expected)]
    return ChangedScenario(one.scenario.english, said, "as it is", why, False, one.scenario.uid)


def _say(prepared: Prepared, ran: Ran) -> str:
    if ran.finding is FindingKind.UNDECIDED:
        return "the solver did not decide it"
    return say_said(prepared.asked.model, prepared.expected.claim, ran.finding)
