"""What failed in a run, each kind apart: parts that could not be asked about, sentences
whose rules could not be made, quotes that stand nowhere, and translators that said nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Max, QuerySet

from policies.models import Item, Job, Sentence, Statement, Unit
from policies.models.draft import StatementState
from policies.models.jobs import ItemState
from translation.models import Attempt, Translation, TranslationState
from translation.where import Where, where_spans_stand

# The page lists so many of each; the counts are of all.
MAX_LISTED = 50

# What the errors of `translation.llm_errors` are called on a page, by the names of their classes.
TITLES = {
    "LlmNotConfiguredError": "No model to ask",
    "LlmForbiddenError": "The text may not leave",
    "LlmConnectionError": "No server answers",
    "LlmTimeoutError": "Too slow",
    "LlmRateLimitError": "Too many requests",
    "LlmServerError": "The model’s server failed",
    "LlmQuotaError": "The account is used up",
    "LlmKeyError": "The key is missing or refused",
    "LlmUnknownModelError": "No such model",
    "LlmTooLongError": "Too long for the model",
    "LlmRefusedError": "The request was refused",
    "LlmDeclinedError": "The model would not answer",
    "LlmBadAnswerError": "Not the answer that was asked for",
    "LlmNotAModelError": "No model’s server at that address",
    "LlmCutError": "The answer was cut",
    "LlmEmptyError": "An answer without content",
}
_OTHER = "Could not be done"


@dataclass
class Part:
    """A failed item; its place, and the last question of it to a model, where there is one."""

    ordinal: int
    item: int
    span: int
    where: Where | None = None
    attempt: int | None = None


@dataclass
class PartsFailed:
    """Parts that failed for one and the same reason; `count` is of all, `parts` are the first."""

    title: str
    sentence: str
    count: int = 0
    parts: list[Part] = field(default_factory=list)

    @property
    def more(self) -> int:
        return self.count - len(self.parts)


@dataclass(frozen=True)
class SentenceFailed:
    """A statement that was kept as failed; `sentence` is None where its quote has no source."""

    statement: Statement
    sentence: Sentence | None
    where: Where | None


@dataclass(frozen=True)
class TranslatorFailed:
    """Why a further translator said nothing of so many sentences."""

    translator: str
    reason: str
    count: int


def parts_failed(job: Job) -> list[PartsFailed]:
    """The failed items by reason, in the order in which each reason came first."""
    rows = job.items.filter(state=ItemState.FAILED).order_by("ordinal")
    found: dict[tuple[str, str], PartsFailed] = {}
    parts: list[Part] = []
    for item in rows.only("job", "ordinal", "payload", "error", "error_kind"):
        title = TITLES.get(item.error_kind, _OTHER)
        group = found.setdefault((item.error_kind, item.error), PartsFailed(title, item.error))
        group.count += 1
        if len(parts) < MAX_LISTED:
            parts.append(Part(item.ordinal, item.pk, _span_of(item)))
            group.parts.append(parts[-1])
    places = where_spans_stand(job.policy, (part.span for part in parts))
    asked = Attempt.objects.filter(item__in=[part.item for part in parts]).order_by()
    last = dict(asked.values_list("item").annotate(last=Max("pk")))
    for part in parts:
        part.where, part.attempt = places.get(part.span), last.get(part.item)
    return list(found.values())


def sentences_failed(job: Job) -> list[SentenceFailed]:
    """The first statements of the run that were kept as failed, in reading order."""
    rows = statements_of(job).filter(state=StatementState.FAILED)
    rows = rows.select_related("sentence", "unit").defer("unit__log")
    listed = list(rows.order_by("unit__span__revision", "unit__span__ordinal", "pk")[:MAX_LISTED])
    places = where_spans_stand(job.policy, (one.unit.span_id for one in listed))
    return [SentenceFailed(one, one.sentence, places.get(one.unit.span_id)) for one in listed]


def translations_failed(job: Job) -> list[TranslatorFailed]:
    """What further translators could not do, by reason; the most sentences first."""
    rows = Translation.objects.filter(unit__in=_units_of(job), state=TranslationState.FAILED)
    groups = rows.order_by().values("translator", "reason")
    counts = groups.annotate(count=Count("sentence", distinct=True)).order_by("-count")
    return [TranslatorFailed(**row) for row in counts[:MAX_LISTED]]


def statements_of(job: Job) -> QuerySet[Statement]:
    """What the run said of sentences: the statements of the units that it made."""
    return Statement.objects.filter(unit__in=_units_of(job))


def _units_of(job: Job) -> QuerySet[Unit]:
    """A part that failed here may have been done by a later run: its unit is that one's."""
    done = job.items.filter(state=ItemState.DONE).order_by()
    return Unit.objects.filter(
        policy=job.policy_id,
        formalizer=job.settings.get("formalizer", ""),
        created_at__gte=job.created_at,
        span__in=list(done.values_list("payload__span", flat=True)),
    ).order_by()


def _span_of(item: Item) -> int:
    span: Any = item.payload.get("span")
    return span if isinstance(span, int) else 0
