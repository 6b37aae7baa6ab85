"""The front page of a policy: where it stands, and the one thing to do next."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, policy_view
from policies.approving import asks_second_person
from policies.models import AuditRow, Document, Membership, Policy, Version
from policies.roles import MATRIX, Action
from translation.choices import chosen_by
from vetting.checking import is_being_checked
from vetting.coverage import counted
from vetting.in_the_way import Group, in_the_way
from vetting.lint import hint_of
from vetting.publishing import Blocker
from vetting.queue import Queue, build_queue, left_at
from vetting.sentences import SentenceState
from vetting.tiers import tiers_now
from vetting.views.comments import standing_shown
from vetting.views.published import is_published
from vetting.views.review import card_url

# So many open questions are named.
MAX_QUESTIONS = 20
# So many people are named who were here last, among those of so many last acts.
MAX_LAST, LAST_ACTS = 3, 200


@policy_view(Action.VIEW)
@require_GET
def front(request: MemberRequest, policy: Policy) -> HttpResponse:
    queue = build_queue(policy)
    cover, hint = queue.cover, hint_of(policy)
    rules = cover.outline.rules.values()
    documents = list(policy.documents.all())
    last = last_version(policy)
    groups = in_the_way(policy, cover, hint)
    open_questions = [one for one in cover.outline.questions if one.is_open]
    context = {
        "policy": policy,
        "queue": queue,
        "lint_hint": hint,
        "asks_second": asks_second_person(policy),
        "documents": documents,
        "sentence_total": len(cover.sentences),
        "sentence_counts": counted(cover.sentences),
        "rule_counts": Counter(str(one.state) for one in rules).most_common(),
        "questions": open_questions[:MAX_QUESTIONS],
        "more_questions": max(0, len(open_questions) - MAX_QUESTIONS),
        "groups": [group_shown(policy, one) for one in groups],
        "in_the_way": sum(one.count for one in groups),
        "is_checked": hint is not None,
        "is_being_checked": hint is None and is_being_checked(policy),
        "last_version": last,
        "is_published": not groups and is_published(cover, last),
        "models": chosen_by(policy),
        "people": _people(policy),
        "last_here": _last_here(policy),
        "tiers": tiers_now(policy),
        "talk": standing_shown(policy, request.user, queue.by_key),
        "may_manage": bool(request.roles & MATRIX[Action.MANAGE]),
        "next_step": _next_step(request, policy, queue, documents, last),
    }
    return render(request, "vetting/policy_front.html", context)


def last_version(policy: Policy) -> Version | None:
    """Without what is as long as the policy."""
    rows = policy.versions.select_related("published_by").defer("record", "smt2")
    return rows.order_by("number").last()


def group_shown(policy: Policy, group: Group) -> dict[str, Any]:
    """The first of a group, each with the page on which it can be lifted, and where the rest is."""
    return {
        "named": [blocker_shown(policy, one) for one in group.named],
        "more": group.more,
        "url": page_of(policy, group.kind),
    }


def blocker_shown(policy: Policy, blocker: Blocker) -> dict[str, str]:
    """A blocker's sentence, and the page on which it can be lifted."""
    url = page_of(policy, blocker.kind)
    if blocker.kind in ("rule", "sentence") and blocker.id:
        url = card_url(policy, blocker.id)
    elif blocker.kind == "datatype":
        url = reverse("values", args=[policy.slug, blocker.id])
    elif blocker.kind == "scope":
        url = reverse("scope", args=[policy.slug, blocker.id])
    elif blocker.kind == "scenario":
        url = reverse("own-scenario", args=[policy.slug, blocker.id])
    return {"text": blocker.sentence, "url": url}


_PAGES = {
    "datatype": "glossary",
    "scenario": "own-scenarios",
    "suite": "suite",
    "lint": "lint",
}


def page_of(policy: Policy, kind: str) -> str:
    """Where what stands in the way can be lifted."""
    return reverse(_PAGES.get(kind, "review"), args=[policy.slug])


def _last_here(policy: Policy) -> list[dict[str, Any]]:
    """Who did something last, and when; who only reads leaves no trace. One query."""
    rows = AuditRow.objects.filter(policy=policy, actor__isnull=False).order_by("-sequence")
    last: dict[int, dict[str, Any]] = {}
    fields = ("actor", "actor__name", "actor__email", "at")
    for pk, name, email, at in rows.values_list(*fields)[:LAST_ACTS]:
        last.setdefault(pk, {"who": name or email, "at": at})
    return list(last.values())[:MAX_LAST]


def _people(policy: Policy) -> list[tuple[str, list[str]]]:
    roles: dict[str, list[str]] = {}
    rows = Membership.objects.filter(policy=policy).select_related("user").order_by("user", "role")
    for membership in rows:
        roles.setdefault(str(membership.user), []).append(membership.role)
    return list(roles.items())


def _next_step(
    request: MemberRequest,
    policy: Policy,
    queue: Queue,
    documents: list[Document],
    last: Version | None,
) -> dict[str, Any] | None:
    """What comes next for this person; None where it is somebody else's turn."""
    if not documents:
        if not request.roles & MATRIX[Action.EDIT]:
            return None
        return {"label": "Add a document", "url": reverse("new-document", args=[policy.slug])}
    untouched = queue.cover.sentences and not queue.total and _all_untouched(queue)
    if untouched and request.roles & MATRIX[Action.FORMALIZE]:
        url = reverse("formalize", args=[policy.slug])
        return {"label": "Formalize", "url": url, "post": True}
    waiting = queue.next_waiting(left_at(policy, request.user, queue))
    if waiting and request.roles & MATRIX[Action.DECIDE]:
        return {"label": "Review what waits", "url": card_url(policy, waiting)}
    if last is not None and is_published(queue.cover, last):
        url = reverse("version", args=[policy.slug, last.number])
        return {"label": f"Read version {last.number}", "url": url}
    label = "Publish" if request.roles & MATRIX[Action.PUBLISH] else "Versions"
    return {"label": label, "url": reverse("versions", args=[policy.slug])}


def _all_untouched(queue: Queue) -> bool:
    return all(one.state is SentenceState.UNTOUCHED for one in queue.cover.sentences)
