"""What lint found: each in a sentence, with its rules, a case, and changes that one may take.

While the draft is being checked the page waits. A change is shown with all that comes of
it before it is taken; a warning or a note is silenced with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from policies.access import MemberRequest, by_uid_or_404, get_job_or_404, may, policy_view
from policies.composing import Composition, compose
from policies.editing import DraftMovedError
from policies.jobs import retry_failed
from policies.models import Item, Job, Policy
from policies.models.jobs import JobState
from policies.roles import Action
from policywright.english import render_sentence
from policywright.english.words import join_words
from policywright.lint import LINTS, Severity
from policywright.model import PolicyModel
from vetting.checking import KIND, has_failed, start_check
from vetting.foretelling import check_seen
from vetting.lint import Found, LintNow, hint_of, known_of, lint_now
from vetting.lint_fixes import is_taken_here, plan_fix, show_fix, take_fix
from vetting.queue import build_queue
from vetting.refusals import MovedError, RefusedError
from vetting.silencing import end_silence, silence
from vetting.views.acting import sent
from vetting.views.cards import as_sentence
from vetting.views.foretold import SEEN
from vetting.views.lint_pages import found_page
from vetting.views.places import sources_shown
from vetting.views.review import card_url

GROUPS = (
    (Severity.ERROR, "Errors", "Rules that clash or mean nothing. Mend them first."),
    (Severity.WARNING, "Warnings", "Often a slip. Mend it, or say why it may stand."),
    (Severity.NOTE, "Notes", "Worth knowing."),
)
WHY = {one.code: one.explanation for one in LINTS}


@policy_view(Action.VIEW)
@require_GET
def lint(request: MemberRequest, policy: Policy) -> HttpResponse:
    """The report of the draft as it is; where there is none yet, it is made."""
    if request.htmx and "job" in request.GET:
        job = get_job_or_404(policy, request.GET["job"])
        # What was found is there before the job goes on to the scenarios.
        if job.state == JobState.OPEN and hint_of(policy) is None:
            return render(request, "vetting/_lint_waits.html", _waiting(policy, job))
        return HttpResponseClientRedirect(resolve_url("lint", policy.slug))
    return _page(request, policy)


@policy_view(Action.VIEW)
@require_POST
def again(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """Check the draft once more, where that failed; no other job, which might ask a model."""
    retry_failed(by_uid_or_404(policy.jobs.filter(kind=KIND), uid), request.user)
    return redirect("lint", policy.slug)


@policy_view(Action.VIEW)
@require_GET
def fix(request: MemberRequest, policy: Policy, key: str, number: int) -> HttpResponse:
    """One change: before and after, the cases that turn out differently, approvals that fall."""
    composition = compose(policy)
    found = lint_now(policy, composition).get(key)
    if found is None:
        messages.info(request, "That is found no more: the draft changed since.")
        return redirect("lint", policy.slug)
    return _fix_page(request, policy, composition, found, number)


@policy_view(Action.EDIT)
@require_POST
def take(request: MemberRequest, policy: Policy, key: str, number: int) -> HttpResponse:
    composition = compose(policy)
    found = lint_now(policy, composition).get(key)
    if found is None:
        messages.error(
            request,
            "Nothing was saved: the draft changed after you opened the page. Here is what is "
            "found now.",
        )
        return redirect("lint", policy.slug)
    try:
        act = partial(take_fix, policy, request.user, found, number)
        check_seen(policy, sent(request, SEEN), act)
        rules = act()
    except (RefusedError, DraftMovedError) as error:
        return _fix_page(request, policy, composition, found, number, error)
    names = ", ".join(rule.name for rule in rules)
    messages.success(request, f"Changed: {names}. It waits for approval, and is checked again.")
    return redirect("lint", policy.slug)


@policy_view(Action.DECIDE)
@require_POST
def keep_silent(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    found = _found_or_404(policy, key)
    reason = sent(request, "reason")
    try:
        silence(policy, request.user, found, reason=reason)
    except RefusedError as error:
        problem = {"key": key, "sentence": as_sentence(str(error)), "reason": reason}
        return _page(request, policy, problem=problem, status=422)
    messages.success(request, "Silenced, beside your name. It comes back when its rules change.")
    return _back(request, policy)


@policy_view(Action.DECIDE)
@require_POST
def speak_again(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    end_silence(policy, request.user, _found_or_404(policy, key))
    messages.success(request, "It is shown with the others again.")
    return _back(request, policy)


def _back(request: MemberRequest, policy: Policy) -> HttpResponse:
    """To the page that the form stood on."""
    kept = {name: request.GET[name] for name in ("page", "code") if name in request.GET}
    asked = f"?{urlencode(kept)}" if kept else ""
    return redirect(f"{resolve_url('lint', policy.slug)}{asked}")


def _page(
    request: MemberRequest,
    policy: Policy,
    *,
    problem: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    queue = build_queue(policy)
    now = lint_now(policy, queue.composition)
    context: dict[str, Any] = {
        "policy": policy,
        "tab": "lint",
        "queue": queue,
        "now": now,
        "problem": problem,
        "may_edit": may(request.user, policy, Action.EDIT),
        "may_decide": may(request.user, policy, Action.DECIDE),
    }
    if now.report is None and policy.archived_at is None:
        job = start_check(policy, request.user)
        context |= _waiting(policy, job)
    elif now.report is not None:
        known_of(policy, now.report)
    shown = found_page(
        now,
        code=request.GET.get("code", ""),
        number=request.GET.get("page", ""),
        key=problem["key"] if problem else "",
    )
    groups = [
        {
            "title": title,
            "says": says,
            "shown": [_shown(policy, queue.composition, one) for one in found],
            "count": len(now.of(severity)),
        }
        for severity, title, says in GROUPS
        if (found := shown.of(severity))
    ]
    silenced = [_shown(policy, queue.composition, one) for one in shown.silenced]
    context |= {"groups": groups, "silenced": silenced, "told": _told(now), "shown": shown}
    return render(request, "vetting/lint.html", context, status=status)


def _told(now: LintNow) -> str:
    """'2 errors, 1 warning and 3 notes', or that nothing was found."""
    counts = [(len(now.of(severity)), severity.value) for severity in Severity]
    said = [f"{count} {word}{'s' * (count != 1)}" for count, word in counts if count]
    return join_words(said)


def _waiting(policy: Policy, job: Job) -> dict[str, Any]:
    item = Item.objects.filter(job=job).first()
    return {
        "policy": policy,
        "job": job,
        "item": item,
        "failed": has_failed(job) if job.state != JobState.OPEN else False,
    }


def _shown(policy: Policy, composition: Composition, found: Found) -> dict[str, Any]:
    model = composition.model
    return {
        "found": found,
        "why": WHY.get(found.code, ""),
        "rules": [
            {"uid": uid, "name": rule.name, "said": _said(composition, uid)}
            for uid in found.rules
            if (rule := model.rule_by_id.get(uid))
        ],
        "fixes": [
            {
                "label": one["label"],
                "needs": one["needs"],
                "url": _url(policy, model, found, number),
            }
            for number, one in enumerate(found.fixes)
        ],
    }


def _said(composition: Composition, uid: str) -> str:
    """The rule's sentence, or what it says where it comes from none."""
    rule = composition.model.rule_by_id[uid]
    quotes = [source.quote for source in rule.sources if source.quote]
    return quotes[0] if quotes else render_sentence(composition.model, rule.term)


