"""Before a run: who will be sent what, what it may take, and one button that starts it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from policies.access import MemberRequest, policy_view
from policies.models import Policy
from policies.roles import MATRIX, Action
from translation.choices import choice_named, missing_key
from translation.formalizers import FormalizerError
from translation.forms import BudgetForm
from translation.jobs import run_under_way, start_formalizing
from translation.runs import RunPlan, plan_run

# A run asks again where something was wrong: so much more than the estimate is offered.
_ROOM = 2


@policy_view(Action.FORMALIZE)
@require_http_methods(["GET", "POST"])
def formalize(request: MemberRequest, policy: Policy) -> HttpResponse:
    """The page before a run; the button that leads here starts at once where no model is asked.

    While a run goes on or is paused, its page is shown: one is finished or cancelled first.
    """
    under_way = run_under_way(policy)
    if under_way is not None:
        return redirect("job", policy.slug, under_way.uid)
    plan = _plan(policy)
    if request.method == "GET":
        return _page(request, policy, plan, BudgetForm.to_start(plan, room=_ROOM))
    if plan.hosts or plan.refusal:
        return redirect("formalize", policy.slug)
    return _started(request, policy, {})


@policy_view(Action.FORMALIZE)
@require_POST
def start(request: MemberRequest, policy: Policy) -> HttpResponse:
    """Start what the page before showed; refused where others would be asked by now."""
    under_way = run_under_way(policy)
    if under_way is not None:
        return redirect("job", policy.slug, under_way.uid)
    plan = _plan(policy)
    form = BudgetForm(request.POST, plan=plan)
    if request.POST.get("shown") != shown_plan(plan):
        form.refuse("Who is asked, or what is sent, changed after you opened the page. Read it.")
        return _page(request, policy, plan, form, status=409)
    if plan.refusal or not form.is_valid():
        return _page(request, policy, plan, form, status=422)
    try:
        job = start_formalizing(policy, request.user, **form.cleaned_data)
    except FormalizerError as error:
        form.refuse(error)
        return _page(request, policy, plan, form, status=422)
    return redirect("job", policy.slug, job.uid)


def _plan(policy: Policy) -> RunPlan:
    """The plan, refused where a key is missing that whoever runs the job would need.

    With Celery that is another machine, whose environment is not seen from here.
    """
    plan = plan_run(policy)
    if plan.refusal or settings.POLICYWRIGHT_JOBS != "embedded":
        return plan
    for one in plan.models:
        if one.host and (variable := missing_key(one.name)):
            return replace(
                plan,
                refusal=f"The key for `{choice_named(one.name).label}` is missing: set "
                f"`{variable}` in the environment of this server, and start it anew.",
            )
    return plan


def shown_plan(plan: RunPlan) -> str:
    """What a form says of the plan that it showed: who is asked, where, and of what."""
    said = [plan.text, plan.sentences, [[one.name, one.host] for one in plan.models]]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


def _started(request: MemberRequest, policy: Policy, budget: dict[str, Any]) -> HttpResponse:
    try:
        job = start_formalizing(policy, request.user, **budget)
    except FormalizerError as error:
        messages.error(request, f"Nothing was started: {error}.")
        return redirect("policy", policy.slug)
    return redirect("job", policy.slug, job.uid)


def _page(
    request: MemberRequest, policy: Policy, plan: RunPlan, form: BudgetForm, status: int = 200
) -> HttpResponse:
    context = {
        "policy": policy,
        "plan": plan,
        "models": [{"asked": one, "choice": choice_named(one.name)} for one in plan.models],
        "sent": sum(one.prompt_tokens for one in plan.models),
        "received": sum(one.completion_tokens for one in plan.models),
        "known_usd": sum((one.cost_usd or Decimal(0) for one in plan.models), Decimal(0)),
        "unknown": [choice_named(name).label for name in plan.unknown_prices],
        "form": form,
        "shown": shown_plan(plan),
        "may_manage": bool(request.roles & MATRIX[Action.MANAGE]),
    }
    return render(request, "translation/formalize.html", context, status=status)
