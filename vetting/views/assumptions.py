"""Assumptions and defaults: what stands in no sentence, shown and approved apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, get_variable_or_404, may, policy_view
from policies.editing import DraftMovedError
from policies.models import Policy, Rule
from policies.roles import Action
from policywright.english import render_rule
from policywright.model import DefaultChoice, Kind
from vetting.assumptions import add_range, set_default
from vetting.forms import DefaultForm, RangeForm
from vetting.queue import Queue, build_queue
from vetting.refusals import RefusedError
from vetting.views.acting import as_sentence
from vetting.views.review import card_url


@policy_view(Action.VIEW)
@require_GET
def assumptions(request: MemberRequest, policy: Policy) -> HttpResponse:
    return _page(request, policy, build_queue(policy))


@policy_view(Action.EDIT)
@require_POST
def range_(request: MemberRequest, policy: Policy) -> HttpResponse:
    queue = build_queue(policy)
    form = RangeForm(request.POST, model=queue.composition.model)

    def add(data: dict[str, Any]) -> Rule:
        variable = get_variable_or_404(policy, data["variable"])
        return add_range(policy, request.user, variable, lower=data["lower"], upper=data["upper"])

    return _saved(request, policy, queue, form, add, "range_form")


@policy_view(Action.EDIT)
@require_POST
def default(request: MemberRequest, policy: Policy) -> HttpResponse:
    queue = build_queue(policy)
    form = DefaultForm(request.POST, model=queue.composition.model)

    def add(data: dict[str, Any]) -> Rule:
        outcome = get_variable_or_404(policy, data["outcome"])
        return set_default(policy, request.user, outcome, DefaultChoice(data["choice"]))

    return _saved(request, policy, queue, form, add, "default_form")


def _saved(
    request: MemberRequest,
    policy: Policy,
    queue: Queue,
    form: RangeForm | DefaultForm,
    add: Callable[[dict[str, Any]], Rule],
    name: str,
) -> HttpResponse:
    if form.is_valid():
        try:
            rule = add(form.cleaned_data)
        except (RefusedError, DraftMovedError) as error:
            form.add_error(None, as_sentence(str(error)))
        else:
            messages.success(request, f"Saved: {rule.name}. Read it in English, then approve it.")
            return redirect(card_url(policy, rule.uid))
    return _page(request, policy, queue, **{name: form})


def _page(request: MemberRequest, policy: Policy, queue: Queue, **forms: Any) -> HttpResponse:
    model = queue.composition.model
    context = {
        "policy": policy,
        "tab": "assumptions",
        "queue": queue,
        "assumptions": _shown(queue, Kind.ASSUMPTION),
        "defaults": _shown(queue, Kind.DEFAULT),
        "range_form": RangeForm(model=model, auto_id="range_%s"),
        "default_form": DefaultForm(model=model, auto_id="default_%s"),
        "may_edit": may(request.user, policy, Action.EDIT),
        **forms,
    }
    return render(request, "vetting/assumptions.html", context, status=422 if forms else 200)


def _shown(queue: Queue, kind: Kind) -> list[dict[str, Any]]:
    model = queue.composition.model
    cards = [card for card in queue.cards if card.kind == kind.value]
    return [
        {
            "uid": card.key,
            "name": queue.names[card.key],
            "state": card.state,
            "english": render_rule(model, model.rule_by_id[card.key])
            if card.key in model.rule_by_id
            else queue.rules[card.key].problem,
        }
        for card in cards
    ]
