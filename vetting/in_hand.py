"""The card in hand: its rule composed alone, its sentences, and those around it.

Beside the queue, which composes nothing, this is all that a page of one card reads. What
it composes is what approving composes again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, Q

from policies.approving import approvers
from policies.composing import Composition, Declared, declared_with_scopes, live_rules
from policies.composing_part import compose_alone
from policies.declared_now import declared_now
from policies.models import Policy, Rule, SectionScope, Sentence
from policies.present import sentence_hash
from policies.sources import load_pointed, slim
from translation.models import ProposedChange, Translation
from vetting.coverage import Words, words_not_carried
from vetting.models import Decision, Thread
from vetting.outline import Covered
from vetting.questions import QuestionReview, question_states
from vetting.queue import Card, Queue
from vetting.review import RuleReview, decisions_on, rule_states

# How many sentences stand around the one in hand: enough to read on, whatever the length.
AROUND = 60


@dataclass(frozen=True)
class Around:
    """The sentences around a card, from `start` to `end` in the queue's; those of its rule too."""

    start: int
    end: int
    shown: Sequence[Covered]
    present: Mapping[str, Sentence]
    words: Mapping[str, Words]


@dataclass(frozen=True)
class InHand:
    """A card with what it rests on; `row`, `review` and `decisions` are of a rule's.

    `composition` holds its rule and those that its questions speak of.
    """

    policy: Policy
    queue: Queue
    card: Card
    around: Around
    composition: Composition
    row: Rule | None = None
    review: RuleReview | None = None
    questions: Sequence[QuestionReview] = ()
    decisions: Sequence[Decision] = field(default=())

    @property
    def sentence(self) -> Sentence | None:
        """The sentence that the card stands with."""
        index = self.card.sentence
        if index is None:
            return None
        return self.around.present.get(self.queue.cover.sentences[index].lineage)

    @property
    def sentences(self) -> dict[str, Sentence]:
        """The present sentences of the rule, by lineage."""
        rule = self.queue.cover.outline.rules.get(self.card.key)
        lineages = [lineage for lineage, _ in rule.sources] if rule else []
        return {one: self.around.present[one] for one in lineages if one in self.around.present}

    @property
    def words(self) -> Words:
        """The words of the card's sentence that no rule carries."""
        sentence = self.sentence
        return self.around.words.get(sentence.lineage, ()) if sentence else ()

    @property
    def sentence_hash(self) -> str:
        sentence = self.sentence
        return sentence_hash(sentence) if sentence else ""

    @property
    def is_told(self) -> bool:
        """Whether a further translator spoke of a sentence of the rule."""
        return bool(self.row and self.row.is_told)  # type: ignore[attr-defined]

    @property
    def is_proposed(self) -> bool:
        """Whether a model ever proposed a change of the rule."""
        return bool(self.row and self.row.is_proposed)  # type: ignore[attr-defined]

    @property
    def has_threads(self) -> bool:
        """Whether anybody wrote about the rule or a sentence of it."""
        return bool(self.row and self.row.has_threads)  # type: ignore[attr-defined]

    @property
    def has_approvers(self) -> bool:
        """Whether a section of the policy names somebody who must approve."""
        return bool(self.row and self.row.has_approvers)  # type: ignore[attr-defined]

    @property
    def whole(self) -> Composition:
        """The whole draft: what was said of a case is held against all rules."""
        return self.queue.composition


def in_hand(policy: Policy, queue: Queue, card: Card) -> InHand | None:
    """None for a rule that left the draft meanwhile."""
    known = queue.cover.outline
    # With a question goes each rule whose place a reading of it would take.
    asked = known.asked_of(card.key)
    uids = {uid for one in asked for uid in (one.rule, *one.rules)}
    if card.is_rule:
        uids.add(card.key)
    else:
        assert card.sentence is not None
        uids.update(queue.cover.sentences[card.sentence].rules)
    lineages = {
        lineage for uid in uids if uid in known.rules for lineage, _ in known.rules[uid].sources
    }
    rows = _rows(policy, uids, lineages) if uids else []
    around = _around(policy, queue, card, lineages)
    declared = _declared(policy, rows)
    composition = compose_alone(policy, uids, declared, rows, around.present)
    if not card.is_rule:
        return InHand(policy, queue, card, around, composition)
    row = next((row for row in rows if row.uid == card.key), None)
    if row is None:
        return None
    questions = question_states(policy, composition, [card.key]) if asked else []
    decisions = decisions_on(policy, [card.key])
    reviews = rule_states(policy, composition, questions=questions, decisions=decisions)
    return InHand(
        policy,
        queue,
        card,
        around,
        composition,
        row,
        reviews[card.key],
        questions,
        decisions.get(card.key, ()),
    )


def _rows(policy: Policy, uids: Collection[str], lineages: Collection[str]) -> list[Rule]:
    """The rules, each with what else there is of it, so that only that is looked up."""
    told = Translation.objects.filter(unit__policy=policy, sentence__lineage__in=lineages)
    proposed = ProposedChange.objects.filter(rule=OuterRef("pk"))
    scopes = SectionScope.objects.filter(document__policy=policy, retired_at=None)
    about = Q(rule=OuterRef("pk")) | Q(lineage__in=lineages)
    threads = Thread.objects.filter(about, policy=policy)
    rows = live_rules(policy).filter(uid__in=uids)
    return list(
        rows.annotate(
            is_told=Exists(told),
            is_proposed=Exists(proposed),
            is_under_scopes=Exists(scopes),
            has_threads=Exists(threads),
            has_approvers=Exists(approvers(policy)),
        )
    )


def _declared(policy: Policy, rows: Sequence[Rule]) -> Declared:
    kept = declared_now(policy, policy.revision)
    under_scopes = any(row.is_under_scopes for row in rows)  # type: ignore[attr-defined]
    if not under_scopes:
        return Declared(kept.base, kept.merged, ())
    return declared_with_scopes(policy, kept.base, kept.merged)


def _around(policy: Policy, queue: Queue, card: Card, lineages: Collection[str]) -> Around:
    """Three queries at most: the sentences, what they lean on, and words that no rule carries."""
    every = queue.cover.sentences
    at = max(0, len(every) - 1) if card.sentence is None else card.sentence
    start, end = max(0, at - AROUND), min(len(every), at + AROUND + 1)
    shown = every[start:end]
    wanted = {one.lineage for one in shown}
    revisions = queue.cover.documents
    rows = Sentence.objects.filter(revision__in=revisions, lineage__in=wanted | set(lineages))
    present = {one.lineage: one for one in slim(rows)} if every else {}
    load_pointed(list(present.values()))
    words = words_not_carried(policy, wanted) if wanted else {}
    return Around(start, end, shown, present, words)
