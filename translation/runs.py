"""Runs that ask models: what one would take, what it may take, how far it is, going on with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from policies.jobs import Progress, progress_of, resume_job
from policies.models import Job, Policy, User
from policies.models.jobs import ItemState, JobState
from translation.budgets import Limits, Spent, dollars, limits_of, sentence_if_spent, spent
from translation.connection import Connection, connection_named
from translation.ensemble.translators import translators_of
from translation.estimating import Used, estimate
from translation.formalizers import FormalizerError, choose_formalizer
from translation.price_list import FREE, Price, price_of
from translation.spans import open_work

__all__ = ["AskedModel", "RunPlan", "RunProgress", "Spent", "plan_run", "resume_run", "spent"]

# So many of the items done last say how fast a run goes.
_PACE_OF = 50


@dataclass(frozen=True)
class AskedModel:
    """Who is asked in a run, and about how much that takes.

    `name` is as a policy names it (`builtin`, `litellm:NAME`); `host` is where text goes,
    empty for the built-in. `cost_usd` is None where the price is unknown.
    """

    name: str
    drafts: bool
    host: str = ""
    is_external: bool = False
    price: Price | None = FREE
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def price_known(self) -> bool:
        return self.price is not None

    @property
    def cost_usd(self) -> Decimal | None:
        known = self.price
        return None if known is None else known.cost_usd(self.prompt_tokens, self.completion_tokens)


@dataclass(frozen=True)
class RunPlan:
    """What a run would do: the formalizer first in `models`, then the translators.

    `refusal` is the sentence that says why it cannot start, empty if it can. `text` are the
    ids of the spans: a changed text has others.
    """

    spans: int
    sentences: int
    models: tuple[AskedModel, ...]
    refusal: str = ""
    text: tuple[int, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(one.prompt_tokens + one.completion_tokens for one in self.models)

    @property
    def unknown_prices(self) -> tuple[str, ...]:
        """The names of the models whose price is unknown, each once."""
        return tuple(dict.fromkeys(one.name for one in self.models if not one.price_known))

    @property
    def cost_usd(self) -> Decimal | None:
        """None where a price is unknown."""
        if self.unknown_prices:
            return None
        return sum((one.cost_usd or Decimal(0) for one in self.models), Decimal(0))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Where text goes, each host once."""
        return tuple(dict.fromkeys(one.host for one in self.models if one.host))


@dataclass(frozen=True)
class RunProgress:
    """`left_s` comes from the pace of the items done last; None where that says nothing."""

    progress: Progress
    spent: Spent
    tokens_limit: int | None
    usd_limit: Decimal | None
    left_s: float | None


def plan_run(policy: Policy) -> RunPlan:
    """What a run started now would ask, of whom, and about what it would take.

    A few queries, and no model is asked. The estimate is rather too high than too low.
    """
    try:
        formalizer = choose_formalizer(policy.formalizer).name
        work = open_work(policy, formalizer)
        sentences = sum(len(rows) for _, rows in work)
        models = models_of(formalizer, translators_of(policy))
    except FormalizerError as error:
        return RunPlan(0, 0, (), error.as_sentence())
    used = estimate(policy, [(span.end - span.start, len(rows)) for span, rows in work])
    estimated = tuple(_with_estimate(one, used) for one in models)
    refusal = _refusal(policy, models)
    said = FormalizerError(refusal).as_sentence() if refusal else ""
    text = tuple(span.pk for span, _ in work)
    return RunPlan(len(work), sentences, estimated, said, text)


def models_of(formalizer: str, translators: Sequence[str]) -> list[AskedModel]:
    """Raises FormalizerError for a name that is none, or where the models file cannot be used."""
    names = [(formalizer, True), *((name, False) for name in translators)]
    return [_asked(name, drafts) for name, drafts in names]


