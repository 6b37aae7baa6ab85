"""A run's page: how far it is, what it took, what failed and why, and what can be done.

What is polled holds nothing that takes the focus: controls, forms and the list of what
failed stand beside it, and come anew only when something of the kind has changed.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseStopPolling

from policies.access import MemberRequest, get_job_or_404, policy_view
from policies.jobs import cancel_job, retry_failed
from policies.models import Job, Policy
from policies.models.draft import StatementState
from policies.models.jobs import JobState
from policies.roles import MATRIX, Action
from translation.choices import choice_named, translator_title
from translation.failures import (
    MAX_LISTED,
    parts_failed,
    sentences_failed,
    statements_of,
    translations_failed,
)
from translation.formalizers import FormalizerError
from translation.forms import BudgetForm
from translation.jobs import KIND, run_under_way
from translation.naming import BUILTIN
from translation.runs import RunProgress, resume_run, run_progress


@policy_view(Action.VIEW)
@require_GET
def job(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = get_job_or_404(policy, uid)
    if not request.htmx:
        return _page(request, policy, found)
    context = _progress(policy, found)
    if request.GET.get("seen") != context["seen"]:
        context |= _outcome(request, found, context["run"]) | {"changed": True}
    page = render(request, "translation/_polled.html", context)
    if context["run"].progress.finished:
        return HttpResponseStopPolling(page.content)
    return page


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
    under_way = run_under_way(policy)
    if found.kind == KIND and under_way is not None and under_way != found:
        messages.info(request, "This run was begun since. When it has ended, try the other again.")
        return redirect("job", policy.slug, under_way.uid)
    retry_failed(found, request.user)
    return redirect("job", policy.slug, found.uid)


@policy_view(Action.FORMALIZE)
@require_POST
def resume(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """Go on with a paused run under other limits."""
    found = get_job_or_404(policy, uid)
    spent = run_progress(found).spent
    form = BudgetForm(request.POST, spent=spent)
    if not form.is_valid():
        return _page(request, policy, found, form=form, status=422)
    try:
        resumed = resume_run(found, request.user, **form.cleaned_data)
    except FormalizerError as error:
        form.refuse(error)
        return _page(request, policy, found, form=form, status=422)
    if not resumed:
        messages.info(request, "This was not paused any more; nothing was changed.")
    return redirect("job", policy.slug, found.uid)


def _page(
    request: MemberRequest,
    policy: Policy,
    found: Job,
    *,
    form: BudgetForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = _progress(policy, found)
    context |= _outcome(request, found, context["run"], form)
    names = [found.settings.get("formalizer", ""), *found.settings.get("translators", [])]
    context["models"] = [choice_named(name) for name in names if name]
    return render(request, "translation/job.html", context, status=status)


def _progress(policy: Policy, found: Job) -> dict[str, Any]:
    """What is polled; `seen` tells whether what stands beside it is still right."""
    run = run_progress(found)
    progress = run.progress
    found.refresh_from_db()
    counts = progress.done if progress.finished else progress.failed
    return {
        "policy": policy,
        "job": found,
        "run": run,
        "progress": progress,
        "asks": found.settings.get("formalizer", BUILTIN) != BUILTIN or run.spent.requests,
        "seen": f"{progress.state}.{progress.failed}.{counts}",
    }


def _outcome(
    request: MemberRequest, found: Job, run: RunProgress, form: BudgetForm | None = None
) -> dict[str, Any]:
    """What stands beside the progress: what can be done, and what failed."""
    said = {} if found.kind != KIND else _statement_counts(found)
    is_paused = found.state == JobState.PAUSED
    return {
        "parts_failed": parts_failed(found),
        "sentences_failed": sentences_failed(found) if said.get("failed") else [],
        "translators_failed": [
            {"name": translator_title(one.translator), "failed": one}
            for one in (translations_failed(found) if found.settings.get("translators") else ())
        ],
        "failed_count": said.get(str(StatementState.FAILED), 0),
        "left_count": said.get(str(StatementState.ABSTAINED), 0),
        "max_listed": MAX_LISTED,
        "form": form or (BudgetForm.to_resume(run) if is_paused else None),
        "may_formalize": bool(request.roles & MATRIX[Action.FORMALIZE]),
    }


def _statement_counts(found: Job) -> dict[str, int]:
    rows = statements_of(found).values_list("state").annotate(Count("pk")).order_by("state")
    return dict(rows)
