"""A document as people read it, with what became of each sentence beside it."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, get_document_or_404, may, policy_view
from policies.models import Policy
from policies.models.jobs import JobState
from policies.roles import Action
from vetting.queue import build_queue
from vetting.reading import set_document
from vetting.sentences import SentenceState
from vetting.views.front import counted

# Sentences on one page of a long document.
A_PART = 400


@policy_view(Action.VIEW)
@require_GET
def documents(request: MemberRequest, policy: Policy) -> HttpResponse:
    """To the highest document, or to adding the first one."""
    first = policy.documents.first()
    if first is not None:
        return redirect("document", policy.slug, first.pk)
    if may(request.user, policy, Action.EDIT):
        return redirect("new-document", policy.slug)
    return redirect("policy", policy.slug)


@policy_view(Action.VIEW)
@require_GET
def document(request: MemberRequest, policy: Policy, pk: int) -> HttpResponse:
    found = get_document_or_404(policy, pk)
    revision = found.revisions.select_related("created_by").defer("text", "blocks").last()
    if revision is None:
        return redirect("policy", policy.slug)
    queue = build_queue(policy)
    own = [one for one in queue.sentences if one.sentence.revision_id == revision.pk]
    pages = Paginator(own, A_PART).get_page(request.GET.get("part"))
    may_formalize = may(request.user, policy, Action.FORMALIZE)
    context = {
        "policy": policy,
        "tab": "documents",
        "queue": queue,
        "document": found,
        "documents": list(policy.documents.all()),
        "revision": revision,
        "total": len(own),
        "sentence_counts": counted(own),
        "untouched": all(one.state is SentenceState.UNTOUCHED for one in own),
        "pages": pages,
        "sections": set_document(queue, list(pages), titles=False),
        "job": policy.jobs.filter(kind="formalize", state=JobState.OPEN).first(),
        "may_start": may_formalize,
        "may_edit": may(request.user, policy, Action.EDIT),
    }
    return render(request, "vetting/document.html", context)
