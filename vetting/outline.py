"""Where every rule and sentence of a policy stands, as tuples from a handful of queries.

The states are those of `vetting.review` and `vetting.sentences`, made of what is kept with
the rows: a rule's present content by its hash, a sentence by its lineage and hash. This is
for lists, counts and marks on a page, at a cost that hardly grows with the policy; what a
person decides on is composed and hashed again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, CharField, Exists, F, OuterRef, QuerySet, Value

from policies.approving import NOTHING, Approver, Missing, approvers, authors_of
from policies.composing import live_rules, present_sources
from policies.models import Policy, Rule, Statement
from policies.models.draft import StatementState
from policies.present import question_hash
from policies.sources import sentences_by_lineage
from policywright.model import Kind
from translation.models import Question
from vetting.models import Answer, Decision, MarkKind, SentenceMark, Verdict
from vetting.review import Enough, ReviewState
from vetting.sentences import WAITS, SentenceState, judge_state

DECISION, ANSWER, MARK, UNSAID, NAMED = "decision", "answer", "mark", "unsaid", "named"


@dataclass(slots=True)
class RuleLine:
    """A live rule; `hash` is the kept one, `sources` are lineages with what each does for it.

    `authors` changed it last, `missing` is what its approvals lack where they are not enough.
    """

    pk: int
    uid: str
    name: str
    kind: str
    hash: str
    by_hand: bool
    state: ReviewState = ReviewState.WAITING
    sources: list[tuple[str, str]] = field(default_factory=list)
    authors: frozenset[int] = frozenset()
    missing: Missing = NOTHING


class Covered(NamedTuple):
    """A sentence by its ordinal, with its `sentence_hash`; `rules` are the uids of the live
    rules that come from it."""

    lineage: str
    ordinal: int
    hash: str
    state: SentenceState
    rules: tuple[str, ...] = ()
    is_marked: bool = False

    @property
    def waits(self) -> bool:
        return self.state in WAITS

    @property
    def has_rules(self) -> bool:
        return bool(self.rules)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a live rule; `rules` are those that wait for its answer."""

    uid: str
    rule: str
    text: str
    rules: frozenset[str]
    is_open: bool


class Outline:
    """The rules by uid, in the draft's order, with what is known of any sentence."""

    def __init__(
        self,
        rules: Mapping[str, RuleLine],
        questions: tuple[Asked, ...],
        marks: Mapping[tuple[str, str], str],
        unsaid: Mapping[str, Collection[str]],
    ) -> None:
        self.rules, self.questions = rules, questions
        self._marks, self._unsaid = marks, unsaid
        self._of_lineage: dict[str, list[RuleLine]] = {}
        for rule in rules.values():
            for lineage, _ in rule.sources:
                self._of_lineage.setdefault(lineage, []).append(rule)

    @property
    def approved(self) -> int:
        return sum(one.state is ReviewState.APPROVED for one in self.rules.values())

    @property
    def total(self) -> int:
        return len(self.rules)

    def asked_of(self, uid: str) -> list[Asked]:
        """The questions that concern a rule."""
        return [one for one in self.questions if uid in one.rules]

    def sentence(self, untouched: Covered) -> Covered:
        """A sentence as it stands, of what it is where nobody touched it."""
        lineage, ordinal, present, *_ = untouched
        rules = self._of_lineage.get(lineage, ())
        mark = self._marks.get((lineage, present), "")
        unsaid = self._unsaid.get(lineage, ())
        if not (rules or mark or unsaid):
            return untouched
        mark = "" if mark == MarkKind.WITHDRAWN else mark
        state = judge_state(
            {rule.state for rule in rules},
            by_hand=any(rule.by_hand for rule in rules),
            mark=mark,
            unsaid=_unsaid(unsaid),
        )
        uids = tuple(rule.uid for rule in rules)
        return Covered(lineage, ordinal, present, state, uids, bool(mark))


def outline(policy: Policy, latest: Collection[int]) -> Outline:
    """`latest` are the ids of the present revisions; three queries, four more where an answer
    may have lapsed."""
    rules = _rules(policy)
    decisions: dict[str, dict[str, str]] = {}
    approved: dict[tuple[str, str], list[Approver]] = {}
    is_named = False
    answers: dict[str, set[str]] = {}
    marks: dict[tuple[str, str], str] = {}
    unsaid: dict[str, set[str]] = {}
    for _, what, key, content, said, by, other in sorted(_said(policy), key=itemgetter(0)):
        if what == DECISION:
            decisions.setdefault(key, {})[content] = said
            own = approved.setdefault((key, content), [])
            if said == Verdict.APPROVE:
                own.append((by, other))
            else:
                own.clear()
        elif what == NAMED:
            is_named = True
        elif what == ANSWER:
            answers.setdefault(key, set()).add(content)
        elif what == MARK:
            marks[key, content] = said
        else:
            unsaid.setdefault(key, set()).add(said)
    enough = Enough(policy)
    if not is_named:
        enough.required = {}
    for uid, rule in rules.items():
        rule.state = _state(rule, decisions.get(uid, {}))
        if rule.state is ReviewState.APPROVED:
            rule.missing = enough.missing(uid, approved[uid, rule.hash], rule.authors)
            rule.state = ReviewState.NOT_ENOUGH if rule.missing else rule.state
    questions = _questions(policy, rules, answers, latest)
    for question in questions:
        for uid in question.rules if question.is_open else ():
            if rules[uid].state is not ReviewState.BROKEN:
                rules[uid].state = ReviewState.QUESTION_OPEN
    return Outline(rules, questions, marks, unsaid)


