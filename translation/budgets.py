"""What a run may take, and what it took: sums over its attempts, so nothing can drift.

A limit stops what would be asked next, not what is being asked. So a run passes it by one
question at most for each of the spans that are in work side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum

from policies.models import Job
from translation.models import Attempt

_SOME_TOKENS = Q(prompt_tokens__gt=0) | Q(completion_tokens__gt=0)


@dataclass(frozen=True)
class Limits:
    """Of a job; None is no limit."""

    tokens: int | None = None
    usd: Decimal | None = None

    def as_settings(self) -> dict[str, Any]:
        return {"tokens": self.tokens, "usd": None if self.usd is None else str(self.usd)}


@dataclass(frozen=True)
class Spent:
    """What a job's attempts sum to.

    `known_usd` is the part of its cost that is known; the prices of `unknown_models` are not.
    Requests that brought no answer are counted, but not what a provider may ask for them.
    """

    prompt_tokens: int
    completion_tokens: int
    requests: int
    known_usd: Decimal
    unknown_models: tuple[str, ...]

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @property
    def cost_usd(self) -> Decimal | None:
        """None where a part of it is unknown: an unknown price is not zero."""
        return None if self.unknown_models else self.known_usd


def limits_of(settings: Mapping[str, Any]) -> Limits:
    """Of a job's settings."""
    tokens, usd = settings.get("tokens"), settings.get("usd")
    return Limits(tokens, None if usd is None else Decimal(usd))


def spent(job: Job) -> Spent:
    """One query."""
    sums = Attempt.objects.filter(job=job).order_by().values("model")
    rows = sums.annotate(
        prompt=Sum("prompt_tokens"),
        completion=Sum("completion_tokens"),
        sent=Sum("requests"),
        usd=Sum("cost_usd"),
        unknown=Count("pk", filter=_SOME_TOKENS & Q(cost_usd=None)),
    )
    found = list(rows)
    return Spent(
        prompt_tokens=sum(row["prompt"] for row in found),
        completion_tokens=sum(row["completion"] for row in found),
        requests=sum(row["sent"] for row in found),
        known_usd=sum((row["usd"] or Decimal(0) for row in found), Decimal(0)),
        unknown_models=tuple(sorted(row["model"] for row in found if row["unknown"])),
    )


def sentence_if_spent(job: Job, limits: Limits) -> str:
    """Why the job may ask no more, or nothing while it may."""
    if limits == Limits():
        return ""
    tokens, usd = _sums(job)
    if limits.tokens is not None and tokens >= limits.tokens:
        return (
            f"The run has used {tokens:,} tokens of {limits.tokens:,}. What is done is "
            "kept; raise the limit and resume it, or cancel it."
        )
    if limits.usd is not None and usd >= limits.usd:
        return (
            f"The run has cost {dollars(usd)} of {dollars(limits.usd)}. What is done "
            "is kept; raise the limit and resume it, or cancel it."
        )
    return ""


def _sums(job: Job) -> tuple[int, Decimal]:
    """Tokens and known dollars; one query over one index."""
    used = Attempt.objects.filter(job=job).aggregate(
        tokens=Sum(F("prompt_tokens") + F("completion_tokens")), usd=Sum("cost_usd")
    )
    return used["tokens"] or 0, used["usd"] or Decimal(0)


def dollars(amount: Decimal) -> str:
    """`USD 1.20`; of a sum below a cent all that is known of it."""
    return f"USD {amount:,.2f}" if amount >= Decimal("0.01") else f"USD {amount.normalize():f}"
