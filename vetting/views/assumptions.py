"""Assumptions and defaults: what stands in no sentence, shown and approved apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
from vetting.assumptions import add_assumption, add_range, set_default
from vetting.foretelling import check_seen
from vetting.forms import DefaultForm, RangeForm
from vetting.proposed import Proposed, propose_assumption
from vetting.queue import Queue, build_queue
from vetting.refusals import ReadingError, RefusedError
from vetting.views.acting import shown_beside
from vetting.views.cards import as_sentence
from vetting.views.editors import Sent, editors, place_of_assumption, reading_alone, sent_by
from vetting.views.foretold import SEEN, first_told
from vetting.views.readings import NOT_SEEN, note_on, read_text, text_of
from vetting.views.review import card_url, whole_page
from vetting.written import Written


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


@policy_view(Action.EDIT)
@require_POST
def read(request: MemberRequest, policy: Policy) -> HttpResponse:
    """What the text for an assumption says."""
    return _read(request, policy)


@policy_view(Action.EDIT)
@require_POST
def write(request: MemberRequest, policy: Policy) -> HttpResponse:
    text = text_of(request)
    add = partial(
        add_assumption,
        policy,
        request.user,
        english=text.english,
        smtlib=text.smtlib,
        read_as=request.POST.get("read", "") or NOT_SEEN,
        name=request.POST.get("name", "").strip(),
    )
    try:
        check_seen(policy, request.POST.get(SEEN, ""), add)
        rule = add()
    except ReadingError as error:
        return _read(request, policy, error)
    except (RefusedError, DraftMovedError) as error:
        problem = {"act": "assume", "sentence": as_sentence(str(error))}
        if request.htmx:
            return shown_beside(request, problem, 422)
        return _page(request, policy, build_queue(policy), sent=sent_by(request), problem=problem)
    messages.success(request, f"Saved: {rule.name}. Read it as it stands now, then approve it.")
    return whole_page(request, card_url(policy, rule.uid))


def _read(
    request: MemberRequest, policy: Policy, refusal: ReadingError | None = None
) -> HttpResponse:
    def propose(text: Written) -> Proposed:
        return propose_assumption(policy, english=text.english, smtlib=text.smtlib)

    reading = read_text(request, policy, propose, note_on(refusal))
    if request.htmx:
        return reading_alone(request, policy, place_of_assumption(policy), reading)
    status = 200 if reading.proposed and refusal is None else 422
    again = sent_by(request, reading)
    return _page(request, policy, build_queue(policy), status=status, sent=again)


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
            told = first_told(request, policy, lambda: add(form.cleaned_data))
            if told is not None:
                return told
            rule = add(form.cleaned_data)
        except (RefusedError, DraftMovedError) as error:
            form.add_error(None, as_sentence(str(error)))
        else:
            messages.success(request, f"Saved: {rule.name}. Read it in English, then approve it.")
            return redirect(card_url(policy, rule.uid))
    return _page(request, policy, queue, forms={name: form})


def _page(
    request: MemberRequest,
    policy: Policy,
    queue: Queue,
    *,
    sent: Sent | None = None,
    problem: dict[str, Any] | None = None,
    forms: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    model = queue.composition.model
    place = place_of_assumption(policy)
    context = {
        "policy": policy,
        "tab": "assumptions",
        "queue": queue,
        "assumptions": _shown(queue, Kind.ASSUMPTION),
        "defaults": _shown(queue, Kind.DEFAULT),
        "range_form": RangeForm(model=model, auto_id="range_%s"),
        "default_form": DefaultForm(model=model, auto_id="default_%s"),
        "may_edit": may(request.user, policy, Action.EDIT),
        "editors": editors(place, english="", smtlib="", shown="", sent=sent),
        "sent": sent,
        "problem": problem,
        **(forms or {}),
    }
    status = 422 if forms or problem else status
    return render(request, "vetting/assumptions.html", context, status=status)


def _shown(queue: Queue, kind: Kind) -> list[dict[str, Any]]:
    model = queue.composition.model
    cards = [card for card in queue.cards if card.kind == kind.value]
    return [
        {
            "uid": card.key,
            "name": queue.cover.outline.rules[card.key].name,
            "state": card.state,
            "english": render_rule(model, model.rule_by_id[card.key])
            if card.key in model.rule_by_id
            else queue.rules[card.key].problem,
        }
        for card in cards
    ]
