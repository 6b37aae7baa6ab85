"""What looks alike: proposals to merge, each compared or kept apart by a person."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, by_uid_or_404, may, policy_view
from policies.jobs import progress_of, retry_failed
from policies.models import Job, Policy
from policies.models.jobs import ItemState
from policies.roles import Action
from policywright.model import PolicyModel
from translation.merges import declarations_hash, last_search, present_proposals, start_search
from translation.models import MergeKind, MergeProposal
from vetting.merging import keep_apart, propose_again
from vetting.queue import build_queue
from vetting.refusals import RefusedError
from vetting.views.acting import sent
from vetting.views.cards import as_sentence
from vetting.views.symbols import Uses, side_shown, uses_of

# A page lists so many; the likeliest come first, and those decided make room.
MAX_SHOWN = 100


@policy_view(Action.VIEW)
@require_GET
def alike(request: MemberRequest, policy: Policy) -> HttpResponse:
    queue = build_queue(policy)
    model = queue.composition.model
    rows = present_proposals(policy, model)
    uses = uses_of(model)
    shown = [_shown(model, row, uses) for row in rows]
    waiting = [one for one in shown if not one["refused_by"] and not one["apart"]]
    last = last_search(policy)
    context = {
        "policy": policy,
        "tab": "glossary",
        "queue": queue,
        "waiting": waiting[:MAX_SHOWN],
        "more": max(len(waiting) - MAX_SHOWN, 0),
        "apart": [one for one in shown if one["apart"] and not one["refused_by"]][:MAX_SHOWN],
        "refused": [one for one in shown if one["refused_by"]][:MAX_SHOWN],
        "search": _search_state(policy, model, last),
        "may_edit": may(request.user, policy, Action.EDIT),
    }
    return render(request, "vetting/alike.html", context)


@policy_view(Action.EDIT)
@require_POST
def search(request: MemberRequest, policy: Policy) -> HttpResponse:
    job = start_search(policy, request.user)
    retry_failed(job, request.user)
    if progress_of(job).finished:
        messages.info(request, "Nothing was declared or changed since this was last looked for.")
    return redirect("alike", policy.slug)


@policy_view(Action.EDIT)
@require_POST
def apart(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    proposal = by_uid_or_404(MergeProposal.objects.filter(policy=policy), uid)
    try:
        keep_apart(policy, request.user, proposal, shown_hash=sent(request, "shown"))
    except RefusedError as error:
        messages.error(request, as_sentence(str(error)))
    else:
        messages.success(request, "Kept apart, and proposed again only if one of them changes.")
    return redirect("alike", policy.slug)


@policy_view(Action.EDIT)
@require_POST
def again(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    proposal = by_uid_or_404(MergeProposal.objects.filter(policy=policy), uid)
    propose_again(policy, request.user, proposal)
    messages.success(request, "Proposed again.")
    return redirect("alike", policy.slug)


def _shown(model: PolicyModel, row: MergeProposal, uses: Uses) -> dict[str, Any]:
    return {
        "uid": row.uid,
        "hash": row.content_hash,
        "first": side_shown(model, row.first, uses),
        "second": side_shown(model, row.second, uses),
        "apart": [
            f"{first or 'nothing of it'} / {second or 'nothing of it'}"
            for first, second in row.evidence.get("apart", [])
        ],
        "is_datatype": row.kind == MergeKind.DATATYPE,
        "refused_by": row.refused_by,
        "refused_at": row.refused_at,
    }


def _search_state(policy: Policy, model: PolicyModel, last: Job | None) -> dict[str, Any]:
    """Whether it was looked for among what is declared now, is being looked for, or failed."""
    if last is None:
        return {"state": "never"}
    progress = progress_of(last)
    if not progress.finished:
        return {"state": "running"}
    failed = last.items.filter(state=ItemState.FAILED).exclude(error="").first()
    if failed is not None:
        return {"state": "failed", "error": failed.error}
    fresh = last.settings.get("declarations") == declarations_hash(model)
    return {"state": "done" if fresh else "stale", "at": last.finished_at}


def proposal_count(policy: Policy, model: PolicyModel) -> int:
    rows = present_proposals(policy, model)
    return sum(1 for row in rows if row.refused_at is None and not row.evidence.get("apart"))
