"""What a new revision means for the rules: which lost their approval, and why.

Nothing is stored for it. Sentences are compared, and rules stand where they stand by
their present content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from policies.comparing import ChangedSentence, compare_with_former
from policies.composing import Composition, compose
from policies.models import DocumentRevision, Policy, RuleSource, Sentence
from policywright.english import render_rule
from vetting.review import ReviewState, RuleReview, rule_states


@dataclass(frozen=True)
class RuleLine:
    """A rule as it stands now; `why` says what its approval rested on, where it lapsed."""

    uid: str
    name: str
    english: str
    state: ReviewState
    why: tuple[str, ...]


@dataclass(frozen=True)
class ChangedLine:
    """A sentence that changed, and the rules that come from it."""

    change: ChangedSentence
    rules: tuple[RuleLine, ...]


@dataclass(frozen=True)
class SentenceLine:
    """A sentence that was added or removed, and the rules that come from it."""

    sentence: Sentence
    rules: tuple[RuleLine, ...]


@dataclass(frozen=True)
class WhatChanged:
    """`elsewhere` are rules that lost their approval though their sentences stand as before:
    a title above them changed, or what they point to."""

    former: int
    same: int
    moved: int
    changed: tuple[ChangedLine, ...]
    added: tuple[SentenceLine, ...]
    removed: tuple[SentenceLine, ...]
    elsewhere: tuple[RuleLine, ...]

    @property
    def lapsed(self) -> tuple[RuleLine, ...]:
        """Each rule that has lost its approval, once, in the order of this page."""
        rules = [rule for line in self.changed for rule in line.rules]
        rules += [rule for line in self.removed for rule in line.rules]
        found = {rule.uid: rule for rule in [*rules, *self.elsewhere]}
        return tuple(rule for rule in found.values() if rule.state is ReviewState.LAPSED)


def what_changed(policy: Policy, revision: DocumentRevision) -> WhatChanged | None:
    """What a revision changed; None for the first one. About twenty queries.

    Rules are those of the present draft: of an older revision, too.
    """
    found = compare_with_former(revision)
    if found is None:
        return None
    composition = compose(policy)
    rules = _Rules(policy, composition, rule_states(policy, composition))
    changed = tuple(ChangedLine(one, rules.of(one.new, one.old)) for one in found.changed)
    removed = tuple(SentenceLine(one, rules.of(one)) for one in found.removed)
    shown = {rule.uid for line in changed for rule in line.rules}
    shown |= {rule.uid for line in removed for rule in line.rules}
    return WhatChanged(
        former=found.former.number,
        same=found.same,
        moved=len(found.moved),
        changed=changed,
        added=tuple(SentenceLine(one, rules.of(one)) for one in found.added),
        removed=removed,
        elsewhere=rules.lapsed_but(shown, revision),
    )


class _Rules:
    """The live rules by the lineages that they come from."""

    def __init__(
        self, policy: Policy, composition: Composition, reviews: dict[str, RuleReview]
    ) -> None:
        self._composition, self._reviews = composition, reviews
        self._of: dict[str, list[tuple[str, str]]] = {}
        rows = RuleSource.objects.filter(rule__policy=policy, rule__retired_at=None)
        order = ("rule__position", "rule")
        for lineage, uid, name in rows.order_by(*order).values_list(
            "lineage", "rule__uid", "rule__name"
        ):
            self._of.setdefault(lineage, []).append((uid, name))

    def of(self, *sentences: Sentence) -> tuple[RuleLine, ...]:
        return self._lines(sentence.lineage for sentence in sentences)

    def lapsed_but(self, shown: set[str], revision: DocumentRevision) -> tuple[RuleLine, ...]:
        own = revision.sentences.order_by("ordinal").values_list("lineage", flat=True)
        lines = self._lines(lineage for lineage in own if lineage in self._of)
        return tuple(
            line for line in lines if line.state is ReviewState.LAPSED and line.uid not in shown
        )

    def _lines(self, lineages: Iterable[str]) -> tuple[RuleLine, ...]:
        found = dict(rule for lineage in lineages for rule in self._of.get(lineage, ()))
        return tuple(self._line(uid, name) for uid, name in found.items() if uid in self._reviews)

    def _line(self, uid: str, name: str) -> RuleLine:
        review, model = self._reviews[uid], self._composition.model
        rule = model.rule_by_id.get(uid)
        english = render_rule(model, rule) if rule is not None else ""
        why: Sequence[str] = review.why if review.state is ReviewState.LAPSED else ()
        return RuleLine(uid, name, english, review.state, tuple(why))
