"""Shows which scenarios an act would turn before it is done; done once they were seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from policies.access import MemberRequest, typed_fields
from policies.models import Policy
from vetting.foretelling import foretell

SEEN = "seen-scenarios"


def first_told(
    request: MemberRequest,
    policy: Policy,
    act: Callable[[], object],
    *,
    carry: Sequence[str] = (),
) -> HttpResponse | None:
    """None where the act may be done: nothing turns, or what turns was shown.

    Else what turns, with a button that does it all the same: beside the control that was
    used, or on a page of its own. `carry` are fields that only a button sends. Raises what
    the act raises.
    """
    changes = foretell(policy, act)
    if not changes.any:
        return None
    token = changes.token
    if request.POST.get(SEEN) == token:
        return None
    context = {"policy": policy, "changes": changes, "seen": SEEN, "token": token}
    fields = [(name, value) for name, value in typed_fields(request) if name != SEEN]
    if request.htmx:
        context["fields"] = [(name, value) for name, value in fields if name in carry]
        response = render(request, "vetting/_foretold.html", context, status=409)
        response["X-Problem"] = "shown"
        return response
    context |= {
        "fields": fields,
        "act": request.get_full_path(),
        "back": _back(request, policy),
    }
    return render(request, "vetting/foretold.html", context, status=409)


def _back(request: MemberRequest, policy: Policy) -> str:
    page = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(page, {request.get_host()})
    return page if ours else reverse("policy", args=[policy.slug])