def _rules(policy: Policy) -> dict[str, RuleLine]:
    rows = Rule.objects.filter(policy=policy, retired_at=None)
    fields = ("pk", "uid", "name", "kind", "content_hash", "unit", "author", "changed_by")
    found: dict[str, RuleLine] = {}
    for pk, uid, name, kind, present, unit, author, changed_by, lineage, part in rows.order_by(
        "position", "pk", "sources__pk"
    ).values_list(*fields, "sources__lineage", "sources__part"):
        if uid not in found:
            found[uid] = RuleLine(pk, uid, name, kind, present, by_hand=unit is None)
            found[uid].authors = authors_of(author, changed_by)
        if lineage:
            found[uid].sources.append((lineage, part))
    return found


def _said(policy: Policy) -> Iterable[tuple[int, str, str, str, str, int, int | None]]:
    """Whatever was said of rules, questions and sentences: its id, what, of which, content,
    word, and of a decision by whom and in whose place.

    One query; ids order the words of a kind.
    """
    decisions = Decision.objects.filter(policy=policy, rule__retired_at=None)
    answers = Answer.objects.filter(question__policy=policy, question__rule__retired_at=None)
    marks = SentenceMark.objects.filter(policy=policy)
    parts = (
        _part(decisions, DECISION, "rule__uid", "content_hash", "verdict", "by", "on_behalf_of"),
        _part(answers, ANSWER, "question__uid", "content_hash", ""),
        _part(marks, MARK, "lineage", "content_hash", "kind"),
        _part(_last_unsaid(policy), UNSAID, "sentence__lineage", "", "state"),
        _part(approvers(policy), NAMED, "uid", "", ""),
    )
    return parts[0].union(*parts[1:], all=True)


def _part(
    rows: QuerySet[Any],
    what: str,
    of: str,
    content: str,
    word: str,
    by: str = "",
    other: str = "",
) -> QuerySet[Any, Any]:
    columns: dict[str, Any] = {
        name: F(field) if field else Value("", output_field=CharField())
        for name, field in (("of", of), ("of_content", content), ("word", word))
    }
    columns |= {
        name: F(field) if field else Value(None, output_field=BigIntegerField())
        for name, field in (("said_by", by), ("said_for", other))
    }
    named = Value(what, output_field=CharField())
    told: QuerySet[Any, Any] = rows.order_by().annotate(what=named, **columns)
    return told.values_list("pk", "what", *columns)


def _last_unsaid(policy: Policy) -> QuerySet[Statement]:
    """What the latest unit that speaks of a sentence could not say of it."""
    own = Statement.objects.filter(unit__policy=policy)
    later = own.filter(sentence__lineage=OuterRef("sentence__lineage"), unit__gt=OuterRef("unit"))
    could_not = (StatementState.ABSTAINED, StatementState.FAILED)
    rows = own.filter(sentence__isnull=False, state__in=could_not)
    return rows.exclude(Exists(later))


def _unsaid(states: Collection[str]) -> str:
    """A failure before an abstention, as in `vetting.sentences`."""
    for state in (StatementState.FAILED, StatementState.ABSTAINED):
        if state in states:
            return state.value
    return ""


def _state(rule: RuleLine, decisions: Mapping[str, str]) -> ReviewState:
    """By the last word on each content of the rule."""
    if not rule.hash:
        return ReviewState.BROKEN
    counts = decisions.get(rule.hash)
    if counts == Verdict.APPROVE:
        return ReviewState.APPROVED
    if counts == Verdict.REJECT:
        return ReviewState.REJECTED
    was_approved = Verdict.APPROVE in decisions.values()
    return ReviewState.LAPSED if counts is None and was_approved else ReviewState.WAITING


def _questions(
    policy: Policy,
    rules: Mapping[str, RuleLine],
    answers: Mapping[str, set[str]],
    latest: Collection[int],
) -> tuple[Asked, ...]:
    rows = Question.objects.filter(policy=policy, rule__retired_at=None).order_by("pk")
    found = list(rows.values_list("uid", "rule__uid", "text", "readings"))
    # No rule is approved over an open question, so where one is approved its answer counts.
    unsure = {
        rule
        for uid, rule, *_ in found
        if uid in answers and rules[rule].state is not ReviewState.APPROVED
    }
    sources = _sources(policy, unsure, rules, latest)
    asked = []
    for uid, rule, text, readings in found:
        is_open = uid not in answers
        if rule in unsure and not is_open:
            is_open = question_hash(text, readings, sources.get(rule, ())) not in answers[uid]
        taken = {one for reading in readings for one in reading.get("retires", ())}
        concerned = frozenset((rule, *taken.intersection(rules)))
        asked.append(Asked(uid, rule, text, concerned, is_open))
    return tuple(asked)


def _sources(
    policy: Policy, uids: Collection[str], rules: Mapping[str, RuleLine], latest: Collection[int]
) -> dict[str, tuple[Any, ...]]:
    """The sources of rules as their hashes cover them; a broken rule and a default have none."""
    wanted = [uid for uid in uids if rules[uid].hash and rules[uid].kind != Kind.DEFAULT.value]
    if not wanted:
        return {}
    rows = list(live_rules(policy).filter(uid__in=wanted).defer("term"))
    lineages = {source.lineage for row in rows for source in row.sources.all()}
    present = sentences_by_lineage(policy, lineages, latest)
    return {row.uid: present_sources(row, present) for row in rows}
