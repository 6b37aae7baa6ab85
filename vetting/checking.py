"""Checks the draft after each change, so that pages never wait: lint, scenarios, the suite.

A change hints at work once it is committed (`policies.hints`), and a job does it. One job a
policy waits or runs; one that ends and finds that the draft moved is followed by another.
While a formalizing run is open the checks wait for its end: each of its sentences is a change.
Opening a page asks as well, so nothing rests on the hints.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Max, QuerySet

from policies.composing import compose
from policies.hints import look_again
from policies.jobs import Context, JobError, register, start_job
from policies.models import Job, Policy, Rule, User
from policies.models.jobs import ItemState, JobState
from policies.writing import written
from policywright.linting import LintNotDoneError
from translation.jobs import KIND as FORMALIZE
from vetting.lint import made_of
from vetting.lock import locked
from vetting.models import SuiteReport, ValuesSaid
from vetting.refusals import RefusedError
from vetting.scenarios import run_scenarios, scenarios_in_force
from vetting.suites import start_suite

KIND = "lint"
# Of one check; what is not run by then is run by the next one, or where it is asked for.
SCENARIOS_S = 120.0


def register_checks() -> None:
    register(KIND, handle=_check, save=_end)
    look_again.connect(_hinted, dispatch_uid="vetting.checking")


def start_check(policy: Policy, user: User | None) -> Job:
    """Check the draft as it is; gives the job under way, or the one that failed."""
    with locked(policy) as row:
        last = _jobs(row).order_by("-pk").first()
        if last is not None and last.state == JobState.OPEN:
            return last
        stamp = _stamp(row)
        if last is not None and has_failed(last) and last.settings.get("stamp") == stamp:
            return last
        # Cancelled, or done of a draft that was another by then, or its report was let go.
        return _start(row, user, stamp)


def ask_for_check(policy: Policy, user: User | None) -> Job | None:
    """Check the draft unless that was done or is under way; None where there is nothing to do."""
    if _is_busy(policy) or Policy.objects.filter(pk=policy.pk, archived_at__isnull=False).exists():
        return None
    with locked(policy) as row:
        stamp = _stamp(row)
        if _is_busy(row) or _jobs(row).filter(settings__stamp=stamp).exists():
            return None
        if not Rule.objects.filter(policy=row, retired_at=None).exists():
            return None
        return _start(row, user, stamp)


def is_being_checked(policy: Policy) -> bool:
    return _jobs(policy).filter(state=JobState.OPEN).exists()


def has_failed(job: Job) -> bool:
    return job.items.filter(state=ItemState.FAILED).exists()


def _hinted(policy: Policy, user: User | None, **_: Any) -> None:
    ask_for_check(policy, user)


def _jobs(policy: Policy) -> QuerySet[Job]:
    return Job.objects.filter(policy=policy, kind=KIND)


def _is_busy(policy: Policy) -> bool:
    jobs = Job.objects.filter(policy=policy, kind__in=(KIND, FORMALIZE), state=JobState.OPEN)
    return jobs.exists()


def _stamp(row: Policy) -> str:
    """Another one wherever what is checked may be another."""
    said = ValuesSaid.objects.filter(policy=row).aggregate(last=Max("pk"))["last"]
    return f"{row.revision}.{said or 0}"


def _start(row: Policy, user: User | None, stamp: str) -> Job:
    return start_job(
        row,
        user,
        KIND,
        [("draft", {})],
        key=f"{stamp}|{_jobs(row).count()}",
        settings={"stamp": stamp},
        urgent=True,
    )


def _check(payload: dict[str, Any], context: Context) -> None:
    """What is found is kept at once, by content: a worker that takes over finds it."""
    policy = Policy.objects.get(pk=context.policy.pk)
    with written():
        # It may have waited while the draft went on.
        Job.objects.filter(pk=context.job.pk).update(settings={"stamp": _stamp(policy)})
    composition = compose(policy)
    try:
        made_of(policy, composition, cancelled=context.cancelled)
    except LintNotDoneError as error:
        raise JobError(str(error)) from error
    found = scenarios_in_force(policy, composition)
    run_scenarios(policy, composition, found, seconds=SCENARIOS_S, stop=context.cancelled)
    if not context.cancelled():
        _make_suite_again(policy, context.user)


def _end(context: Context, result: None) -> None:
    """Nothing is left to be written."""


def _make_suite_again(policy: Policy, user: User | None) -> None:
    """The tiers that somebody asked for last, in a job of their own: only what an edit touched."""
    last = SuiteReport.objects.filter(policy=policy, tiers__gt=0).order_by("-at", "-pk").first()
    if last is None:
        return
    try:
        start_suite(policy, user, last.tiers)
    except RefusedError:
        return  # The page of the suite says why there can be none of this draft.
