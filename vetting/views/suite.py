"""The tab 'Scenarios': tiers of cases to answer, and what the answers show so far.

The page claims of a tier what it claims only once all its cases are answered and agree.
While cases are made it waits; nothing of a finding is shown before a case is answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from policies.access import MemberRequest, by_uid_or_404, may, policy_view
from policies.jobs import cancel_job, retry_failed
from policies.models import Item, Job, Policy
from policies.models.jobs import ItemState, JobState
from policies.roles import Action
from policywright.english.words import join_words
from policywright.scenarios.edits import TIERS
from vetting.cases_answered import CaseReview, CaseState, case_states
from vetting.models import SuitePart, SuiteReport
from vetting.queue import Queue, build_queue, cards_of
from vetting.refusals import RefusedError
from vetting.suites import KIND, KindScore, SuiteNow, start_suite, suite_now
from vetting.views.acting import number, sent
from vetting.views.cards import as_sentence
from vetting.views.case_shown import say_found, say_said
from vetting.views.review import card_url

NAMES = (
    (
        "Boundaries and outcomes",
        "‘At least’ for ‘more than’, a number one step off, a condition left out or turned round, "
        "another value, the other outcome, a rule that is missing.",
    ),
    (
        "How conditions are joined",
        "‘Or’ for ‘and’, ‘only if’ for ‘if’, ‘exactly’ for ‘at least’, one variable for another.",
    ),
    (
        "What may be missing, and assumptions",
        "One more condition, alternative or exception, and every edit of an assumption.",
    ),
)


@policy_view(Action.VIEW)
@require_GET
def suite(request: MemberRequest, policy: Policy) -> HttpResponse:
    if request.htmx and "job" in request.GET:
        asked = by_uid_or_404(policy.jobs.filter(kind=KIND), request.GET["job"])
        if asked.state == JobState.OPEN:
            may_decide = may(request.user, policy, Action.DECIDE)
            context = {"policy": policy, "may_decide": may_decide, **_progress(policy, asked)}
            return render(request, "vetting/_suite_waits.html", context)
        return HttpResponseClientRedirect(resolve_url("suite", policy.slug))
    queue = build_queue(policy)
    now = suite_now(policy, queue.composition)
    reviews = case_states(policy, queue.composition, now)
    may_decide = may(request.user, policy, Action.DECIDE)
    job = _job_shown(request, policy, now)
    waits = job is not None and job.state == JobState.OPEN
    makes = waits and job is not None and job.settings["tiers"] > 0
    tiers = _tiers(policy, now, reviews, makes=makes)
    cases = list(reviews.values())
    context = {
        "policy": policy,
        "tab": "suite",
        "queue": queue,
        "now": now,
        "blocked": as_sentence(now.blocked),
        "has_rules": bool(queue.composition.model.rules),
        "may_decide": may_decide,
        "waits": waits,
        "trouble": _trouble(job) if job is not None and not waits else "",
        "tiers": tiers,
        "claim": _claim(now, tiers),
        "share": {
            "total": len(cases),
            "agreed": sum(one.state is CaseState.AGREED for one in cases),
        },
        "disagreeing": [
            _disagreeing(policy, queue, one) for one in cases if one.state is CaseState.DISAGREES
        ],
        "words": _words(policy, queue),
        **(_progress(policy, job) if job is not None else {}),
    }
    return render(request, "vetting/suite.html", context)


@policy_view(Action.DECIDE)
@require_POST
def start(request: MemberRequest, policy: Policy) -> HttpResponse:
    """Make the cases of the first tiers; sent twice it is one job."""
    try:
        start_suite(policy, request.user, number(sent(request, "tiers")))
    except RefusedError as error:
        messages.error(request, as_sentence(str(error)))
    return redirect("suite", policy.slug)


@policy_view(Action.DECIDE)
@require_POST
def cancel(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    if not cancel_job(by_uid_or_404(policy.jobs.filter(kind=KIND), uid), request.user):
        messages.info(request, "This had ended already; there was nothing to cancel.")
    return redirect("suite", policy.slug)


@policy_view(Action.DECIDE)
@require_POST
def again(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """Make the cases once more, where that failed; no other job, which might ask a model."""
    retry_failed(by_uid_or_404(policy.jobs.filter(kind=KIND), uid), request.user)
    return redirect("suite", policy.slug)


def _job_shown(request: MemberRequest, policy: Policy, now: SuiteNow) -> Job | None:
    """The last job; a new one where edits were not counted yet, or an edit left cases to make.

    In an archived policy nothing is begun.
    """
    if now.job is not None or now.blocked or policy.archived_at is not None:
        return now.job
    if now.counts is None or now.tiers_made < now.tiers_before:
        try:
            return start_suite(policy, request.user, now.tiers_before)
        except RefusedError:
            # The draft moved this moment: the page that is opened next says what is wrong.
            return now.job
    return None


def _progress(policy: Policy, job: Job) -> dict[str, Any]:
    """How many parts of the rules are done; of a job without tiers only edits are counted."""
    content, tiers = job.settings["content"], job.settings["tiers"]
    item = Item.objects.filter(job=job).first()
    reports = SuiteReport.objects.filter(policy=policy, content_hash=content, tiers=tiers)
    keys = {key for report in reports for key in report.report["keys"]}
    made = SuitePart.objects.filter(policy=policy).values_list("key", flat=True) if keys else ()
    progress = {
        "tiers": tiers,
        "started": item is not None and item.state != ItemState.WAITING,
        "total": len(keys),
        "done": len(keys.intersection(made)),
    }
    return {"job": job, "progress": progress}


def _trouble(job: Job) -> str:
    """Why the cases were not made; empty where they were, or where somebody cancelled that."""
    failed = Item.objects.filter(job=job, state=ItemState.FAILED).first()
    return failed.error if failed is not None else ""


def _tiers(
    policy: Policy, now: SuiteNow, reviews: Mapping[str, CaseReview], *, makes: bool
) -> list[dict[str, Any]]:
    tiers = [
        _tier(policy, now, place, [one for one in reviews.values() if one.case.tier == place])
        for place in range(len(TIERS))
    ]
    if makes:
        for tier in tiers:
            tier["act"] = "" if tier["act"] in ("start", "later") else tier["act"]
    first = next((one for one in tiers if one["act"] in ("start", "go-on")), None)
    if first is not None:
        first["is_first"] = True
    return tiers


def _tier(
    policy: Policy, now: SuiteNow, place: int, reviews: Sequence[CaseReview]
) -> dict[str, Any]:
    tier, (name, says) = place + 1, NAMES[place]
    is_made = tier <= now.tiers_made
    count = {state: sum(one.state is state for one in reviews) for state in CaseState}
    kinds = _kinds(now, place, is_made=is_made)
    act, label = "later", ""
    if is_made and count[CaseState.NEW]:
        act, label = "go-on", "Go on" if len(reviews) > count[CaseState.NEW] else "Answer the cases"
    elif is_made:
        act = "done" if count[CaseState.AGREED] == len(reviews) else "disagree"
    elif tier == now.tiers_made + 1:
        act, label = "start", "Start"
    return {
        "number": tier,
        "name": name,
        "says": says,
        "edits": None if now.counts is None else sum(now.counts.get(tier, {}).values()),
        "kinds": kinds,
        "is_made": is_made,
        "cases": len(reviews),
        "agreed": count[CaseState.AGREED],
        "disagree": count[CaseState.DISAGREES],
        "undecided": count[CaseState.UNDECIDED],
        "new": count[CaseState.NEW],
        "act": act,
        "label": label,
        "url": reverse("suite-next", args=[policy.slug]),
        "is_first": False,
    }


def _kinds(now: SuiteNow, place: int, *, is_made: bool) -> list[dict[str, Any]]:
    """A row for each kind of edit; before the cases are made, how many edits there are."""
    if is_made:
        return [_score(one) for one in now.by_kind if one.tier == place and one.mutants]
    counts = (now.counts or {}).get(place + 1, {})
    return [{"kind": kind, "edits": count} for kind, count in counts.items() if count]


def _score(one: KindScore) -> dict[str, Any]:
    rest = one.mutants - one.equivalent
    share = 100 * one.killed // rest if rest else 100
    return {
        "kind": one.kind,
        "edits": one.mutants,
        "equivalent": one.equivalent,
        "killed": one.killed,
        "undecided": one.undecided,
        "score": f"{share}%",
    }


def _claim(now: SuiteNow, tiers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the answers show: of the first tiers, as far as all of their cases agree."""
    done: list[Mapping[str, Any]] = []
    for tier in tiers:
        if tier["act"] != "done":
            break
        done.append(tier)
    kinds = [kind for tier in done for kind in tier["kinds"]]
    return {
        "tiers": done if kinds else [],
        "said": join_words([f"‘{tier['name']}’" for tier in done]),
        "kinds": {kind["kind"] for kind in kinds},
        "cases": sum(tier["cases"] for tier in done),
        **{
            name: sum(kind[name] for kind in kinds)
            for name in ("edits", "equivalent", "killed", "undecided")
        },
    }


def _disagreeing(policy: Policy, queue: Queue, review: CaseReview) -> dict[str, Any]:
    model, case, row = queue.composition.model, review.case, review.scenario
    assert row is not None
    assert review.finding is not None
    return {
        "url": reverse("suite-case", args=[policy.slug, case.key]),
        "question": case.question,
        "by": row.by,
        "said": say_said(model, case.claim, row.expected),
        "found": say_found(model, case.claim, review.finding),
    }


def _words(policy: Policy, queue: Queue) -> dict[str, Any]:
    """How many sentences have words that no rule carries, and the card of the first."""
    found = [one for one in queue.sentences if one.words]
    keys = [key for one in found[:1] for key in cards_of(one) if key in queue.by_key]
    return {"count": len(found), "url": card_url(policy, keys[0]) if keys else ""}
