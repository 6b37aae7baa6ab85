"""A whole section at once: said to bind nobody, or to apply only under a condition."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from policies.access import (
    MemberRequest,
    by_uid_or_404,
    get_document_or_404,
    may,
    policy_view,
)
from policies.composing import compose
from policies.editing import DraftMovedError
from policies.models import Policy, SectionScope
from policies.roles import Action
from policywright.english import render_rule
from policywright.smtlib import print_term
from vetting.coverage import SectionCover
from vetting.foretelling import check_seen
from vetting.marks import mark_not_binding
from vetting.models import Verdict
from vetting.proposed import Proposed, propose_scope
from vetting.refusals import ReadingError, RefusedError
from vetting.scopes import ScopeReview, decide_on_scope, retire_scope, scope_states, write_scope
from vetting.section_marks import section_to_mark
from vetting.views.acting import sent
from vetting.views.cards import as_sentence
from vetting.views.document import Opened, open_document
from vetting.views.editors import Place, Sent, editors, reading_alone, sent_by
from vetting.views.foretold import SEEN, first_told
from vetting.views.readings import NOT_SEEN, note_on, read_text, text_of
from vetting.views.review import whole_page
from vetting.written import Written

# Rules that a scope's page lists; the number is of all.
MAX_RULES = 50


@policy_view(Action.DECIDE)
@require_http_methods(["GET", "POST"])
def not_binding(request: MemberRequest, policy: Policy, pk: int, ordinal: int) -> HttpResponse:
    """The confirmation, with each sentence in full; then a mark a sentence."""
    opened, section = _section(policy, pk, ordinal)
    problem = ""
    if request.method == "POST":
        shown = dict(
            one.split(":", 1) for one in request.POST.getlist("sentence") if one.count(":") == 2
        )
        try:
            marks = mark_not_binding(policy, request.user, shown, reason=sent(request, "reason"))
        except RefusedError as error:
            problem = as_sentence(str(error))
        else:
            count = f"{len(marks)} sentence{'s' * (len(marks) != 1)}"
            messages.success(request, f"Marked as not binding: {count}, each by itself.")
            return redirect(_section_url(policy, pk, section))
    context = {
        "policy": policy,
        "tab": "documents",
        "standing": opened.coverage,
        "document": opened.revision.document,
        "section": section,
        "to_mark": section_to_mark(opened.revision, opened.coverage, section),
        "problem": problem,
        "typed": sent(request, "reason"),
        "ticked": set(request.POST.getlist("sentence")) if problem else None,
    }
    return render(
        request, "vetting/section_not_binding.html", context, status=422 if problem else 200
    )


@policy_view(Action.VIEW)
@require_GET
def scope(request: MemberRequest, policy: Policy, pk: int, ordinal: int) -> HttpResponse:
    """A section's scope, its rules, and the form for another one; 0 is the whole document."""
    return _scope_page(request, policy, pk, ordinal)


