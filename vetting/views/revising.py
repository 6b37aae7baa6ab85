"""What a new revision changed: word by word, beside the rules that it concerns."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, policy_view
from policies.models import Policy
from policies.roles import Action
from policies.views.documents import get_revision_or_404
from vetting.revising import what_changed

# Sentences of each kind that are listed; the numbers are of all.
MAX_LISTED = 200


@policy_view(Action.VIEW)
@require_GET
def changes(request: MemberRequest, policy: Policy, pk: int, number: int) -> HttpResponse:
    revision = get_revision_or_404(policy, pk, number)
    found = what_changed(policy, revision)
    if found is None:
        return redirect("document", policy.slug, pk)
    context = {
        "policy": policy,
        "tab": "documents",
        "document": revision.document,
        "revision": revision,
        "found": found,
        "max_listed": MAX_LISTED,
    }
    return render(request, "vetting/revision_changes.html", context)
