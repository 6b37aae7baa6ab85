"""A person says what is wrong with rules; a model proposes them changed; the person chooses.

The form says where the text goes before it goes there. While the model works the page
waits; what it proposed is shown beside the rules, with what would come of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from policies.access import MemberRequest, by_uid_or_404, may, policy_view
from policies.editing import DraftMovedError
from policies.jobs import cancel_job, retry_failed
from policies.models import Item, Policy
from policies.models.jobs import ItemState, JobState
from policies.models.people import new_uid
from policies.roles import Action
from translation.budgets import spent
from translation.connection import Connection
from translation.feedback.given import MAX_RULES
from translation.feedback.giving import give_feedback, model_asked
from translation.formalizers import FormalizerError
from translation.models import Chosen, Feedback
from vetting.feedback import accept_changes, decline_changes, latest_choice, show_proposals
from vetting.foretelling import check_seen
from vetting.models import Scenario
from vetting.refusals import MovedError, RefusedError
from vetting.said_wrong import (
    MAX_FOUND,
    case_of,
    check_feedback,
    find_rules,
    rules_of_sentence,
    rules_spoken_of,
    where_asked,
)
from vetting.views.acting import sent
from vetting.views.cards import as_sentence, variable_kind
from vetting.views.foretold import SEEN
from vetting.views.places import sources_shown
from vetting.views.review import card_url

# A list shows so many, the latest first.
MAX_LISTED = 50
_UID = re.compile(r"[0-9a-f]{32}")


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def new(request: MemberRequest, policy: Policy) -> HttpResponse:
    """The form: rules, what is wrong with them, and where the words go."""
    asked, trouble = _asked(policy)
    if request.method == "GET":
        return _first_form(request, policy, asked, trouble)
    ticked = _uids(request.POST.getlist("rule"))
    case, _, stale = _case(policy, sent(request, "scenario"))
    if stale or "find" in request.POST:
        status = 409 if stale else 200
        return _form(request, policy, asked, trouble, ticked, case, stale, status=status)
    shown = {uid: sent(request, f"shown-{uid}") for uid in ticked}
    try:
        if trouble:
            raise RefusedError(trouble)
        text = check_feedback(policy, sent(request, "text"), shown, asked, sent(request, "asked"))
    except RefusedError as error:
        status = 409 if isinstance(error, MovedError) else 422
        problem = as_sentence(str(error))
        return _form(request, policy, asked, trouble, ticked, case, problem, status=status)
    assert asked is not None  # checked above
    once = sent(request, "once")
    made = give_feedback(
        policy,
        request.user,
        uid=once if _UID.fullmatch(once) else new_uid(),
        text=text,
        rules=shown,
        case=case,
        asked=asked,
    )
    return redirect("feedback", policy.slug, made.uid)


@policy_view(Action.VIEW)
@require_GET
def feedback(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """Where it stands: the model works, could not be asked, or proposed something."""
    found = _feedback(policy, uid)
    if request.htmx:
        if found.job.state == JobState.OPEN:
            return render(request, "vetting/_feedback_waits.html", _context(request, policy, found))
        return HttpResponseClientRedirect(resolve_url("feedback", policy.slug, found.uid))
    return _page(request, policy, found)


@policy_view(Action.VIEW)
@require_GET
def listed(request: MemberRequest, policy: Policy) -> HttpResponse:
    """What was said to be wrong, the latest first, with what became of it."""
    rows = Feedback.objects.filter(policy=policy).select_related("by", "job").order_by("-pk")
    shown = [
        {"row": row, "said": _became(row)}
        for row in rows.prefetch_related("changes__choices", "job__items")[:MAX_LISTED]
    ]
    context = {"policy": policy, "tab": "review", "shown": shown, "most": MAX_LISTED}
    return render(request, "vetting/feedback_list.html", context)


@policy_view(Action.EDIT)
@require_POST
def accept(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found, ticked = _feedback(policy, uid), _uids(request.POST.getlist("change"))
    if "look" in request.POST:
        return _page(request, policy, found, chosen=ticked)
    if set(ticked) != set(_uids(sent(request, "seen").split())):
        said = "Other changes are ticked than were read together; here is what comes of these."
        return _page(request, policy, found, chosen=ticked, problem=said, status=409)

    def act() -> HttpResponse:
        accept_them = partial(accept_changes, policy, request.user, found, ticked)
        check_seen(policy, sent(request, SEEN), accept_them)
        rules = accept_them()
        names = ", ".join(rule.name for rule in rules)
        messages.success(request, f"Accepted: {names}. Read it as it stands now, then approve it.")
        if len(rules) == 1:
            return redirect(f"{card_url(policy, rules[0].uid)}#here")
        return redirect("feedback", policy.slug, found.uid)

    return _act(request, policy, found, ticked, act)


@policy_view(Action.EDIT)
@require_POST
def decline(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found, ticked = _feedback(policy, uid), _uids(request.POST.getlist("change"))

    def act() -> HttpResponse:
        decline_changes(policy, request.user, found, ticked)
        messages.success(request, "Declined: nothing was changed, and what was proposed is kept.")
        return redirect("feedback", policy.slug, found.uid)

    return _act(request, policy, found, ticked, act)


@policy_view(Action.EDIT)
@require_POST
def cancel(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = _feedback(policy, uid)
    if not cancel_job(found.job, request.user):
        messages.info(request, "This had ended already; there was nothing to cancel.")
    return redirect("feedback", policy.slug, found.uid)


@policy_view(Action.EDIT)
@require_POST
def again(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """Ask the model once more, where it could not be asked."""
    found = _feedback(policy, uid)
    retry_failed(found.job, request.user)
    return redirect("feedback", policy.slug, found.uid)


def _act(
    request: MemberRequest,
    policy: Policy,
    found: Feedback,
    ticked: Sequence[str],
    act: Callable[[], HttpResponse],
) -> HttpResponse:
    try:
        return act()
    except MovedError as error:
        said, moved = as_sentence(str(error)), error
    except (RefusedError, DraftMovedError) as error:
        said, moved = as_sentence(str(error)), None
    return _page(
        request,
        policy,
        found,
        chosen=ticked,
        problem=said,
        moved=moved,
        status=409 if moved else 422,
    )


def _asked(policy: Policy) -> tuple[Connection | None, str]:
    """The model that would be asked, and the sentence that says why none can be."""
    try:
        return model_asked(policy), ""
    except FormalizerError as error:
        return None, error.as_sentence()


def _first_form(
    request: MemberRequest, policy: Policy, asked: Connection | None, trouble: str
) -> HttpResponse:
    uids = _uids(request.GET.getlist("rule"))
    case, about, problem = _case(policy, request.GET.get("scenario", ""))
    lineage = request.GET.get("sentence", "")
    if _UID.fullmatch(lineage):
        uids += rules_of_sentence(policy, lineage)
    earlier = request.GET.get("again", "")
    text = ""
    if _UID.fullmatch(earlier):
        said = Feedback.objects.filter(policy=policy, uid=earlier).first()
        if said is not None:
            text, case = said.text, case or said.case
            uids += [one["uid"] for one in said.rules]
    uids += [about] if about else []
    return _form(request, policy, asked, trouble, uids, case, problem, text=text, status=200)


def _form(
    request: MemberRequest,
    policy: Policy,
    asked: Connection | None,
    trouble: str,
    ticked: Sequence[str],
    case: Mapping[str, Any],
    problem: str = "",
    *,
    text: str = "",
    status: int,
) -> HttpResponse:
    words = sent(request, "q")[:200]
    found = find_rules(policy, words) if words else []
    # What was shown stays, ticked or not, with what was found.
    before = _uids(request.POST.getlist("offered"))
    rules = rules_spoken_of(policy, list(dict.fromkeys([*ticked, *before, *found])))
    context = {
        "policy": policy,
        "tab": "review",
        "rules": [{"rule": one, "ticked": one.uid in ticked} for one in rules],
        "first": rules[0].uid if rules else "",
        "case": case,
        "text": text or sent(request, "text"),
        "words": words,
        "found_none": bool(words) and not found,
        "found_most": len(found) >= MAX_FOUND,
        "max_rules": MAX_RULES,
        "asked": asked,
        "where": where_asked(asked) if asked else "",
        "trouble": trouble,
        "problem": problem,
        "once": sent(request, "once") or new_uid(),
    }
    return render(request, "vetting/feedback_new.html", context, status=status)


def _case(policy: Policy, uid: str) -> tuple[dict[str, Any], str, str]:
    """The failed scenario of that uid, its rule's uid, and the sentence why it is none."""
    if not uid:
        return {}, "", ""
    scenario = by_uid_or_404(Scenario.objects.filter(policy=policy), uid)
    try:
        return (*case_of(policy, scenario), "")
    except RefusedError as error:
        return {}, "", as_sentence(str(error))


