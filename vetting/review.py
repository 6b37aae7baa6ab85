"""Where each rule stands, derived from the decisions and the present content; never stored.

A rule's state is the latest decision whose hash is the present hash. So a change
voids an approval however it came about, and a change undone gives it back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from policies.approving import (
    NOTHING,
    Approver,
    Missing,
    asks_second_person,
    authors_of,
    missing,
    required_of,
)
from policies.composing import Composition
from policies.models import Policy, Rule, User
from vetting.changes import Names, changes, declared_content, symbol_changes
from vetting.models import Decision, Verdict
from vetting.questions import QuestionReview, question_states


class ReviewState(StrEnum):
    """The words that the pages show."""

    WAITING = "waiting"
    APPROVED = "approved"
    NOT_ENOUGH = "needs another person"
    REJECTED = "rejected"
    QUESTION_OPEN = "question open"
    BROKEN = "broken"
    LAPSED = "lapsed"


@dataclass(frozen=True)
class RuleReview:
    """One live rule as it stands.

    `hash` is the present content hash, for the form (empty for a broken rule).
    `decision` is the one that counts, or for a lapsed rule the approval that does
    not count any more; `why` says, a sentence each, what changed since then.
    `problem` is what is wrong with a broken rule. `approvals` are those of the present
    content that nobody took back since, `missing` what they lack where they are not enough.
    """

    uid: str
    state: ReviewState
    hash: str
    decision: Decision | None = None
    why: tuple[str, ...] = ()
    problem: str = ""
    questions: tuple[QuestionReview, ...] = ()
    approvals: tuple[Decision, ...] = ()
    missing: Missing = NOTHING

    @property
    def by(self) -> User | None:
        return self.decision.by if self.decision else None

    @property
    def at(self) -> datetime | None:
        return self.decision.at if self.decision else None


def rule_states(
    policy: Policy,
    composition: Composition,
    *,
    some: bool = False,
    questions: Sequence[QuestionReview] | None = None,
    decisions: Mapping[str, Sequence[Decision]] | None = None,
) -> dict[str, RuleReview]:
    """Each live rule of the composition by uid, in the draft's order; five queries at most.

    `some` says that the composition holds a few rules only: then only theirs is read.
    `questions` is what `question_states` gave and `decisions` what `decisions_on` did, if
    the caller has them already.
    """
    uids = [rule.id for rule in composition.model.rules] + list(composition.broken)
    only = uids if some else None
    decisions = decisions_on(policy, only) if decisions is None else decisions
    asked = question_states(policy, composition, only) if questions is None else questions
    waits_for: dict[str, list[QuestionReview]] = {}
    for question in asked:
        for uid in question.rules if question.is_open else ():
            waits_for.setdefault(uid, []).append(question)
    reviews = {
        uid: _review(uid, composition, decisions.get(uid, []), tuple(waits_for.get(uid, ())))
        for uid in uids
    }
    reviews |= _not_enough(policy, reviews, only)
    return _with_reasons(policy, reviews, composition)


def decision_that_counts(decisions: Iterable[Decision], present_hash: str) -> Decision | None:
    """The latest decision on that very content; a broken rule's empty hash has none."""
    found = [one for one in decisions if present_hash and one.content_hash == present_hash]
    return max(found, key=lambda one: one.pk, default=None)


def approvals_that_count(decisions: Iterable[Decision], present_hash: str) -> tuple[Decision, ...]:
    """The approvals of that very content since somebody said otherwise of it; oldest first."""
    found: list[Decision] = []
    for one in sorted(decisions, key=lambda one: one.pk):
        if present_hash and one.content_hash == present_hash:
            found = [*found, one] if one.verdict == Verdict.APPROVE else []
    return tuple(found)


class Enough:
    """What the approvals of a policy's rules lack; what it rests on is asked once, if at all."""

    def __init__(self, policy: Policy, only: Collection[str] | None = None) -> None:
        self._policy, self._only = policy, only

    def missing(
        self, uid: str, approved: Collection[Approver], authors: Collection[int]
    ) -> Missing:
        required = self.required.get(uid, frozenset())
        found = missing(approved, authors, required, asks_second=True)
        if found.second and not self.asks_second:
            return Missing(False, found.people)
        return found

    @cached_property
    def required(self) -> dict[str, frozenset[int]]:
        return required_of(self._policy, self._only)

    @cached_property
    def asks_second(self) -> bool:
        return asks_second_person(self._policy)


