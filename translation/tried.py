"""What was tried for one sentence: the attempts that asked about it, and what was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from policies.models import Policy, Sentence, Span, Statement, Unit
from translation.histories import PieceHistory, histories_of, rounds_of
from translation.models import Attempt, ModelReply


@dataclass(frozen=True)
class Unread:
    """A reply of which nothing could be read, and why."""

    round: int
    problem: str


@dataclass(frozen=True)
class Tried:
    """What one unit says of the sentence, and what was written for it on the way.

    `attempts` maps a round to the id of the attempt that got its reply, where one is kept.
    """

    unit: Unit
    statements: list[Statement]
    pieces: list[PieceHistory]
    unread: list[Unread]
    attempts: dict[int, int]


def was_tried(policy: Policy, lineage: str) -> bool:
    """Whether a model was asked about a sentence, however it ended."""
    return bool(attempts_on(policy, spans_of(policy, lineage)).exists())


def spans_of(policy: Policy, lineage: str) -> list[int]:
    """The spans, of all revisions, in which the sentence of that lineage stands."""
    own = Sentence.objects.filter(
        lineage=lineage,
        revision=OuterRef("revision"),
        start__gte=OuterRef("start"),
        end__lte=OuterRef("end"),
    )
    revisions = Sentence.objects.filter(lineage=lineage, revision__document__policy=policy)
    rows = Span.objects.filter(Exists(own), revision__in=revisions.values("revision"))
    return list(rows.values_list("pk", flat=True))


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
    return [_tried(policy, unit, statements[unit.pk]) for unit in units]


def entry_of(reply: ModelReply, span: int | None) -> dict[str, Any]:
    """What the log of the unit that was made of a reply says of it; empty where none was."""
    units = Unit.objects.filter(policy=reply.policy_id, span=span).order_by("-pk")
    for log in units.values_list("log", flat=True) if span is not None else ():
        for entry in log:
            if _said(entry) == reply.text:
                return dict(entry)
    return {}


def _tried(policy: Policy, unit: Unit, statements: list[Statement]) -> Tried:
    replies = {
        attempt.reply.text: attempt.pk
        for attempt in attempts_on(policy, [unit.span_id])
        if attempt.reply is not None
    }
    rounds = rounds_of(unit.log)
    return Tried(
        unit,
        statements,
        histories_of(unit, statements),
        [
            Unread(number, str(problem))
            for number, entry in rounds.items()
            if not entry.get("wrong")
            for problem in entry.get("problems", ())
        ],
        {number: replies[_said(one)] for number, one in rounds.items() if _said(one) in replies},
    )


def _said(entry: Mapping[str, Any]) -> str:
    return str(entry.get("reply", ""))