@policy_view(Action.VIEW)
@require_GET
def scope_by_uid(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """To the page of the section that a scope in force is of."""
    rows = SectionScope.objects.filter(document__policy=policy, retired_at=None)
    row = by_uid_or_404(rows, uid)
    opened = open_document(policy, row.document_id)
    path = tuple(row.headings)
    if opened is None:
        raise Http404
    own = [one.ordinal for one in opened.coverage.sections if one.headings == path]
    # A section that the latest revision does not hold any more: its scope can be taken back.
    return redirect(_scope_url(policy, row.document_id, own[0] if path and own else 0))


@policy_view(Action.EDIT)
@require_POST
def read_scope(request: MemberRequest, policy: Policy, pk: int, ordinal: int) -> HttpResponse:
    """What the text for a scope says."""
    return _read(request, policy, pk, ordinal)


@policy_view(Action.EDIT)
@require_POST
def save_scope(request: MemberRequest, policy: Policy, pk: int, ordinal: int) -> HttpResponse:
    opened, path = _path(policy, pk, ordinal)
    text = text_of(request)
    write = partial(
        write_scope,
        policy,
        request.user,
        opened.revision.document,
        path,
        english=text.english,
        smtlib=text.smtlib,
        read_as=sent(request, "read") or NOT_SEEN,
        shown_uid=sent(request, "shown"),
    )
    try:
        check_seen(policy, sent(request, SEEN), write)
        write()
    except ReadingError as error:
        return _read(request, policy, pk, ordinal, error)
    except (RefusedError, DraftMovedError) as error:
        return _scope_page(request, policy, pk, ordinal, problem=error, typed=sent_by(request))
    messages.success(request, "Saved. Its rules apply only then, and wait for a decision again.")
    return whole_page(request, _scope_url(policy, pk, ordinal))


@policy_view(Action.DECIDE)
@require_POST
def decide_scope(request: MemberRequest, policy: Policy, pk: int, ordinal: int) -> HttpResponse:
    row = _row(policy, pk, sent(request, "scope"))
    wanted = sent(request, "verdict")
    verdict = Verdict(wanted) if wanted in Verdict.values else Verdict.REJECT
    try:
        decide_on_scope(policy, request.user, row, verdict, shown_hash=sent(request, "shown"))
    except RefusedError as error:
        return _scope_page(request, policy, pk, ordinal, problem=error)
    approved = verdict is Verdict.APPROVE
    messages.success(request, "Approved: the scope." if approved else "Withdrawn: it waits again.")
    return redirect(_scope_url(policy, pk, ordinal))


@policy_view(Action.EDIT)
@require_POST
def end_scope(request: MemberRequest, policy: Policy, pk: int, ordinal: int) -> HttpResponse:
    end = partial(retire_scope, policy, request.user, _row(policy, pk, sent(request, "scope")))
    told = first_told(request, policy, end)
    if told is not None:
        return told
    end()
    messages.success(request, "Taken back: the rules of the section apply everywhere again.")
    return redirect(_scope_url(policy, pk, ordinal))


def _read(
    request: MemberRequest,
    policy: Policy,
    pk: int,
    ordinal: int,
    refusal: ReadingError | None = None,
) -> HttpResponse:
    opened, path = _path(policy, pk, ordinal)

    def propose(text: Written) -> Proposed:
        return propose_scope(
            policy, opened.revision.document, path, english=text.english, smtlib=text.smtlib
        )

    reading = read_text(request, policy, propose, note_on(refusal))
    if request.htmx:
        return reading_alone(request, policy, _place(policy, pk, ordinal), reading)
    status = 200 if reading.proposed and refusal is None else 422
    return _scope_page(request, policy, pk, ordinal, typed=sent_by(request, reading), status=status)


def _scope_page(
    request: MemberRequest,
    policy: Policy,
    pk: int,
    ordinal: int,
    *,
    problem: Exception | None = None,
    typed: Sent | None = None,
    status: int = 200,
) -> HttpResponse:
    opened, path = _path(policy, pk, ordinal)
    composition = compose(policy)
    states = [one for one in scope_states(policy, composition) if one.row.document_id == pk]
    own = next((one for one in states if one.scope.headings == path), None)
    outer = [
        one
        for one in states
        if one is not own and path[: len(one.scope.headings)] == one.scope.headings
    ]
    own_uid = own.scope.uid if own else ""
    paths = {one.headings for one in opened.coverage.sections}
    lost = [one for one in states if not ordinal and not _is_held(one.scope.headings, paths)]
    with_it = [uid for uid, taken in composition.scope_of.items() if own_uid in taken]
    smtlib = print_term(composition.model, own.scope.term) if own and own.scope.term else ""
    place = _place(policy, pk, ordinal)
    context: dict[str, Any] = {
        "policy": policy,
        "tab": "documents",
        "standing": opened.coverage,
        "document": opened.revision.document,
        "ordinal": ordinal,
        "title": path[-1] if path else opened.revision.document.title,
        "path": path,
        "own": own,
        "outer": outer,
        "lost": lost,
        "back": _section_url(policy, pk, opened.coverage.sections[ordinal - 1])
        if ordinal
        else reverse("document", args=[policy.slug, pk]),
        "rules": [
            {"uid": uid, "name": rule.name, "english": render_rule(composition.model, rule)}
            for uid in with_it[:MAX_RULES]
            if (rule := composition.model.rule_by_id.get(uid))
        ],
        "rule_count": len(with_it),
        "problem": {"act": "scope", "sentence": as_sentence(str(problem))} if problem else None,
        "may_edit": may(request.user, policy, Action.EDIT),
        "may_decide": may(request.user, policy, Action.DECIDE),
        "editors": editors(place, english=_english(own), smtlib=smtlib, shown=own_uid, sent=typed),
        "sent": typed,
    }
    status = 422 if problem else status
    return render(request, "vetting/section_scope.html", context, status=status)


def _is_held(path: tuple[str, ...], paths: Collection[tuple[str, ...]]) -> bool:
    """Whether a document with these sections still has one of that path."""
    return any(one[: len(path)] == path for one in paths)


def _english(own: ScopeReview | None) -> str:
    return own.english if own else ""


def _section(policy: Policy, pk: int, ordinal: int) -> tuple[Opened, SectionCover]:
    opened = open_document(policy, pk)
    if opened is None or not 0 < ordinal <= len(opened.coverage.sections):
        raise Http404
    return opened, opened.coverage.sections[ordinal - 1]


def _path(policy: Policy, pk: int, ordinal: int) -> tuple[Opened, tuple[str, ...]]:
    """The section's path; that of the whole document is empty."""
    if ordinal:
        opened, section = _section(policy, pk, ordinal)
        return opened, section.headings
    whole = open_document(policy, pk)
    if whole is None:
        raise Http404
    return whole, ()


def _row(policy: Policy, pk: int, uid: str) -> SectionScope:
    document = get_document_or_404(policy, pk)
    return by_uid_or_404(SectionScope.objects.filter(document=document, retired_at=None), uid)


def _place(policy: Policy, pk: int, ordinal: int) -> Place:
    args = [policy.slug, pk, ordinal]
    return Place(
        "scope",
        reverse("read-scope", args=args),
        reverse("save-scope", args=args),
        "#main",
        "Save the scope",
        what="scope",
        is_new=False,
    )


def _scope_url(policy: Policy, pk: int, ordinal: int) -> str:
    return reverse("section-scope", args=[policy.slug, pk, ordinal])


def _section_url(policy: Policy, pk: int, section: SectionCover) -> str:
    page = reverse("document", args=[policy.slug, pk])
    return f"{page}?section={section.ordinal}#section-{section.ordinal}"