def approver(decision: Decision) -> Approver:
    return decision.by_id, decision.on_behalf_of_id


def _not_enough(
    policy: Policy, reviews: Mapping[str, RuleReview], only: Collection[str] | None
) -> dict[str, RuleReview]:
    """The reviews of approved rules whose approvals are not enough."""
    enough, found = Enough(policy, only), {}
    for uid, review in reviews.items():
        if review.state is not ReviewState.APPROVED:
            continue
        rule = review.approvals[-1].rule
        authors = authors_of(rule.author_id, rule.changed_by_id)
        lacks = enough.missing(uid, [approver(one) for one in review.approvals], authors)
        if lacks:
            found[uid] = replace(review, state=ReviewState.NOT_ENOUGH, missing=lacks)
    return found


def lapsed_approval(decisions: Iterable[Decision], present_hash: str) -> Decision | None:
    """The latest approval of another content that nobody took back there."""
    last: dict[str, Decision] = {}
    for decision in decisions:
        last[decision.content_hash] = decision
    approvals = [
        one
        for one in last.values()
        if one.verdict == Verdict.APPROVE and one.content_hash != present_hash
    ]
    return max(approvals, key=lambda one: one.pk, default=None)


def _review(
    uid: str,
    composition: Composition,
    decisions: Sequence[Decision],
    questions: tuple[QuestionReview, ...],
) -> RuleReview:
    present = composition.hashes.get(uid, "")
    counts = decision_that_counts(decisions, present)
    lapsed = lapsed_approval(decisions, present)
    if uid in composition.broken:
        problem = composition.broken[uid]
        return RuleReview(uid, ReviewState.BROKEN, "", lapsed, (), problem, questions)
    state, decision = ReviewState.WAITING, counts
    if questions:
        state = ReviewState.QUESTION_OPEN
    elif counts is not None and counts.verdict == Verdict.APPROVE:
        state = ReviewState.APPROVED
    elif counts is not None and counts.verdict == Verdict.REJECT:
        state = ReviewState.REJECTED
    elif counts is None and lapsed is not None:
        state, decision = ReviewState.LAPSED, lapsed
    approvals = approvals_that_count(decisions, present)
    return RuleReview(uid, state, present, decision, (), "", questions, approvals)


def decisions_on(policy: Policy, only: Collection[str] | None) -> dict[str, list[Decision]]:
    """Decisions on live rules by uid, oldest first, without their long texts; one query."""
    found: dict[str, list[Decision]] = {}
    rows = Decision.objects.filter(policy=policy, rule__retired_at=None).order_by("pk")
    if only is not None:
        rows = rows.filter(rule__uid__in=only)
    for decision in rows.select_related("by", "on_behalf_of", "rule").defer(
        "content", "english", "rule__term"
    ):
        found.setdefault(decision.rule.uid, []).append(decision)
    return found


def _with_reasons(
    policy: Policy, reviews: dict[str, RuleReview], composition: Composition
) -> dict[str, RuleReview]:
    """The reviews, those whose approval does not count any more with what changed."""
    lapsed = {
        review.decision.pk: review
        for review in reviews.values()
        if review.decision is not None and review.decision.content_hash != review.hash
    }
    if not lapsed:
        return reviews
    rules = Rule.objects.filter(policy=policy).values_list("uid", "name")
    names = Names(composition.model, dict(rules))
    contents = Decision.objects.filter(pk__in=lapsed).values_list("pk", "content")
    explained = {
        lapsed[pk].uid: replace(lapsed[pk], why=_why(lapsed[pk], content, composition, names))
        for pk, content in contents
    }
    return reviews | explained


def _why(
    review: RuleReview, old: Mapping[str, Any], composition: Composition, names: Names
) -> tuple[str, ...]:
    if review.state is ReviewState.BROKEN:
        present = declared_content(composition.model, list(old.get("symbols", ())))
        return tuple(symbol_changes(old, present, names)) if present else ()
    new = composition.contents[review.uid]
    return tuple(changes(old, new, names)) or ("Its content is not the one that was approved.",)
