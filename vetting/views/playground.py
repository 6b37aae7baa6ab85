"""The playground: facts are chosen in the address, and it is shown what follows of each outcome.

The whole state is the query: `f.<uid>=<text>` for each fact in the order it was added,
`find`, `page` and `also=derived` for which outcomes are shown. A form that sends `add` is
led to the address without it. With htmx a change of a value replaces what follows and the
sentences beside the controls, never a field that somebody types in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET
from django_htmx.http import push_url, retarget

from policies.access import MemberRequest, may, policy_view
from policies.composing import Composition, compose
from policies.models import Policy
from policies.roles import Action
from policywright.english import draft_phrases
from policywright.english.render import is_said
from policywright.findings import FindingKind
from policywright.findings.conditions import equals
from policywright.model import PolicyModel, Role
from policywright.playground import A_PAGE, State
from policywright.scenarios import Scenario, say_scenario
from policywright.scenarios.sentences import NOT_SAID
from policywright.solving import SolverGoneError
from policywright.sorts import BOOL
from policywright.terms import Term
from vetting.playground import MAX_FACTS, ask_playground, find_variables, read_chosen, variables_but
from vetting.queue import build_queue
from vetting.views.acting import number
from vetting.views.cards import as_sentence
from vetting.views.playground_shown import (
    FACT,
    Place,
    Saying,
    asked,
    control,
    phrase,
    told,
)

MAX_OFFERED = 150
MAX_WORDS = 200
GONE = "The solver ended without an answer. Load the page again."
LATE = "There was no answer in time. Ask for fewer outcomes, or give more facts."


@policy_view(Action.VIEW)
@require_GET
def playground(request: MemberRequest, policy: Policy) -> HttpResponse:
    # A part of the page, and what is led on at once, need no more than the rules.
    queue = None if request.htmx or "add" in request.GET else build_queue(policy)
    composition = queue.composition if queue else compose(policy)
    model = composition.model
    place = _place(request, policy, composition)
    adding = _adding(request, model, place)
    if adding["one"] is not None:
        uid = adding["one"].id
        place = _place(request, policy, composition, [(f"{FACT}{uid}", "")])
        if not request.htmx:
            return redirect(f"{place.url()}#f-{uid}")
    elif "add" in request.GET and not adding["words"] and not request.htmx:
        return redirect(place.url())
    context = {
        "policy": policy,
        "tab": "suite",
        "queue": queue,
        "has_rules": bool(model.rules),
        "broken": len(composition.broken),
        "place": place,
        "adding": adding,
        "controls": [control(model, place, one) for one in place.chosen],
        "is_full": len(place.chosen) >= MAX_FACTS,
        "most": MAX_FACTS,
        "offered": _offered(model, place),
        "many": len(model.variables) > MAX_OFFERED,
        "outcomes_in_all": sum(one.role is Role.OUTCOME for one in model.variables),
        "has_derived": any(one.role is Role.DERIVED for one in model.variables),
        "new": adding["one"].id if adding["one"] else "",
        "goes_on": bool(request.htmx) and (request.htmx.trigger or "").startswith("set-"),
        "may_keep": may(request.user, policy, Action.EDIT),
        **_what_follows(composition, place),
    }
    if not request.htmx:
        return render(request, "vetting/playground.html", context)
    small = request.htmx.target == "follows" and not adding["words"] and not context["new"]
    template = "vetting/_follows.html" if small else "vetting/_playground.html"
    response = render(request, template, context | {"small": small})
    if not small:
        retarget(response, "#playground")
    return push_url(response, place.url())


@policy_view(Action.EDIT)
@require_GET
def keep(request: MemberRequest, policy: Policy) -> HttpResponse:
    """To the form for a scenario, with the facts and what was found of one outcome in English."""
    composition = compose(policy)
    model = composition.model
    place = _place(request, policy, composition)
    claim, kind = _claim_sent(request, composition)
    if kind is None:
        messages.error(request, "Choose the outcome to keep once more.")
        return redirect(place.url())
    text = say_scenario(model, Scenario(place.given, claim, kind))
    if text == NOT_SAID or not is_said(text):
        messages.error(request, text)
        return redirect(place.url())
    return redirect(f"{reverse('own-new', args=[policy.slug])}?{urlencode({'text': text})}")


def _place(
    request: MemberRequest,
    policy: Policy,
    composition: Composition,
    more: Sequence[tuple[str, str]] = (),
) -> Place:
    sent = [*((name, text) for name, text in request.GET.items()), *more]
    facts = [(name.removeprefix(FACT), str(t)) for name, t in sent if name.startswith(FACT)]
    return Place(
        policy,
        tuple(read_chosen(composition, facts)),
        request.GET.get("find", "")[:MAX_WORDS].strip(),
        request.GET.get("page", ""),
        request.GET.get("also") == "derived",
    )


def _adding(request: MemberRequest, model: PolicyModel, place: Place) -> dict[str, Any]:
    """What the words for a further fact mean: one variable, several to choose from, or none."""
    words = request.GET.get("add", "")[:MAX_WORDS].strip()
    taken = [one.variable.id for one in place.chosen]
    found = find_variables(model, words, taken) if words and len(taken) < MAX_FACTS else []
    return {
        "words": "" if len(found) == 1 else words,
        "one": found[0] if len(found) == 1 else None,
        "several": [
            {"says": asked(one), "url": place.url({one.id: ""}), "uid": one.id}
            for one in (found if len(found) > 1 else [])
        ],
    }


def _offered(model: PolicyModel, place: Place) -> list[str]:
    """The phrases of all that may be added, where they are not too many for a list."""
    if len(model.variables) > MAX_OFFERED:
        return []
    taken = {one.variable.id for one in place.chosen}
    return [draft_phrases(one).text for one in variables_but(model, taken)]


def _what_follows(composition: Composition, place: Place) -> dict[str, Any]:
    model = composition.model
    if not model.rules:
        return {"trouble": "", "played": None}
    wanted = _asked_outcomes(model, place)
    start = (min(max(number(place.page), 1), 1 + len(model.variables) // A_PAGE) - 1) * A_PAGE
    try:
        played = ask_playground(
            model, place.given, asked=wanted, start=start, derived=place.derived
        )
        if played is not None and start >= played.total > 0:
            start = 0
            played = ask_playground(model, place.given, asked=wanted, derived=place.derived)
    except SolverGoneError:
        return {"trouble": GONE, "played": None}
    if played is None:
        return {"trouble": LATE, "played": None}
    saying = Saying(composition, place)
    page = Paginator(range(played.total), A_PAGE).get_page(start // A_PAGE + 1)
    return {
        "trouble": "",
        "played": played,
        "clash": saying.clash(played.clash) if played.clash else None,
        "outcomes": [
            saying.outcome(one, clashes=played.clash is not None) for one in played.outcomes
        ],
        "matters": [saying.matter(one) for one in played.matters],
        "any_open": any(one.state is State.OPEN for one in played.outcomes),
        "told": told(played),
        "limits": [as_sentence(line) for line in played.limits],
        "page": page,
        "before": place.url(page=page.number - 1) if page.has_previous() else "",
        "after": place.url(page=page.number + 1) if page.has_next() else "",
    }


def _asked_outcomes(model: PolicyModel, place: Place) -> list[str] | None:
    """The outcomes that the words look for; None for all."""
    words = place.find.casefold().split()
    if not words:
        return None
    said = ((one.id, f"{phrase(one)} {one.name}".casefold()) for one in model.variables)
    return [uid for uid, text in said if all(word in text for word in words)]


def _claim_sent(
    request: MemberRequest, composition: Composition
) -> tuple[Term | None, FindingKind | None]:
    """The claim of a scenario to keep, and what was found; no finding for a hostile address."""
    variable = composition.model.variable_by_id.get(request.GET.get("claim", ""))
    said = request.GET.get("said", "")
    if said == "cannot":
        return None, FindingKind.IMPOSSIBLE
    if variable is None:
        return None, None
    if said == "open" and variable.sort == BOOL:
        return variable.symbol, FindingKind.SATISFIABLE
    found = read_chosen(composition, [(variable.id, request.GET.get("value", ""))])
    if said != "value" or found[0].value is None:
        return None, None
    return equals(variable, found[0].value), FindingKind.VALID
