"""The job `formalize`: one item a span, each formalized once whatever is killed.

The slow part runs outside any transaction on the draft as it then is; the unit
is written in the transaction that ends the item.
"""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from policies.jobs import Context, progress_of, register, retry_failed, start_job
from policies.jobs.running import run_item, tidy
from policies.models import Item, Job, Policy, User
from policies.models.jobs import ItemState, JobState
from translation.budgets import spent
from translation.ensemble.translators import translators_of
from translation.formalizers import choose_formalizer
from translation.formalizing import SpanResult, formalize_span
from translation.integration import keep_unit
from translation.merges import start_search
from translation.runs import models_of, raised_by, settings_to_start
from translation.spans import open_spans

KIND = "formalize"

_POLL_S = 0.1


def register_jobs() -> None:
    register(KIND, handle=_formalize_span, save=_keep, finalize=_look_for_merges)


def start_formalizing(
    policy: Policy,
    user: User | None,
    *,
    tokens: int | None = None,
    usd: Decimal | None = None,
) -> Job:
    """Formalize each span of the latest revisions that the policy's formalizer has not done.

    Gives the job that does it: a new one, the one under way or paused, or the same as
    before, its failed spans in line again. Where nothing is left to do it is the last one.
    It pauses once it took so many tokens or dollars; without either, the settings' tokens.

    Raises FormalizerError, with one sentence, where no formalizer can be chosen, where text
    would leave that may not, or where a limit in dollars would never be reached.
    """
    formalizer = choose_formalizer(policy.formalizer)
    translators = translators_of(policy)
    models = models_of(formalizer.name, translators)
    told = settings_to_start(policy, models, tokens=tokens, usd=usd)
    spans = open_spans(policy, formalizer.name)
    jobs = Job.objects.filter(
        policy=policy, kind=KIND, settings__formalizer=formalizer.name
    ).order_by("-pk")
    under_way = _under_way(jobs)
    waiting = [span for span in spans if span.pk not in under_way]
    last = jobs.filter(pk__in=under_way.values()).first() or jobs.first()
    if not waiting and last is not None:
        return last
    # A job that was cancelled stays so: the same spans are then another job.
    cancelled = jobs.filter(state=JobState.CANCELLED).count()
    keys = ",".join(str(span.pk) for span in waiting)
    job = start_job(
        policy,
        user,
        KIND,
        [(f"span:{span.pk}", {"span": span.pk}) for span in waiting],
        key=f"{formalizer.name}|{keys}|{cancelled}",
        settings={"formalizer": formalizer.name, "translators": translators, **told},
    )
    if job.finished_at is not None and job.state == JobState.DONE:
        renewed = {**job.settings, **raised_by(spent(job), told)}
        Job.objects.filter(pk=job.pk, state=JobState.DONE).update(settings=renewed)
    if user is not None:
        retry_failed(job, user)
    return job


def run_under_way(policy: Policy) -> Job | None:
    """The run that goes on or is paused: until it has ended no other begins."""
    under_way = (JobState.OPEN, JobState.PAUSED)
    return policy.jobs.filter(kind=KIND, state__in=under_way).first()


def finish_inline(job: Job, *, holder: str) -> None:
    """Run a job's items in this process, in order, until the job has ended.

    Items that another worker holds are waited for.
    """
    while not progress_of(job).finished:
        open_items = job.items.filter(state__in=(ItemState.WAITING, ItemState.RUNNING))
        ids = list(open_items.order_by("ordinal").values_list("pk", flat=True))
        if not [pk for pk in ids if run_item(pk, holder)]:
            tidy()
            time.sleep(_POLL_S)


def _under_way(jobs: QuerySet[Job]) -> dict[int, int]:
    """The spans that one of the jobs is about to do, each with that job's id."""
    open_states = (ItemState.WAITING, ItemState.PAUSED, ItemState.RUNNING)
    items = Item.objects.filter(job__in=jobs, state__in=open_states)
    return {payload["span"]: job for payload, job in items.values_list("payload", "job")}


def _formalize_span(payload: dict[str, Any], context: Context) -> SpanResult:
    if choose_formalizer(context.job.settings["formalizer"]).in_order:
        _wait_for_earlier(context)
    return formalize_span(payload, context)


def _keep(context: Context, result: SpanResult) -> None:
    keep_unit(result.span, result.sentences, result.draft, result.ensemble)


def _look_for_merges(job: Job) -> None:
    """What was declared may be there already in other words; a job of its own, since it may ask."""
    start_search(job.policy, None)


def _wait_for_earlier(context: Context) -> None:
    """Wait while an earlier item of the job is being worked on.

    Never for one that merely waits: nobody might be free to take it up.
    """
    own = Item.objects.get(pk=context.item_id)
    earlier = Item.objects.filter(
        job=own.job_id,
        ordinal__lt=own.ordinal,
        state=ItemState.RUNNING,
        lease_until__gt=Now(),
    )
    while earlier.exists() and not context.lost.is_set():
        time.sleep(_POLL_S)
