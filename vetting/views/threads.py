"""Threads: the list of them, those on one thing, one by itself, and what is done in them.

A form that is refused is shown again with its text, on the page of what it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, by_uid_or_404, policy_view, require
from policies.models import Policy, User
from policies.roles import MATRIX, Action
from vetting.assigning import assign, keys_of, present_of
from vetting.mentions import members_of
from vetting.models import Thread
from vetting.refusals import RefusedError
from vetting.thread_models import About
from vetting.threads import (
    Said,
    ThreadNow,
    answer_in,
    close_thread,
    open_thread,
    read_threads,
    start_thread,
    threads_of,
    with_state,
)
from vetting.views.acting import number, sent, shown_beside
from vetting.views.cards import as_sentence
from vetting.views.comments import may_comment, shown_to
from vetting.views.review import whole_page
from vetting.views.subjects import Subject, subject_of, subjects_of

A_PAGE = 20
# Of one thread on a page; those before them are a page away.
MOST_COMMENTS = 100
SHOWN = {"open": "open", "closed": "closed", "mine": "assigned to me", "all": "all"}


@policy_view(Action.VIEW)
@require_GET
def listed(request: MemberRequest, policy: Policy) -> HttpResponse:
    """The threads of a policy, the latest first; those on what left the draft too."""
    rows = with_state(Thread.objects.filter(policy=policy)).order_by("-last_at", "-pk")
    show = request.GET.get("show", "")
    show = show if show in SHOWN else "open"
    if show in ("open", "closed"):
        rows = rows.filter(is_closed=show == "closed")
    elif show == "mine":
        rows = rows.filter(uid__in=keys_of(policy, request.user))
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page", ""))
    threads = read_threads(cast(QuerySet[Any], page.object_list))
    context = {
        "policy": policy,
        "page": page,
        "show": show,
        "shown": SHOWN.items(),
        "threads": _with_subjects(request, policy, threads),
    }
    return render(request, "vetting/threads.html", context)


@policy_view(Action.VIEW)
@require_GET
def about(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    """All threads on a rule or a sentence, whom it is given to, and a form for a new one."""
    return _about_page(request, policy, _subject(policy, key))


@policy_view(Action.COMMENT)
@require_POST
def start(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    subject = _subject(policy, key)
    on: dict[str, Any] = {"rule": subject.rule} if subject.rule else {"lineage": key}
    try:
        said = start_thread(policy, request.user, text=sent(request, "text"), **on)
    except RefusedError as error:
        return _refused(request, error) or _about_page(request, policy, subject, refused=error)
    _tell(request, said)
    return _back(request, reverse("threads-about", args=[policy.slug, key]))


@policy_view(Action.COMMENT)
@require_POST
def give(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    """A rule or a sentence to somebody, or back."""
    subject = _subject(policy, key)
    try:
        _assign(request, policy, subject.about, key)
    except RefusedError as error:
        return _refused(request, error) or _about_page(request, policy, subject, refused=error)
    return _back(request, reverse("threads-about", args=[policy.slug, key]))


@policy_view(Action.VIEW)
@require_GET
def thread(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    return _thread_page(request, policy, _thread(policy, uid))


@policy_view(Action.COMMENT)
@require_POST
def say(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = _thread(policy, uid)
    try:
        said = answer_in(policy, request.user, found, text=sent(request, "text"))
    except RefusedError as error:
        return _refused(request, error) or _thread_page(request, policy, found, refused=error)
    _tell(request, said)
    return _back(request, _url(policy, found))


@policy_view(Action.COMMENT)
@require_POST
def close(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = _thread(policy, uid)
    done = close_thread(policy, request.user, found)
    messages.success(request, "Closed. It is kept, and can be opened again.")
    return _back(request, _url(policy, found)) if done else whole_page(request, _url(policy, found))


@policy_view(Action.COMMENT)
@require_POST
def reopen(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = _thread(policy, uid)
    open_thread(policy, request.user, found)
    messages.success(request, "Open again.")
    return _back(request, _url(policy, found))


@policy_view(Action.COMMENT)
@require_POST
def give_thread(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = _thread(policy, uid)
    try:
        _assign(request, policy, About.THREAD, found.uid)
    except RefusedError as error:
        return _refused(request, error) or _thread_page(request, policy, found, refused=error)
    return _back(request, _url(policy, found))


def _about_page(
    request: MemberRequest, policy: Policy, subject: Subject, *, refused: RefusedError | None = None
) -> HttpResponse:
    on = {"rules": [subject.key]} if subject.rule else {"lineages": [subject.key]}
    rows = threads_of(policy, **on).order_by("is_closed", "-last_at", "-pk")
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page", ""))
    threads = read_threads(cast(QuerySet[Any], page.object_list))
    given = present_of(policy, [subject.key, *(one.thread.uid for one in threads)])
    context = {
        **_frame(request, policy, refused),
        "subject": subject,
        "page": page,
        "threads": shown_to(request.user, threads, given),
        "assigned": given[subject.key].to if subject.key in given else None,
    }
    return render(request, "vetting/threads_about.html", context, status=422 if refused else 200)


def _thread_page(
    request: MemberRequest, policy: Policy, found: Thread, *, refused: RefusedError | None = None
) -> HttpResponse:
    rows = with_state(Thread.objects.filter(policy=policy, pk=found.pk))
    before = number(request.GET["before"]) if "before" in request.GET else None
    threads = read_threads(rows, MOST_COMMENTS, before)
    given = present_of(policy, [found.uid])
    (shown,) = shown_to(request.user, threads, given)
    context = {
        **_frame(request, policy, refused),
        "one": shown,
        "is_earlier": before is not None,
        "subject": subjects_of(policy, [found])[found.pk],
        "assigned": shown["assigned"],
    }
    return render(request, "vetting/thread.html", context, status=422 if refused else 200)


def _frame(request: MemberRequest, policy: Policy, refused: RefusedError | None) -> dict[str, Any]:
    return {
        "policy": policy,
        "members": members_of(policy),
        "may_comment": may_comment(request, policy),
        "may_assign": bool(request.roles & MATRIX[Action.DECIDE]),
        "problem": as_sentence(str(refused)) if refused else "",
        "typed": sent(request, "text"),
    }


def _with_subjects(
    request: MemberRequest, policy: Policy, threads: Sequence[ThreadNow]
) -> list[dict[str, Any]]:
    given = present_of(policy, [one.thread.uid for one in threads])
    subjects = subjects_of(policy, [one.thread for one in threads])
    return [
        one | {"subject": subjects[one["thread"].pk]}
        for one in shown_to(request.user, threads, given)
    ]


def _assign(request: MemberRequest, policy: Policy, about: About, key: str) -> None:
    """By who decides; what was given to oneself can be given back by anybody."""
    wanted = sent(request, "to")
    to = User.objects.filter(pk=number(wanted)).first() if wanted else None
    now = present_of(policy, [key]).get(key)
    gives_back = not wanted and now is not None and now.to_id == request.user.pk
    if not gives_back:
        require(request.user, policy, Action.DECIDE)
    if wanted and to is None:
        raise RefusedError("choose somebody who is a member of this policy.")
    assign(policy, request.user, about, key, to)
    messages.success(request, f"Assigned to {to}." if to else "Assigned to nobody.")


def _tell(request: MemberRequest, said: Said) -> None:
    """That it is kept; who is told of it, and which names are nobody's."""
    names = said.names
    people = list(dict.fromkeys(str(one.user) for one in names.named))
    told = f" {', '.join(people)} will see it." if people else ""
    messages.success(request, f"Your comment is kept.{told}")
    if names.unknown:
        words = ", ".join(f"‘@{one}’" for one in names.unknown[:5])
        messages.warning(request, f"Nobody here is called {words}; it stays as text.")
    for name in names.ambiguous[:5]:
        messages.warning(
            request, f"More than one person is called ‘@{name}’; name one by e-mail address."
        )


def _refused(request: MemberRequest, error: RefusedError) -> HttpResponse | None:
    """For htmx a sentence beside the form, which keeps its text."""
    if not request.htmx:
        return None
    return shown_beside(request, {"sentence": as_sentence(str(error))}, 422)


def _back(request: MemberRequest, url: str) -> HttpResponse:
    """To the page that the form was on, as it says in `next`, else to this one."""
    wanted = sent(request, "next")
    ours = wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, None)
    return whole_page(request, wanted if ours else url)


def _url(policy: Policy, found: Thread) -> str:
    return reverse("thread", args=[policy.slug, found.uid])


def _thread(policy: Policy, uid: str) -> Thread:
    return by_uid_or_404(Thread.objects.filter(policy=policy), uid)


def _subject(policy: Policy, key: str) -> Subject:
    found = subject_of(policy, key)
    if found is None:
        raise Http404
    return found
