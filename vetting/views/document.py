"""A document as its author laid it out, a section or a few a page, with what became of
each sentence, and one sentence at a time beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import F, OuterRef, Subquery
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, get_document_or_404, may, policy_view
from policies.models import DocumentRevision, Job, Policy
from policies.models.jobs import JobState
from policies.roles import MATRIX, Action
from policies.sources import BULKY
from vetting.coverage import Coverage, SectionCover, counted, cover
from vetting.outline import Covered
from vetting.paging import page_of, pages_of, section_with, set_sections
from vetting.scopes import scopes_shown
from vetting.views.acting import number
from vetting.views.comments import may_comment, talk_shown
from vetting.views.panel import panel_context

MAX_NOTES = 100
# Of a run: it goes on, or waits for somebody to let it go on.
UNDER_WAY = (JobState.OPEN, JobState.PAUSED)


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
    opened = open_document(policy, pk)
    if opened is None:
        return redirect("policy", policy.slug)
    lineage = request.GET.get("sentence", "")
    if lineage and lineage not in opened.coverage.by_lineage:
        messages.info(request, "That sentence is no longer in this document.")
        return redirect("document", policy.slug, pk)
    return document_page(request, policy, opened, lineage)


@dataclass(frozen=True)
class Opened:
    """A document's latest revision among those of the policy, and what became of its sentences."""

    revision: DocumentRevision
    latest: Sequence[DocumentRevision]
    coverage: Coverage
    job: str


def open_document(policy: Policy, pk: int) -> Opened | None:
    """None for a document that has no revision yet; 404 for one that is not the policy's."""
    latest = _latest(policy)
    revision = next((one for one in latest if one.document_id == pk), None)
    if revision is None:
        get_document_or_404(policy, pk)
        return None
    coverage = cover(policy, revision)
    job: str = revision.formalizing or ""  # type: ignore[attr-defined]
    return Opened(revision, latest, coverage, job)


def document_page(
    request: MemberRequest,
    policy: Policy,
    opened: Opened,
    lineage: str = "",
    *,
    problem: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of a sentence or of a section; for htmx the panel alone."""
    coverage, revision = opened.coverage, opened.revision
    section = section_with(coverage, lineage) if lineage else None
    may_decide = bool(request.roles & MATRIX[Action.DECIDE])
    context: dict[str, Any] = {
        "policy": policy,
        "document": revision.document,
        "revision": revision,
        "may_decide": may_decide,
        "may_edit": bool(request.roles & MATRIX[Action.EDIT]),
        "problem": problem,
        "here": lineage,
        "ranked": len(opened.latest) > 1,
    }
    if section is not None:
        context |= panel_context(
            policy, revision, coverage, section, lineage, may_decide=may_decide
        )
        rules = [rule["uid"] for rule in context.get("rules", ())]
        back = f"{reverse('document', args=[policy.slug, revision.document_id])}?sentence={lineage}"
        on = {"lineages": [lineage], "rules": rules}
        context["talk"] = talk_shown(policy, request.user, on, key=lineage, back=back)
        context["may_comment"] = may_comment(request, policy)
    if request.htmx and request.htmx.target == "panel":
        return render(request, "vetting/_panel.html", context)
    context |= _page(request, policy, opened, section, lineage)
    return render(request, "vetting/document.html", context, status=status)


def sentence_url(policy: Policy, pk: int, sentence: Covered | None) -> str:
    """The document's page with a sentence's panel open, scrolled to it; without one its start."""
    page = reverse("document", args=[policy.slug, pk])
    return f"{page}?sentence={sentence.lineage}#s{sentence.ordinal}" if sentence else page


def _page(
    request: MemberRequest,
    policy: Policy,
    opened: Opened,
    section: SectionCover | None,
    lineage: str,
) -> dict[str, Any]:
    coverage = opened.coverage
    pages = pages_of(coverage.sections)
    asked = number(request.GET.get("section", ""))
    at = page_of(pages, section.ordinal if section else asked)
    shown = pages[at]
    first = next((one.ordinal for part in shown for one in part.sentences), 1)
    after = coverage.by_lineage[lineage].ordinal if lineage else first - 1
    # A document that begins with its own title says it once, in the page's heading.
    top = coverage.sections[0].title if coverage.sections else ""
    hides_title = top.casefold() == opened.revision.document.title.casefold()
    hidden = int(hides_title and all(one.headings[:1] == (top,) for one in coverage.sections))
    above = shown[0].headings[hidden : None if shown[0].part > 1 else -1] if shown else ()
    return {
        "tab": "documents",
        "standing": coverage,
        "documents": [one.document for one in opened.latest],
        "total": len(coverage.sentences),
        "sentence_counts": counted(coverage.sentences),
        "untouched": coverage.sentences and not coverage.total,
        "first_waiting": coverage.next_waiting(after),
        "contents": list(_contents(coverage.sections, shown)),
        "sections": set_sections(policy, opened.revision, coverage, shown, hidden=hidden),
        "path": above,
        "hide_title": bool(hidden),
        "previous_section": pages[at - 1][0] if at else None,
        "next_section": pages[at + 1][0] if at + 1 < len(pages) else None,
        "page_number": at + 1,
        "page_count": len(pages),
        "scopes": scopes_shown(opened.revision.document),
        "job": opened.job,
        "may_start": bool(request.roles & MATRIX[Action.FORMALIZE]),
        "notes": opened.revision.notes[:MAX_NOTES],
    }


def _contents(sections: Sequence[SectionCover], shown: Sequence[SectionCover]) -> list[Any]:
    """The author's sections, the parts of a long one together, with how many sentences wait."""
    here = {section.ordinal for section in shown}
    found: list[dict[str, Any]] = []
    for section in sections:
        if section.part == 1 or not found:
            found.append(
                {
                    "ordinal": section.ordinal,
                    "title": section.title or "Before the first heading",
                    "level": min(section.level or 1, 4),
                    "waiting": 0,
                    "total": 0,
                    "is_here": False,
                }
            )
        entry = found[-1]
        entry["waiting"] += section.waiting
        entry["total"] += len(section.sentences)
        entry["is_here"] = entry["is_here"] or section.ordinal in here
    return [entry for entry in found if entry["total"] or entry["level"] < 4]


def _latest(policy: Policy) -> list[DocumentRevision]:
    """The latest revision of each document by rank, without what is long; one query."""
    own = DocumentRevision.objects.filter(document=OuterRef("document")).order_by("-number")
    jobs = Job.objects.filter(policy=policy, kind="formalize", state__in=UNDER_WAY)
    rows = DocumentRevision.objects.filter(document__policy=policy)
    rows = rows.annotate(
        last=Subquery(own.values("number")[:1]), formalizing=Subquery(jobs.values("uid")[:1])
    ).filter(number=F("last"))
    rows = rows.select_related("document", "created_by").order_by("document__rank", "document")
    return list(rows.defer(*(name for name in BULKY if name != "notes")))
