"""The documents of a policy: their list and order, revisions, and original files."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from policies.access import (
    MemberRequest,
    get_document_or_404,
    one_or_404,
    policy_view,
)
from policies.document_list import move_document, rename_document, set_abbreviations
from policies.document_store import without_text
from policies.forms import AbbreviationsForm, TitleForm
from policies.models import DocumentRevision, Policy
from policies.models.documents import UploadState
from policies.roles import MATRIX, Action
from policies.sources import LONG_FIELDS, latest_revisions

# The list shows so many uploads that did not become a document.
MAX_UPLOADS = 10
# A revision's notes that are listed; their number is of all.
MAX_NOTES = 100


@policy_view(Action.VIEW)
@require_GET
def document_list(request: MemberRequest, policy: Policy) -> HttpResponse:
    words = ", ".join(policy.abbreviations)
    form = AbbreviationsForm(initial={"abbreviations": words})
    return _list_page(request, policy, form)


@policy_view(Action.EDIT)
@require_POST
def move(request: MemberRequest, policy: Policy, pk: int) -> HttpResponse:
    document = get_document_or_404(policy, pk)
    shown = request.POST.get("rank", "")
    if shown.isdecimal() and len(shown) < 9:
        up = request.POST.get("where") == "up"
        move_document(document, request.user, up=up, shown_rank=int(shown))
    return redirect("document-list", policy.slug)


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def rename(request: MemberRequest, policy: Policy, pk: int) -> HttpResponse:
    document = get_document_or_404(policy, pk)
    form = TitleForm(request.POST or None, initial={"title": document.title})
    if form.is_valid():
        rename_document(document, request.user, form.cleaned_data["title"])
        return redirect("document-list", policy.slug)
    context = {"policy": policy, "tab": "documents", "document": document, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "policies/document_rename.html", context, status=status)


@policy_view(Action.EDIT)
@require_POST
def abbreviations(request: MemberRequest, policy: Policy) -> HttpResponse:
    form = AbbreviationsForm(request.POST)
    if not form.is_valid():
        return _list_page(request, policy, form)
    if set_abbreviations(policy, request.user, form.cleaned_data["abbreviations"]):
        messages.success(request, "Abbreviations are kept for what is read from now on.")
    return redirect("document-list", policy.slug)


@policy_view(Action.VIEW)
@require_GET
def revisions(request: MemberRequest, policy: Policy, pk: int) -> HttpResponse:
    document = get_document_or_404(policy, pk)
    rows = document.revisions.select_related("created_by", "based_on").annotate(
        sentence_count=Count("sentences")
    )
    context = {
        "policy": policy,
        "tab": "documents",
        "document": document,
        "revisions": list(_slim(rows).order_by("-number")),
        "max_notes": MAX_NOTES,
        "may_edit": bool(request.roles & MATRIX[Action.EDIT]),
    }
    return render(request, "policies/document_revisions.html", context)


@policy_view(Action.VIEW)
@require_GET
def original(request: MemberRequest, policy: Policy, pk: int, number: int) -> HttpResponse:
    """The file as it was uploaded, under our own name for it; never shown, only saved."""
    revision = get_revision_or_404(policy, pk, number)
    content = bytes(revision.blob.content)
    response = HttpResponse(content, content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, revision.filename)
    return response


def get_revision_or_404(policy: Policy, pk: int, number: int) -> DocumentRevision:
    """A revision of one of the policy's documents, with its text and structure."""
    document = get_document_or_404(policy, pk)
    if number > 2**31 - 1:
        raise Http404
    return one_or_404(document.revisions.select_related("document", "created_by"), number=number)


def _list_page(request: MemberRequest, policy: Policy, form: AbbreviationsForm) -> HttpResponse:
    documents = list(policy.documents.all())
    revisions = DocumentRevision.objects.filter(pk__in=latest_revisions(policy))
    latest = {one.document_id: one for one in without_text(revisions)}
    rows: list[dict[str, Any]] = [
        {"document": document, "latest": latest.get(document.pk)} for document in documents
    ]
    uploads = policy.uploads.exclude(state=UploadState.STORED).select_related("created_by")
    context = {
        "policy": policy,
        "tab": "documents",
        "rows": rows,
        "uploads": list(uploads.defer("text")[:MAX_UPLOADS]),
        "form": form,
        "may_edit": bool(request.roles & MATRIX[Action.EDIT]),
    }
    status = 422 if form.is_bound else 200
    return render(request, "policies/document_list.html", context, status=status)


def _slim(rows: Any) -> Any:
    return rows.defer(*(name for name in LONG_FIELDS if name != "notes"))
