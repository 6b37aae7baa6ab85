"""Adding a document or a revision of one: sent, read within moments, or refused in a sentence."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from policies.access import (
    MemberRequest,
    get_document_or_404,
    get_upload_or_404,
    policy_view,
)
from policies.document_store import latest_revision
from policies.forms import DocumentForm, RevisionForm
from policies.intake import (
    OPEN,
    answer_upload,
    forget_pasted,
    remove_upload,
    start_upload,
    wait_for,
)
from policies.models import Document, Policy, Upload
from policies.models.documents import UploadState
from policies.roles import Action


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def new_document(request: MemberRequest, policy: Policy) -> HttpResponse:
    form = DocumentForm(request.POST or None, request.FILES or None)
    return _send(request, policy, form, None)


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def new_revision(request: MemberRequest, policy: Policy, pk: int) -> HttpResponse:
    document = get_document_or_404(policy, pk)
    form = RevisionForm(
        request.POST or None, request.FILES or None, initial={"after": _latest_number(document)}
    )
    return _send(request, policy, form, document)


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def upload(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """Where an upload stands: it waits, asks its owner, was refused, or is a document by now."""
    found = get_upload_or_404(policy, uid)
    if request.method == "POST":
        value = request.POST.get("choice", "")
        if not answer_upload(found, request.user, value):
            messages.info(request, "Choose one of the two; nothing was read yet.")
            return redirect("upload", policy.slug, found.uid)
        found.refresh_from_db()
        found = wait_for(found)
    if found.state == UploadState.STORED:
        return _to_the_document(request, policy, found)
    if request.htmx:
        if found.state in OPEN:
            return render(request, "policies/_upload_waits.html", _context(policy, found))
        return HttpResponseClientRedirect(resolve_url("upload", policy.slug, found.uid))
    if found.state == UploadState.REFUSED:
        return _again(request, policy, found)
    return render(request, "policies/upload.html", _context(policy, found))


@policy_view(Action.EDIT)
@require_POST
def remove(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    found = get_upload_or_404(policy, uid)
    if not remove_upload(found, request.user):
        messages.info(request, "This is being read, or was kept already; nothing was removed.")
    return redirect("document-list", policy.slug)


def _send(
    request: MemberRequest, policy: Policy, form: RevisionForm, document: Document | None
) -> HttpResponse:
    if not form.is_valid():
        return _form_page(request, policy, form, document)
    data, filename = form.upload()
    sent = start_upload(
        policy,
        request.user,
        data=data,
        filename=filename,
        title=form.cleaned_data.get("title", ""),
        text=form.cleaned_data["text"],
        document=document,
        after=form.cleaned_data["after"] or _latest_number(document),
    )
    found = wait_for(sent)
    if found.state == UploadState.STORED:
        return _to_the_document(request, policy, found)
    if found.state == UploadState.REFUSED:
        # The form is at hand with all that was typed: its text need not be kept for another.
        forget_pasted(policy, request.user)
        form.add_error(None, found.problem)
        return _form_page(request, policy, form, document)
    return redirect("upload", policy.slug, found.uid)


def _again(request: MemberRequest, policy: Policy, found: Upload) -> HttpResponse:
    """The form of a refused upload, with what was typed and the sentence why."""
    initial = {"title": found.title, "text": found.text, "after": _latest_number(found.document)}
    form = (RevisionForm if found.document else DocumentForm)(initial=initial)
    return _form_page(request, policy, form, found.document, problem=found.problem)


def _form_page(
    request: MemberRequest,
    policy: Policy,
    form: RevisionForm,
    document: Document | None,
    *,
    problem: str = "",
) -> HttpResponse:
    if document is None:
        heading, action = "Add a document", reverse("new-document", args=[policy.slug])
    else:
        heading = f"A new revision of {document.title}"
        action = reverse("new-revision", args=[policy.slug, document.pk])
    context = {
        "policy": policy,
        "tab": "documents",
        "form": form,
        "heading": heading,
        "action": action,
        "problem": problem,
        "document": document,
    }
    status = 422 if form.is_bound else 200
    return render(request, "policies/document_new.html", context, status=status)


def _to_the_document(request: MemberRequest, policy: Policy, found: Upload) -> HttpResponse:
    revision = found.revision
    assert revision is not None  # a stored upload names its revision
    if revision.number == 1:
        messages.success(request, f"Read: {revision.document.title}.")
        address = resolve_url("document", policy.slug, revision.document_id)
    else:
        messages.success(request, f"Read: revision {revision.number} of {revision.document.title}.")
        address = resolve_url("changes", policy.slug, revision.document_id, revision.number)
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def _latest_number(document: Document | None) -> int:
    latest = latest_revision(document) if document else None
    return latest.number if latest else 0


def _context(policy: Policy, found: Upload) -> dict[str, object]:
    return {"policy": policy, "tab": "documents", "upload": found, "waits": found.state in OPEN}
