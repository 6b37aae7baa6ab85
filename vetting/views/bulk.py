"""Approving a list: chosen rules or all of the filters', a page that names each, then the act."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from policies.access import MemberRequest, policy_view
from policies.models import Policy
from policies.roles import Action
from vetting.bulk import Listed, NotAllError, approve_listed, look_at
from vetting.filters import Filters, filtered
from vetting.queue import build_queue
from vetting.views.acting import sent
from vetting.views.cards import as_sentence

_LISTED = re.compile(r"([0-9a-f]{32})/(\S{1,70})")


@policy_view(Action.DECIDE)
@require_http_methods(["GET", "POST"])
def confirm(request: MemberRequest, policy: Policy) -> HttpResponse:
    """Each rule by name, those that are left out with why. Asked for by an address with filters
    it is all of their rules, whatever the page; a form sends those that are ticked."""
    if request.method == "POST":
        asked, query = _read(request.POST.getlist("rule")), sent(request, "list")
        if not asked:
            messages.info(request, "Tick the rules that you want to approve.")
            return redirect(_list_url(policy, query))
    else:
        queue, filters = build_queue(policy), Filters.of(request.GET)
        rules = queue.cover.outline.rules
        cards = filtered(policy, request.user, filters, queue)
        asked = {card.key: rules[card.key].hash for card in cards if card.key in rules}
        query = filters.query
    return _page(request, policy, look_at(policy, request.user, asked), query)


@policy_view(Action.DECIDE)
@require_POST
def approve(request: MemberRequest, policy: Policy) -> HttpResponse:
    """Exactly what the page listed, or nothing of it."""
    asked, query = _read(sent(request, "rules").split()), sent(request, "list")
    try:
        decisions = approve_listed(policy, request.user, asked)
    except NotAllError as error:
        return _page(request, policy, error.listed, query, problem=str(error), status=409)
    count = len(decisions)
    said = f"Approved {count:,} rule{'' if count == 1 else 's'}."
    messages.success(request, said if count else "All of them were approved before.")
    return redirect(_list_url(policy, query))


def _page(
    request: MemberRequest,
    policy: Policy,
    listed: Sequence[Listed],
    query: str,
    *,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    taken = [one for one in listed if one.is_taken]
    context = {
        "policy": policy,
        "tab": "review",
        "taken": taken,
        "done": [one for one in listed if one.is_done],
        "left_out": [one for one in listed if one.why],
        "count": len(listed),
        "rules": "\n".join(f"{one.uid}/{one.hash}" for one in taken),
        "query": Filters.of_query(query).query,
        "problem": as_sentence(problem),
    }
    return render(request, "vetting/bulk.html", context, status=status)


def _read(values: Iterable[str]) -> Mapping[str, str]:
    """Uids with the hashes that were listed; what is no such pair names nothing."""
    found = (_LISTED.fullmatch(value) for value in values)
    return {one[1]: one[2] for one in found if one}


def _list_url(policy: Policy, query: str) -> str:
    kept = Filters.of_query(query).query
    return reverse("queue", args=[policy.slug]) + (f"?{kept}" if kept else "")
