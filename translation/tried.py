"""What was tried for one sentence: the attempts that asked about it, and what was wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from policies.models import Policy, Sentence, Span, Statement, Unit
from translation.models import Attempt, ModelReply


@dataclass(frozen=True)
class Round:
    """One entry of a unit's log: what was wrong with a reply, and what stood around it.

    `attempt` is the id of the attempt that got the reply, None where none was kept.
    """

    number: int
    problems: list[str]
    stripped: str
    attempt: int | None


@dataclass(frozen=True)
class Tried:
    """What one unit says of the sentence, and the rounds that led to it."""

    unit: Unit
    statements: list[Statement]
    rounds: list[Round]


def was_tried(policy: Policy, lineage: str) -> bool:
    """Whether a model was asked about a sentence, however it ended."""
    return bool(attempts_on(policy, spans_of(policy, lineage)).exists())


def spans_of(policy: Policy, lineage: str) -> list[int]:
    """The spans, of all revisions, in which the sentence of that lineage stands."""
    rows = Sentence.objects.filter(lineage=lineage, revision__document__policy=policy)
    found: list[int] = []
    for revision, start, end in rows.values_list("revision", "start", "end"):
        spans = Span.objects.filter(revision=revision, start__lte=start, end__gte=end)
        found += spans.values_list("pk", flat=True)
    return found


def attempts_on(policy: Policy, spans: list[int]) -> Any:
    """The attempts of a run that asked about one of the spans, in order."""
    rows = Attempt.objects.filter(policy=policy, item__payload__span__in=spans)
    return rows.select_related("item", "reply").defer("messages", "reply__messages").order_by("pk")


def units_on(policy: Policy, lineage: str) -> list[Tried]:
    """Each unit that speaks of the sentence, the latest first, with its rounds."""
    statements: dict[int, list[Statement]] = {}
    rows = Statement.objects.filter(unit__policy=policy, sentence__lineage=lineage)
    for statement in rows.order_by("pk"):
        statements.setdefault(statement.unit_id, []).append(statement)
    units = Unit.objects.filter(pk__in=statements).order_by("-pk")
    return [Tried(unit, statements[unit.pk], list(_rounds(unit))) for unit in units]


def problems_with(reply: ModelReply, span: int | None) -> list[str]:
    """What was wrong with a reply in the unit that was made of it."""
    if span is None:
        return []
    units = Unit.objects.filter(policy=reply.policy_id, span=span).order_by("-pk")
    for log in units.values_list("log", flat=True):
        for entry in log:
            if _said(entry) == _clean(reply.text):
                return [str(problem) for problem in entry.get("problems", [])]
    return []


def _rounds(unit: Unit) -> Any:
    replies = {
        _clean(attempt.reply.text): attempt.pk
        for attempt in attempts_on(unit.policy, [unit.span_id])
        if attempt.reply is not None
    }
    for number, entry in enumerate(unit.log, start=1):
        yield Round(
            number,
            [str(problem) for problem in entry.get("problems", [])],
            str(entry.get("stripped", "")),
            replies.get(_said(entry)),
        )


def _said(entry: dict[str, Any]) -> str:
    return str(entry.get("reply", ""))


def _clean(text: str) -> str:
    """A reply as a unit's log holds it."""
    return text.replace("\0", "\ufffd")
