"""Starting a formalization, and its progress: polled each second, or read by a link."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseStopPolling

from policies.access import MemberRequest, get_job_or_404, may, policy_view
from policies.jobs import cancel_job, progress_of, retry_failed
from policies.models import Job, Policy
from policies.models.jobs import ItemState
from policies.roles import Action
from translation.formalizers import FormalizerError
from translation.jobs import start_formalizing

# A page lists so many failures; the counts are of all.
MAX_ERRORS = 50


@policy_view(Action.FORMALIZE)
@require_POST
def formalize(request: MemberRequest, policy: Policy) -> HttpResponse:
    try:
        started = start_formalizing(policy, request.user)
    except FormalizerError as error:
        messages.error(request, f"Nothing was started: {error}.")
        return redirect("policy", policy.slug)
    return redirect("job", policy.slug, started.uid)


@policy_view(Action.VIEW)
@require_GET
def job(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = get_job_or_404(policy, uid)
    context = _progress(request, policy, found)
    if not request.htmx:
        return render(request, "translation/job.html", context)
    page = render(request, "translation/_progress.html", context)
    return HttpResponseStopPolling(page.content) if context["progress"].finished else page


@policy_view(Action.FORMALIZE)
@require_POST
def cancel(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = get_job_or_404(policy, uid)
    if not cancel_job(found, request.user):
        messages.info(request, "This had ended already; there was nothing to cancel.")
    return redirect("job", policy.slug, found.uid)


@policy_view(Action.FORMALIZE)
@require_POST
def retry(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = get_job_or_404(policy, uid)
    retry_failed(found, request.user)
    return redirect("job", policy.slug, found.uid)


def _progress(request: MemberRequest, policy: Policy, found: Job) -> dict[str, Any]:
    failed = found.items.filter(state=ItemState.FAILED)
    return {
        "policy": policy,
        "job": found,
        "progress": progress_of(found),
        "errors": failed.exclude(error="")[:MAX_ERRORS],
        "may_formalize": may(request.user, policy, Action.FORMALIZE),
    }
