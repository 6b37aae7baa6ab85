"""The front page of a policy: where it stands, and the one thing to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, may, policy_view
from policies.models import Document, Membership, Policy, Version
from policies.roles import Action
from translation.choices import chosen_by
from vetting.checking import is_being_checked
from vetting.lint import lint_hinted
from vetting.publishing import Blocker, Standing, blockers, standing
from vetting.queue import Queue, build_queue
from vetting.scenarios import Result, Run, known_runs, scenarios_in_force
from vetting.sentences import SentenceReview, SentenceState
from vetting.views.published import is_published
from vetting.views.review import card_url


@policy_view(Action.VIEW)
@require_GET
def front(request: MemberRequest, policy: Policy) -> HttpResponse:
    now = standing(policy)
    queue = build_queue(policy, now)
    documents = list(policy.documents.all())
    last = policy.versions.select_related("published_by").order_by("number").last()
    lint = lint_hinted(policy, now.composition)
    waits = blockers(policy, now, _kept(policy, now), lint)
    context = {
        "policy": policy,
        "queue": queue,
        "documents": documents,
        "sentence_counts": counted(now.sentences),
        "rule_counts": Counter(str(review.state) for review in now.rules.values()).most_common(),
        "questions": [
            {"text": one.question.text, "card": one.question.rule.uid}
            for one in now.questions
            if one.is_open
        ],
        "blockers": [blocker_shown(policy, now, one) for one in waits],
        "is_checked": lint.report is not None,
        "is_being_checked": lint.report is None and is_being_checked(policy),
        "last_version": last,
        "is_published": is_published(now, last),
        "models": chosen_by(policy),
        "people": _people(policy),
        "may_manage": may(request.user, policy, Action.MANAGE),
        "next_step": _next_step(request, policy, queue, now, documents, last),
    }
    return render(request, "vetting/policy_front.html", context)


def blocker_shown(policy: Policy, now: Standing, blocker: Blocker) -> dict[str, str]:
    """A blocker's sentence, and the page on which it can be lifted."""
    key = blocker.id
    if blocker.kind == "question":
        of = [one for one in now.questions if one.question.uid == blocker.id]
        key = of[0].question.rule.uid if of else ""
    url = card_url(policy, key) if key else reverse("review", args=[policy.slug])
    if blocker.kind == "datatype":
        url = reverse("values", args=[policy.slug, blocker.id])
    if blocker.kind == "scope":
        url = reverse("scope", args=[policy.slug, blocker.id])
    if blocker.kind == "scenario":
        url = reverse("own-scenario", args=[policy.slug, blocker.id])
    if blocker.kind == "suite":
        url = reverse("suite", args=[policy.slug])
    if blocker.kind == "lint":
        url = reverse("lint", args=[policy.slug])
    return {"text": blocker.sentence, "url": url}


def _kept(policy: Policy, now: Standing) -> dict[str, Run]:
    """What is kept of each scenario; of those not run yet nothing is said here."""
    found = scenarios_in_force(policy, now.composition, now.questions)
    not_run = {one.scenario.uid: Run(Result.UNDECIDED) for one in found}
    return not_run | known_runs(policy, now.composition, found)


def counted(sentences: Sequence[SentenceReview]) -> list[tuple[str, int]]:
    """How many sentences are in each state, in the order of the states."""
    counts = Counter(review.state for review in sentences)
    return [(str(state), counts[state]) for state in SentenceState if counts[state]]


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
    now: Standing,
    documents: list[Document],
    last: Version | None,
) -> dict[str, Any] | None:
    """What comes next for this person; None where it is somebody else's turn."""
    if not documents:
        if not may(request.user, policy, Action.EDIT):
            return None
        return {"label": "Add a document", "url": reverse("new-document", args=[policy.slug])}
    untouched = now.sentences and not now.rules and _all_untouched(now)
    if untouched and may(request.user, policy, Action.FORMALIZE):
        url = reverse("formalize", args=[policy.slug])
        return {"label": "Formalize", "url": url, "post": True}
    waiting = queue.next_waiting()
    if waiting and may(request.user, policy, Action.DECIDE):
        return {"label": "Review what waits", "url": card_url(policy, waiting)}
    if last is not None and is_published(now, last):
        url = reverse("version", args=[policy.slug, last.number])
        return {"label": f"Read version {last.number}", "url": url}
    label = "Publish" if may(request.user, policy, Action.PUBLISH) else "Versions"
    return {"label": label, "url": reverse("versions", args=[policy.slug])}


def _all_untouched(now: Standing) -> bool:
    return all(review.state is SentenceState.UNTOUCHED for review in now.sentences)
