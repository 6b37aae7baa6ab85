"""Adding a document or a revision of one: pasted text or a file, one form."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from documents import UnreadableError
from policies.access import MemberRequest, get_document_or_404, policy_view
from policies.document_store import add_document, add_revision
from policies.forms import DocumentForm, RevisionForm
from policies.models import Policy
from policies.roles import Action


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def new_document(request: MemberRequest, policy: Policy) -> HttpResponse:
    form = DocumentForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        data, filename = form.upload()
        title = form.cleaned_data["title"]
        try:
            revision = add_document(policy, request.user, title=title, data=data, filename=filename)
        except UnreadableError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Read: {revision.document.title}.")
            return redirect("document", policy.slug, revision.document_id)
    return _page(request, policy, form, "Add a document")


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def new_revision(request: MemberRequest, policy: Policy, pk: int) -> HttpResponse:
    document = get_document_or_404(policy, pk)
    form = RevisionForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        data, filename = form.upload()
        try:
            revision = add_revision(document, request.user, data=data, filename=filename)
        except UnreadableError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Read: revision {revision.number} of {document.title}.")
            return redirect("document", policy.slug, document.pk)
    return _page(request, policy, form, f"A new revision of {document.title}")


def _page(request: MemberRequest, policy: Policy, form: RevisionForm, heading: str) -> HttpResponse:
    context = {"policy": policy, "tab": "documents", "form": form, "heading": heading}
    status = 422 if form.is_bound else 200
    return render(request, "policies/document_new.html", context, status=status)
