"""What became of each sentence of the present text: nothing in a document is lost.

Derived like the state of a rule, from the rules that come from the sentence, what
a person said of it, and what the formalizer said. In this order: a rule with an
open question or one that waits; what a person said; approved rules; what the
formalizer could not do; nothing yet. A mark on a sentence whose rules are
approved is about the rest of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from policies.composing import Composition
from policies.models import Policy, Rule, RuleSource, Sentence, Statement
from policies.models.draft import StatementState
from policies.present import present_sentences, sentence_hash
from vetting.marks import mark_that_counts
from vetting.models import Decision, MarkKind, SentenceMark, Verdict
from vetting.review import ReviewState, RuleReview, rule_states


class SentenceState(StrEnum):
    """The words that the pages show."""

    EXPRESSED = "expressed"
    WAITING = "waiting"
    QUESTION_OPEN = "question open"
    DEFINITION = "a definition"
    BINDING = "binding, but not expressed"
    NOT_BINDING = "not binding"
    ABSTAINED = "abstained"
    FAILED = "failed"
    UNTOUCHED = "untouched"


UNACCOUNTED = (SentenceState.ABSTAINED, SentenceState.FAILED, SentenceState.UNTOUCHED)
# What somebody has still to do something about.
WAITS = (*UNACCOUNTED, SentenceState.WAITING, SentenceState.QUESTION_OPEN)
_MARKED = {
    MarkKind.DEFINITION.value: SentenceState.DEFINITION,
    MarkKind.BINDING.value: SentenceState.BINDING,
    MarkKind.NOT_BINDING.value: SentenceState.NOT_BINDING,
}


@dataclass(frozen=True)
class SentenceReview:
    """One present sentence as it stands.

    `hash` goes into the form that marks it. `rules` are the uids of the live
    rules that come from it; `words` the `[start, end)` in its text that the
    formalizer did not understand; `mark` is the one that counts.
    """

    sentence: Sentence
    state: SentenceState
    hash: str
    reason: str
    rules: tuple[str, ...]
    words: tuple[tuple[int, int], ...]
    mark: SentenceMark | None

    @property
    def waits(self) -> bool:
        return self.state in WAITS


def sentence_states(
    policy: Policy,
    composition: Composition,
    rules: Mapping[str, RuleReview] | None = None,
) -> list[SentenceReview]:
    """Each sentence of the latest revisions, in reading order; six queries and those of `rules`.

    `rules` is what `rule_states` gave, if the caller has it already.
    """
    reviews = rules if rules is not None else rule_states(policy, composition)
    return _reviewed(policy, present_sentences(policy), reviews, None)


def sentence_state(
    policy: Policy,
    sentence: Sentence,
    rules: Mapping[str, RuleReview],
    marks: Sequence[SentenceMark] | None = None,
) -> SentenceReview:
    """One present sentence alone; `rules` are the states of its rules. Four queries.

    `marks` are all that were ever made of it, if the caller has them: then it is three.
    """
    known = None if marks is None else {sentence.lineage: list(marks)}
    return _reviewed(policy, [sentence], rules, sentence.lineage, known)[0]


def _reviewed(
    policy: Policy,
    sentences: Sequence[Sentence],
    reviews: Mapping[str, RuleReview],
    only: str | None,
    marks: Mapping[str, list[SentenceMark]] | None = None,
) -> list[SentenceReview]:
    """The sentences as they stand; `only` is the lineage to read of."""
    sources = _rules_by_lineage(policy, only)
    marks = _marks_by_lineage(policy, only) if marks is None else marks
    statements = _statements_by_lineage(policy, only)
    rejections = _rejections_by_lineage(policy, only)
    found = []
    for sentence in sentences:
        lineage, present = sentence.lineage, sentence_hash(sentence)
        rows = sources.get(lineage, [])
        facts = _Facts(
            [reviews[row.uid] for row in rows if row.uid in reviews],
            any(row.unit_id is None for row in rows),
            mark_that_counts(marks.get(lineage, []), present),
            statements.get(lineage, []),
            rejections.get(lineage, ""),
        )
        state, reason = facts.judge()
        uids = tuple(review.uid for review in facts.reviews)
        found.append(
            SentenceReview(sentence, state, present, reason, uids, facts.words(), facts.mark)
        )
    return found


def judge_state(
    states: Collection[ReviewState], *, by_hand: bool, mark: str, unsaid: str
) -> SentenceState:
    """What a sentence is, from the states of its rules and what was said of it.

    `by_hand` says that a person wrote one of the rules, `mark` is the kind of the
    mark that counts and `unsaid` `failed`, `abstained` or empty.
    """
    if ReviewState.QUESTION_OPEN in states:
        return SentenceState.QUESTION_OPEN
    if set(states) - {ReviewState.APPROVED}:
        return SentenceState.WAITING
    if mark:
        marked = _MARKED[mark]
        return marked if not states or marked is SentenceState.BINDING else SentenceState.EXPRESSED
    if states and (by_hand or not unsaid):
        return SentenceState.EXPRESSED
    return SentenceState(unsaid) if unsaid else SentenceState.UNTOUCHED


@dataclass(frozen=True)
class _Facts:
    reviews: Sequence[RuleReview]
    by_hand: bool
    mark: SentenceMark | None
    statements: Sequence[Statement]
    rejection: str

    def judge(self) -> tuple[SentenceState, str]:
        unsaid = self._unsaid()
        state = judge_state(
            {review.state for review in self.reviews},
            by_hand=self.by_hand,
            mark=self.mark.kind if self.mark else "",
            unsaid=unsaid.state if unsaid else "",
        )
        return state, self._reason(state, unsaid)

    def _reason(self, state: SentenceState, unsaid: Statement | None) -> str:
        if state is SentenceState.QUESTION_OPEN:
            return "a rule of this sentence has an open question"
        if state is SentenceState.WAITING:
            return "a rule of this sentence waits for a decision"
        if self.mark is not None:
            return self.mark.reason
        if state is SentenceState.EXPRESSED:
            return ""
        if unsaid is not None:
            return unsaid.reason
        if self.rejection:
            return f"its rule was rejected: {self.rejection}"
        return "nobody has looked at this sentence yet"

    def words(self) -> tuple[tuple[int, int], ...]:
        return tuple(_pair(words) for one in self.statements for words in one.words)

    def _unsaid(self) -> Statement | None:
        """What the formalizer could not do; a failure before an abstention."""
        for state in (StatementState.FAILED, StatementState.ABSTAINED):
            for statement in self.statements:
                if statement.state == state:
                    return statement
        return None


def _pair(words: Any) -> tuple[int, int]:
    start, end = words
    return int(start), int(end)


def _of(only: str | None, field: str = "lineage") -> dict[str, str]:
    return {} if only is None else {field: only}


def _rules_by_lineage(policy: Policy, only: str | None) -> dict[str, list[Rule]]:
    rows = RuleSource.objects.filter(rule__policy=policy, rule__retired_at=None, **_of(only))
    found: dict[str, list[Rule]] = {}
    for source in rows.select_related("rule").order_by("rule__position", "rule__pk"):
        found.setdefault(source.lineage, []).append(source.rule)
    return found


def _marks_by_lineage(policy: Policy, only: str | None) -> dict[str, list[SentenceMark]]:
    found: dict[str, list[SentenceMark]] = {}
    rows = SentenceMark.objects.filter(policy=policy, **_of(only))
    for mark in rows.select_related("by").order_by("pk"):
        found.setdefault(mark.lineage, []).append(mark)
    return found


def _statements_by_lineage(policy: Policy, only: str | None) -> dict[str, list[Statement]]:
    """What the latest unit that speaks of a sentence says of it."""
    latest: dict[str, list[Statement]] = {}
    rows = Statement.objects.filter(
        unit__policy=policy, sentence__isnull=False, **_of(only, "sentence__lineage")
    )
    rows = rows.select_related("sentence").order_by("unit", "pk")
    for statement in rows.only("state", "reason", "words", "unit_id", "sentence__lineage"):
        assert statement.sentence is not None
        lineage = statement.sentence.lineage
        known = latest.get(lineage)
        if known and known[0].unit_id == statement.unit_id:
            known.append(statement)
        else:
            latest[lineage] = [statement]
    return latest


def _rejections_by_lineage(policy: Policy, only: str | None) -> dict[str, str]:
    """The reason of the latest rejection of a rule that came from a sentence."""
    rows = Decision.objects.filter(
        policy=policy, verdict=Verdict.REJECT, **_of(only, "rule__sources__lineage")
    )
    rows = rows.exclude(rule__retired_at=None).order_by("pk")
    return dict(rows.values_list("rule__sources__lineage", "reason"))
