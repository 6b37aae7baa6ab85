"""What a merge would bring about, worked out before anything is saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from policies.models import Policy
from policywright.hashing import rule_hash
from policywright.model import PolicyModel
from translation.merging.applying import merged_model
from translation.merging.clashes import Clashes, find_clashes
from translation.merging.duplicates import duplicates
from vetting.consequences import will_not_count
from vetting.joining import to_join
from vetting.queue import Queue
from vetting.review import ReviewState
from vetting.scenario_changes import ScenarioChanges, changed_scenarios


@dataclass(frozen=True)
class Foreseen:
    """`clashes` come first on the page; the rest are sentences."""

    clashes: Clashes
    joined: tuple[str, ...]
    approvals: tuple[str, ...]
    lost: tuple[str, ...]
    scenarios: ScenarioChanges = field(default_factory=ScenarioChanges)

    @property
    def contradicts(self) -> bool:
        return bool(self.clashes.found)


def foresee(
    policy: Policy, queue: Queue, from_id: str, into_id: str, values: Mapping[str, str]
) -> Foreseen:
    """Contradictions by the solver, rules that become one, approvals and defaults that fall.

    And the scenarios that turn out differently. No transaction may be open.
    """
    before = queue.composition.model
    merged = merged_model(before, from_id, into_id, values)
    after = merged.model
    ids = {from_id: into_id, **values}
    renamed = {uid: ids.get(end, end) for uid, end in queue.composition.canonical_uid.items()}
    gone = {drop.uid for drop, _ in to_join(after)}
    left = after.with_rules(tuple(rule for rule in after.rules if rule.id not in gone))
    then = replace(queue.composition, model=left, canonical_uid=renamed | ids)
    return Foreseen(
        find_clashes(before, after, from_id, into_id, ids),
        tuple(_joined(after)),
        tuple(_approvals(queue, after)),
        tuple(
            f"The default `{name}` could not be made any more: {why}." for name, why in merged.lost
        ),
        changed_scenarios(policy, queue.composition, then),
    )


def _joined(after: PolicyModel) -> Iterator[str]:
    for group in duplicates(after.rules):
        names = [f"`{rule.name}`" for rule in group]
        yield f"{', '.join(names[:-1])} and {names[-1]} would say the same and become one rule."


def _approvals(queue: Queue, after: PolicyModel) -> Iterator[str]:
    for uid, review in queue.rules.items():
        rule = after.rule_by_id.get(uid)
        if review.state is not ReviewState.APPROVED or rule is None:
            continue
        if rule_hash(after, rule) != review.hash:
            yield will_not_count(review, rule.name)
