"""What each version took: a page, a table for other programs, and where browsers send seconds."""

from __future__ import annotations

import csv
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, policy_view
from policies.models import Policy
from policies.roles import MATRIX, Action
from vetting.effort import FEWEST, Time, VersionEffort, effort_of, note_effort, own_time
from vetting.queue import build_queue
from vetting.views.acting import number, sent

COLUMNS = (
    "version",
    "published_at",
    "decisions",
    "edits",
    "reversals",
    "active_seconds",
    "cards",
    "median_seconds_a_card",
)


@policy_view(Action.VIEW)
@require_GET
def effort(request: MemberRequest, policy: Policy) -> HttpResponse:
    own = own_time(policy, request.user)
    context = {
        "policy": policy,
        "tab": "versions",
        "queue": build_queue(policy),
        "fewest": FEWEST,
        "rows": [effort_shown(one, own.get(one.number)) for one in reversed(effort_of(policy))],
        "may_export": bool(request.roles & MATRIX[Action.EXPORT]),
    }
    return render(request, "vetting/effort.html", context)


@policy_view(Action.EXPORT)
@require_GET
def effort_csv(request: MemberRequest, policy: Policy) -> HttpResponse:
    """The same for everybody: nobody's own time is in it."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{policy.slug}-effort.csv"'
    response["Cache-Control"] = "private, no-store"
    table = csv.writer(response)
    table.writerow(COLUMNS)
    for one in effort_of(policy):
        time = one.time
        told = (time.seconds, time.cards, _said(time.median_s)) if time else ("", "", "")
        at = one.published_at.isoformat() if one.published_at else ""
        table.writerow((one.number, at, one.decisions, one.edits, one.reversals, *told))
    return response


@policy_view(Action.DECIDE)
@require_POST
def seconds(request: MemberRequest, policy: Policy) -> HttpResponse:
    """A browser's message: it is answered with nothing, whatever it says."""
    note_effort(policy, request.user, number(sent(request, "seconds")), sent(request, "card"))
    return HttpResponse(status=204)


def effort_shown(one: VersionEffort, own: Time | None) -> dict[str, Any]:
    return {"effort": one, "time": _shown(one.time), "own": _shown(own)}


def _shown(time: Time | None) -> dict[str, Any] | None:
    if time is None:
        return None
    middle = "" if time.median_s is None else duration(round(time.median_s))
    return {"total": duration(time.seconds), "cards": time.cards, "median": middle}


def duration(seconds: int) -> str:
    """`40 s`, `12 min`, `3 h 5 min`."""
    if seconds < 60:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _said(middle: float | None) -> str:
    return "" if middle is None else f"{middle:g}"