def _page(
    request: MemberRequest,
    policy: Policy,
    found: Feedback,
    *,
    chosen: Sequence[str] | None = None,
    problem: str = "",
    moved: MovedError | None = None,
    status: int = 200,
) -> HttpResponse:
    context = _context(request, policy, found) | {"problem": problem, "moved": moved}
    if context["state"] == "proposed":
        shown = show_proposals(policy, found, chosen)
        model = shown.composition.model
        context |= {
            "shown": shown,
            "changes": [
                {
                    "shown": one,
                    "ticked": one.change.uid in shown.chosen,
                    "sources": sources_shown(policy, one.rule),
                    "new": [
                        {"variable": new, "kind": variable_kind(model, new)} for new in one.new
                    ],
                }
                for one in shown.changes
            ],
            "seen": " ".join(shown.chosen),
        }
    return render(request, "vetting/feedback.html", context, status=status)


def _context(request: MemberRequest, policy: Policy, found: Feedback) -> dict[str, Any]:
    item = Item.objects.get(job=found.job)
    rules = policy.rules.filter(uid__in=[one["uid"] for one in found.rules], retired_at=None)
    return {
        "policy": policy,
        "tab": "review",
        "feedback": found,
        "state": _state(found, item),
        "item": item,
        "model": str(found.job.settings["formalizer"]).partition(":")[2],
        "rules": list(rules.values("uid", "name")),
        "may_edit": may(request.user, policy, Action.EDIT),
        "spent": spent(found.job),
        "again": f"{reverse('new-feedback', args=[policy.slug])}?again={found.uid}",
    }