def settings_to_start(
    policy: Policy, models: Sequence[AskedModel], *, tokens: int | None, usd: Decimal | None
) -> dict[str, Any]:
    """What a job of such a run is told: the hosts that are named before it, and its limits.

    Raises FormalizerError where it may not start so.
    """
    from django.conf import settings

    if refusal := _refusal(policy, models):
        raise FormalizerError(refusal)
    _check_limits(models, Limits(tokens, usd))
    if tokens is None and usd is None and any(one.host for one in models):
        tokens = settings.POLICYWRIGHT_RUN_TOKENS
    hosts = dict.fromkeys(one.host for one in models if one.host)
    return {"hosts": list(hosts), **Limits(tokens, usd).as_settings()}


def raised_by(used: Spent, settings: dict[str, Any]) -> dict[str, Any]:
    """The limits for a job that is started once more: they are counted from here."""
    limits = limits_of(settings)
    more = Limits(
        None if limits.tokens is None else limits.tokens + used.tokens,
        None if limits.usd is None else limits.usd + used.known_usd,
    )
    return settings | more.as_settings()


def resume_run(
    job: Job, user: User, *, tokens: int | None = None, usd: Decimal | None = None
) -> bool:
    """Go on with a paused run under these limits; without any, under those that it had.

    They are of the whole run, what it took so far included. False if it is not paused any
    more. Raises FormalizerError, with what to do, where it would pause again at once.
    """
    if job.state != JobState.PAUSED:
        return False
    models = models_of(job.settings["formalizer"], job.settings.get("translators", ()))
    limits = limits_of(job.settings) if tokens is None and usd is None else Limits(tokens, usd)
    told = settings_to_start(job.policy, models, tokens=limits.tokens, usd=limits.usd)
    if sentence := sentence_if_spent(job, limits):
        raise FormalizerError(sentence)
    return resume_job(job, user, told)


def run_progress(job: Job) -> RunProgress:
    """Five queries, whatever the length of the run."""
    progress, limits = progress_of(job), limits_of(job.settings)
    return RunProgress(progress, spent(job), limits.tokens, limits.usd, _left_s(job, progress))


def _asked(name: str, drafts: bool) -> AskedModel:
    word, _, model = name.partition(":")
    if word != "litellm":
        # Any other word than the built-in one's is refused here.
        return AskedModel(choose_formalizer(name).name, drafts)
    connection: Connection = connection_named(model)
    return AskedModel(name, drafts, connection.host, connection.is_external, price_of(connection))


def _with_estimate(model: AskedModel, used: Used) -> AskedModel:
    if not model.host:
        return model
    return replace(model, prompt_tokens=used.prompt, completion_tokens=used.completion)


def _refusal(policy: Policy, models: Sequence[AskedModel]) -> str:
    external = [one for one in models if one.is_external]
    if not policy.forbids_external_models or not external:
        return ""
    named = ", ".join(f"`{one.name}` ({one.host})" for one in external)
    return f"this policy forbids external models, and {named} is one; choose another"


def _check_limits(models: Sequence[AskedModel], limits: Limits) -> None:
    if (limits.tokens is not None and limits.tokens <= 0) or (
        limits.usd is not None and limits.usd <= 0
    ):
        raise FormalizerError("a limit is above 0; without one leave it out")
    unknown = ", ".join(dict.fromkeys(f"`{one.name}`" for one in models if not one.price_known))
    if limits.usd is not None and limits.tokens is None and unknown:
        raise FormalizerError(
            f"the price of {unknown} is unknown, so {dollars(limits.usd)} would never be reached; "
            "give a limit in tokens too, or the price in the models file"
        )


def _left_s(job: Job, progress: Progress) -> float | None:
    left = progress.waiting + progress.running
    if progress.state != JobState.OPEN or not left:
        return None
    done = job.items.filter(state=ItemState.DONE, finished_at__isnull=False)
    times = list(done.order_by("-finished_at").values_list("finished_at", flat=True)[:_PACE_OF])
    last, first = (times[0], times[-1]) if len(times) > 1 else (None, None)
    if last is None or first is None or last == first:
        return None
    return left * (last - first).total_seconds() / (len(times) - 1)
