"""What a change of a rule would do, worked out before anything is saved.

The draft is composed with the rule as it would be, in memory: which cases turn
out differently, and which approvals would not count any more, the rule's own and
those of the defaults that rest on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils import formats, timezone

from policies.composing import Composition
from policies.models import Policy, Rule
from policies.scoping import scoped
from policywright.defaults import generate_default
from policywright.errors import DefaultNotPossibleError
from policywright.hashing import rule_hash
from policywright.model import DefaultChoice, Kind, PolicyModel
from policywright.model import Rule as ModelRule
from policywright.terms import TRUE, Term
from vetting.edges import ComparedCase, compared_cases
from vetting.models import Verdict
from vetting.review import ReviewState, RuleReview, decision_that_counts, rule_states
from vetting.scenario_changes import ScenarioChanges, changed_scenarios

# No name of a draft's rule has a space.
_NEW = "the new rule"


@dataclass(frozen=True)
class Consequences:
    """`cases` that turn out differently, and a sentence for each approval that moves.

    `scenarios` are those in force of which the policy would say something else.
    """

    cases: tuple[ComparedCase, ...]
    approvals: tuple[str, ...]
    scenarios: ScenarioChanges = field(default_factory=ScenarioChanges)


def consequences_of_edit(
    policy: Policy, composition: Composition, rule: Rule, term: Term
) -> Consequences:
    """What another condition for a rule would do; for a broken rule there are no cases."""
    return consequences_of_edits(policy, composition, [(rule, term)])


def consequences_of_edits(
    policy: Policy,
    composition: Composition,
    edits: Sequence[tuple[Rule, Term]],
    *,
    also: Sequence[ModelRule] = (),
    gone: Collection[str] = (),
) -> Consequences:
    """What other conditions for several rules would do, all of them at once.

    `also` are rules that would be added with them; `gone` are the uids of those that would
    leave, edited to TRUE. No transaction may be open.
    """
    model = composition.model
    pairs, changed = [], []
    for row, term in edits:
        term = scoped(term, composition.scopes_of(row.uid))
        before = model.rule_by_id.get(row.uid)
        after = replace(before, term=term) if before else ModelRule(row.uid, row.name, term)
        changed.append(after)
        if before is not None:
            pairs.append((before, after))
    then = draft_with(model, [*changed, *also])
    approvals = _approvals(
        policy, composition, _hashes(model, then, [*changed, *also]), [row for row, _ in edits]
    )
    if gone:
        # With a rule go the answers about it.
        stay = [one for one in (*changed, *also) if one.id not in gone]
        then = draft_with(model, stay, gone)
    return Consequences(
        tuple(compared_cases(model, pairs)) if pairs else (),
        tuple(approvals),
        changed_scenarios(policy, composition, then),
    )


def consequences_of_rule(
    policy: Policy, composition: Composition, kind: Kind, term: Term
) -> Consequences:
    """What one more rule would do: the defaults that would rest on it ask again.

    No transaction may be open.
    """
    added = ModelRule(_NEW, _NEW, term, kind)
    then = draft_with(composition.model, [added])
    approvals = _approvals(policy, composition, _hashes(composition.model, then, [added]))
    return Consequences((), tuple(approvals), changed_scenarios(policy, composition, then))


def will_not_count(review: RuleReview, name: str) -> str:
    """A sentence for an approval, which the review must hold, that a change would void."""
    assert review.at is not None
    day = _day(review.at)
    return f"The approval that {review.by} gave `{name}` on {day} will not count."


def consequences_of_default(
    policy: Policy, composition: Composition, outcome: str, choice: DefaultChoice
) -> Consequences:
    """What another default of an outcome would do. No transaction may be open."""
    model = composition.model
    present = [rule for rule in model.rules if rule.outcome == outcome]
    default = present[0] if present else ModelRule(_NEW, _NEW, TRUE, Kind.DEFAULT)
    then = draft_with(model, [replace(default, outcome=outcome, choice=choice)])
    hashes = {uid: now for uid, now in _hashes(model, then, []).items() if uid == default.id}
    rows = list(Rule.objects.filter(policy=policy, uid=default.id, retired_at=None))
    approvals = _approvals(policy, composition, hashes, rows)
    return Consequences((), tuple(approvals), changed_scenarios(policy, composition, then))


def draft_with(
    model: PolicyModel, changed: Sequence[ModelRule], gone: Collection[str] = ()
) -> PolicyModel:
    """The model with these rules in place of those of their ids, or added, and without some.

    Defaults are made of the rules as they would be.
    """
    rules = {rule.id: rule for rule in model.rules if rule.id not in gone}
    rules |= {rule.id: rule for rule in changed}
    base = model.with_rules([rule for rule in rules.values() if rule.kind is not Kind.DEFAULT])
    defaults = [
        made
        for rule in rules.values()
        if rule.kind is Kind.DEFAULT and rule.choice is not None
        if (made := _generated(base, rule, rule.choice)) is not None
    ]
    return base.with_rules((*base.rules, *defaults)) if defaults else base


def _hashes(
    model: PolicyModel, then: PolicyModel, changed: Sequence[ModelRule]
) -> Mapping[str, str]:
    """The content hashes of the changed rules and of every default, as they would be.

    Empty of a default that could not be made any more.
    """
    defaults = {rule.id: "" for rule in model.rules if rule.kind is Kind.DEFAULT}
    uids = {rule.id for rule in changed} | defaults.keys()
    return defaults | {rule.id: rule_hash(then, rule) for rule in then.rules if rule.id in uids}


def _generated(model: PolicyModel, default: ModelRule, choice: DefaultChoice) -> ModelRule | None:
    """The default as the rules would make it; None where none could be made."""
    try:
        made = generate_default(model, default.outcome, choice)
    except DefaultNotPossibleError:
        return None
    term = TRUE if choice is DefaultChoice.OPEN else made.term
    return replace(default, term=term, choice=choice, rests_on=made.rests_on)


def _approvals(
    policy: Policy,
    composition: Composition,
    hashes: Mapping[str, str],
    edited: Sequence[Rule] = (),
) -> Iterator[str]:
    names = {rule.id: rule.name for rule in composition.model.rules}
    own = {row.uid for row in edited}
    for uid, review in rule_states(policy, composition).items():
        approved = review.state is ReviewState.APPROVED and uid in hashes
        if not approved or review.at is None or hashes[uid] == review.hash:
            continue
        day = _day(review.at)
        if uid in own and len(own) == 1:
            yield (
                f"The approval that {review.by} gave on {day} will not count: the rule waits again."
            )
        elif uid in own:
            yield will_not_count(review, names[uid])
        else:
            rule = "this rule" if len(own) < 2 else "one of these rules"
            yield (
                f"The default `{names[uid]}` rests on {rule}: the approval that {review.by} "
                f"gave it on {day} will not count either."
            )
    for row in edited:
        yield from _given_back(row, hashes.get(row.uid, ""))


def _given_back(rule: Rule, new_hash: str) -> Iterator[str]:
    """A change undone gives an approval back."""
    decision = decision_that_counts(rule.decisions.select_related("by"), new_hash)
    if decision is not None and decision.verdict == Verdict.APPROVE:
        day = _day(decision.at)
        yield f"{decision.by} approved this very rule on {day}: that approval counts again."


def _day(at: datetime) -> str:
    return str(formats.date_format(timezone.localtime(at), "j F Y"))
