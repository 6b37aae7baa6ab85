"""What is for a person, of all their policies; and whether they are told of it by mail."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Exists, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from policies.access import MemberRequest, public_view, signed_in_view
from policies.models import User
from vetting.assigning import present_of
from vetting.digests import set_mail, user_of_token, wants_mail
from vetting.seen import (
    assignments_of,
    new_assignments,
    new_comments,
    saw_assignments,
    threads_for,
)
from vetting.thread_models import Assignment
from vetting.threads import ThreadNow, read_threads, with_state
from vetting.views.comments import shown_to
from vetting.views.subjects import Subject, subjects_by_key, subjects_of

A_PAGE = 20
MOST_GIVEN = 100


@signed_in_view
@require_GET
def for_you(request: MemberRequest) -> HttpResponse:
    """New threads first, then the latest; looking at the page is what marks them as seen."""
    user = request.user
    rows = with_state(threads_for(user)).annotate(is_new=Exists(new_comments(user)))
    # What is closed and read is over.
    rows = rows.exclude(is_closed=True, is_new=False).order_by("-is_new", "-last_at", "-pk")
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page", ""))
    threads = read_threads(cast(QuerySet[Any], page.object_list))
    new = set(new_assignments(user).values_list("pk", flat=True))
    given = list(assignments_of(user).select_related("policy", "by").order_by("-pk"))
    context = {
        "tab": "for-you",
        "page": page,
        "threads": _threads(user, threads),
        "given": _given(given[:MOST_GIVEN], new),
        "more_given": max(0, len(given) - MOST_GIVEN),
        "wants_mail": wants_mail(user),
    }
    if new:
        saw_assignments(user, max(new))
    return render(request, "vetting/for_you.html", context)


@signed_in_view
@require_POST
def mail(request: MemberRequest) -> HttpResponse:
    """Each day what is new, or never."""
    wants = request.POST.get("mail") == "daily"
    set_mail(request.user, wants)
    said = "You get at most one message a day." if wants else "You get no messages any more."
    messages.success(request, said)
    return redirect("for-you")


# A mail program sends this without our cookies (RFC 8058): the signed link says whose it is,
# and all that it can do is to end the messages.
@csrf_exempt
@public_view
@require_http_methods(["GET", "POST"])
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """The link in a message: GET asks, since programs open links by themselves; POST ends them."""
    user = user_of_token(token)
    if user is None:
        raise Http404
    if request.method == "POST":
        set_mail(user, False)
    context = {"is_done": request.method == "POST", "stops": not wants_mail(user)}
    return render(request, "vetting/mail_stop.html", context)


def _threads(user: User, threads: Sequence[ThreadNow]) -> list[dict[str, Any]]:
    uids = [one.thread.uid for one in threads]
    given = present_of(None, uids)
    subjects: dict[int, Subject] = {}
    for policy in dict.fromkeys(one.thread.policy for one in threads):
        own = [one.thread for one in threads if one.thread.policy_id == policy.pk]
        subjects |= subjects_of(policy, own)
    return [
        one | {"subject": subjects[one["thread"].pk], "policy": one["thread"].policy}
        for one in shown_to(user, threads, given)
    ]


def _given(given: Sequence[Assignment], new: Collection[int]) -> list[dict[str, Any]]:
    """What a person has to see to, by policy; without what is gone altogether."""
    shown = []
    for policy in dict.fromkeys(one.policy for one in given):
        own = [one for one in given if one.policy_id == policy.pk]
        subjects = subjects_by_key(policy, [(one.about, one.key) for one in own])
        things = [
            {"subject": subjects[one.key], "row": one, "is_new": one.pk in new}
            for one in own
            if one.key in subjects
        ]
        shown.append({"policy": policy, "things": things})
    return shown