def _url(policy: Policy, model: PolicyModel, found: Found, number: int) -> str:
    """Where a change is shown; what needs more than a yes has a page of its own already."""
    fix = found.fixes[number]
    if is_taken_here(fix):
        return reverse("lint-fix", args=[policy.slug, found.key, number])
    for part, name in (("datatypes", "values"), ("variables", "variable")):
        for one in fix[part]:
            return reverse(name, args=[policy.slug, one["id"]])
    if found.rules:
        return f"{card_url(policy, found.rules[0])}#here"
    return next((_page_of(policy, model, uid) for uid in found.about), "")


def _page_of(policy: Policy, model: PolicyModel, uid: str) -> str:
    """The page of a variable or of a list of values."""
    name = "values" if uid in model.datatype_by_id else "variable"
    return reverse(name, args=[policy.slug, uid])


def _fix_page(
    request: MemberRequest,
    policy: Policy,
    composition: Composition,
    found: Found,
    number: int,
    error: RefusedError | DraftMovedError | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "policy": policy,
        "tab": "lint",
        "found": _shown(policy, composition, found),
        "number": number,
        "may_edit": may(request.user, policy, Action.EDIT),
        "problem": as_sentence(str(error)) if error else "",
        "moved": error if isinstance(error, MovedError) else None,
    }
    try:
        shown = show_fix(policy, composition, found, plan_fix(policy, composition, found, number))
    except RefusedError as refused:
        context["problem"] = context["problem"] or as_sentence(str(refused))
        return render(request, "vetting/lint_fix.html", context, status=422)
    context |= {
        "shown": shown,
        "parts": [
            {"shown": one, "sources": sources_shown(policy, one.rule) if one.rule else []}
            for one in shown.parts
        ],
    }
    return render(request, "vetting/lint_fix.html", context, status=409 if error else 200)


def _found_or_404(policy: Policy, key: str) -> Found:
    found = lint_now(policy, compose(policy)).get(key)
    if found is None:
        raise Http404
    return found