def _state(found: Feedback, item: Item) -> str:
    if found.job.state == JobState.CANCELLED:
        return "cancelled"
    if found.job.state == JobState.PAUSED:
        return "paused"
    if item.state == ItemState.FAILED:
        return "failed"
    return "proposed" if item.state == ItemState.DONE else "waits"


def _became(row: Feedback) -> str:
    """What became of it, in words."""
    item = row.job.items.all()[0]
    state = _state(row, item)
    if state != "proposed":
        words = {
            "waits": "the model is asked",
            "paused": "paused",
            "failed": "the model could not be asked",
            "cancelled": "cancelled",
        }
        return words[state]
    counts = {"accepted": 0, "declined": 0, "open": 0}
    for change in row.changes.all():
        if change.term is None:
            continue
        last = latest_choice(change)
        counts[str(Chosen(last.chosen)) if last else "open"] += 1
    said = [f"{count} {word}" for word, count in counts.items() if count]
    return ", ".join(said) or "no change that could be taken"


def _feedback(policy: Policy, uid: str) -> Feedback:
    return by_uid_or_404(
        Feedback.objects.filter(policy=policy).select_related("by", "job__policy"), uid
    )


def _uids(values: Sequence[str]) -> list[str]:
    """Those that could be uids, each once."""
    return [one for one in dict.fromkeys(values) if _UID.fullmatch(one)][: 5 * MAX_RULES]
