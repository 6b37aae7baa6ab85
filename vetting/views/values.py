"""What is said of an enumeration's values, and what follows where a choice of one is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, may, policy_view
from policies.editing import DraftMovedError
from policies.models import Policy
from policies.roles import Action
from policywright.english import render_rule
from policywright.model import Kind
from vetting.models import ValuesQuestion
from vetting.queue import build_queue
from vetting.refusals import MovedError, RefusedError
from vetting.values import add_other, say_values, values_states
from vetting.values_apart import make_facts
from vetting.views.acting import number, sent
from vetting.views.cards import as_sentence
from vetting.views.foretold import first_told
from vetting.views.review import card_url
from vetting.views.values_asked import values_shown


@policy_view(Action.VIEW)
@require_GET
def values(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    return _page(request, policy, uid)


@policy_view(Action.DECIDE)
@require_POST
def say(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    def act() -> str:
        wanted = sent(request, "question")
        if wanted not in ValuesQuestion.values:
            raise RefusedError("choose one of the answers that are offered.")
        holds = sent(request, "holds") == "yes"
        shown = sent(request, "shown")
        question = ValuesQuestion(wanted)
        say_values(policy, request.user, uid, question, holds=holds, shown_hash=shown)
        return "Kept beside your name."

    return _act(request, policy, uid, act)


@policy_view(Action.EDIT)
@require_POST
def other(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    def act() -> str:
        add_other(policy, request.user, uid, shown_hash=sent(request, "shown"))
        return "Added: something else. The rules that use these values wait again."

    return _act(request, policy, uid, act, tell=True)


@policy_view(Action.EDIT)
@require_POST
def facts(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    def act() -> str:
        made = make_facts(policy, request.user, uid, shown_revision=number(sent(request, "draft")))
        return f"Each value is a fact of its own now: {len(made)} were declared."

    return _act(request, policy, uid, act, gone="glossary", tell=True)


def _page(
    request: MemberRequest,
    policy: Policy,
    uid: str,
    problem: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    queue = build_queue(policy)
    composition = queue.composition
    found = {one.datatype.id: one for one in values_states(policy, composition)}
    if uid not in composition.model.datatype_by_id:
        raise Http404
    review = found.get(uid)
    model = composition.model
    rules = [
        {"uid": rule.id, "english": render_rule(model, rule)}
        for rule in model.rules
        if review is not None and rule.id in review.rules and rule.kind is not Kind.DEFAULT
    ]
    context = {
        "policy": policy,
        "tab": "glossary",
        "queue": queue,
        "datatype": model.datatype_by_id[uid],
        "one": values_shown(review, composition) if review else None,
        "rules": rules,
        "may_decide": may(request.user, policy, Action.DECIDE),
        "problem": problem,
    }
    return render(request, "vetting/values.html", context, status=status)


def _act(
    request: MemberRequest,
    policy: Policy,
    uid: str,
    act: Callable[[], str],
    *,
    gone: str = "",
    tell: bool = False,
) -> HttpResponse:
    """Do it and go back to the card or the page; or say why not, on the page.

    `tell` says that the act may turn scenarios, and that those are to be shown first.
    """
    try:
        told = first_told(request, policy, act) if tell else None
        if told is not None:
            return told
        messages.success(request, act())
    except (RefusedError, DraftMovedError) as error:
        moved = isinstance(error, (MovedError, DraftMovedError))
        problem = {"sentence": as_sentence(str(error))}
        return _page(request, policy, uid, problem, 409 if moved else 422)
    card = sent(request, "card")
    if card.isalnum():
        return redirect(f"{card_url(policy, card)}#here")
    return redirect(gone, policy.slug) if gone else redirect("values", policy.slug, uid)
