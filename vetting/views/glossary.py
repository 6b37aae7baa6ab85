"""The glossary: every variable and datatype with its meaning, its sources, and where it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from policies.access import MemberRequest, get_variable_or_404, may, policy_view
from policies.composing import Composition, compose, compose_declarations, declared_with_scopes
from policies.composing_part import compose_alone
from policies.declared_now import DeclaredNow, declared_now
from policies.editing import DraftMovedError
from policies.models import Merge, Policy
from policies.models import Variable as VariableRow
from policies.roles import Action
from policywright.english import draft_phrases
from policywright.model import PolicyModel, Role
from translation.merging.candidates import unit_key
from vetting.declarations import declare_variable, edit_variable, variable_hash
from vetting.english import phrase_warnings
from vetting.forms import VariableForm
from vetting.merging import active_merges
from vetting.naming import ids_by_rule
from vetting.queue import Queue, build_queue
from vetting.refusals import MovedError, RefusedError
from vetting.views.alike import proposal_count
from vetting.views.cards import as_sentence
from vetting.views.foretold import first_told
from vetting.views.glossary_pages import Words, words_of
from vetting.views.symbols import datatype_shown, merges_shown, uses_of, variable_shown

GROUPS = (
    (Role.OUTCOME, "Outcomes", "What the policy decides."),
    (Role.FACT, "Facts", "What a case supplies."),
    (Role.DERIVED, "Derived", "What one rule decides and others use."),
)


@policy_view(Action.VIEW)
@require_GET
def glossary(request: MemberRequest, policy: Policy) -> HttpResponse:
    known = declared_now(policy, policy.revision)
    look_for = request.GET.get("find", "")[:100].strip()
    words = words_of(known.base, look_for=look_for, number=request.GET.get("page", ""))
    composition = _of_words(policy, known, words)
    model = composition.model
    uses, clashes = uses_of(model), phrase_warnings(known.base)
    merges = active_merges(policy, composition)
    shown = {
        role: [
            variable_shown(model, one, uses, merges.get(one.id, ()))
            | {"clashes": clashes.get(one.id, ())}
            for one in words.variables(role)
        ]
        for role in Role
    }
    context = {
        "policy": policy,
        "tab": "glossary",
        "words": words,
        "look_for": look_for,
        "groups": [
            {"role": role.value, "title": title, "says": says, "variables": shown[role]}
            for role, title, says in GROUPS
        ],
        "datatypes": [datatype_shown(model, one, uses, merges) for one in words.datatypes],
        "joins": _joins(policy, merges) if words.is_last and not look_for else [],
        "proposals": proposal_count(policy, known.base),
        "may_edit": may(request.user, policy, Action.EDIT),
    }
    return render(request, "vetting/glossary.html", context)


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def variable(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    row = get_variable_or_404(policy, uid)
    shown = request.POST.get("shown") or variable_hash(row)
    initial = {name: getattr(row, name) for name in VariableForm.base_fields}
    form = VariableForm(request.POST or None, policy=policy, initial=initial)
    problem: dict[str, Any] | None = None
    if form.is_valid():
        try:
            new = form.new_variable()
            edited = partial(edit_variable, policy, request.user, row, new, shown_hash=shown)
            told = first_told(request, policy, edited)
            if told is not None:
                return told
            edited()
        except (RefusedError, DraftMovedError) as error:
            problem = _problem(error, request.get_full_path())
            shown = problem["present_hash"] or shown
        else:
            messages.success(request, f"Saved: {row.name}. The rules that use it wait again.")
            _warn(request, policy, uid)
            return redirect("glossary", policy.slug)
    queue = build_queue(policy)
    model = queue.composition.model
    used = uses_of(model).get(uid, [])
    title = f"Edit ‘{_said(queue, row)}’"
    context = _form_context(policy, queue, form, problem, title) | {
        "shown": shown,
        "used": used,
        "uid": uid,
        "others": _could_be_one(model, uid),
    }
    return render(request, "vetting/variable.html", context, status=_status(form, problem))


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def declare(request: MemberRequest, policy: Policy) -> HttpResponse:
    form = VariableForm(request.POST or None, policy=policy)
    problem: dict[str, Any] | None = None
    if form.is_valid():
        try:
            new = declare_variable(policy, request.user, form.new_variable())
        except (RefusedError, DraftMovedError) as error:
            problem = _problem(error, reverse("declare", args=[policy.slug]))
        else:
            messages.success(request, f"Declared: {new.name}.")
            _warn(request, policy, new.uid)
            return redirect("glossary", policy.slug)
    context = _form_context(policy, build_queue(policy), form, problem, "Declare a variable")
    return render(request, "vetting/variable.html", context, status=_status(form, problem))


def _of_words(policy: Policy, known: DeclaredNow, words: Words) -> Composition:
    """The rules that speak of the words of a page, composed alone."""
    declared = declared_with_scopes(policy, known.base, known.merged)
    if declared.scopes:
        # What a scope says stands in no term of a rule's own.
        return compose(policy)
    shown = {one.id for one in words.page.object_list}
    shown |= {value.id for one in words.datatypes for value in one.values}
    shown |= {one.id for one in known.base.variables if one.sort.key in shown}
    uids = {uid for uid, ids in ids_by_rule(policy, known.merged).items() if ids & shown}
    # A default is generated from the rules that speak of its outcome, and names what they do.
    uids.update(policy.rules.filter(retired_at=None, kind="default").values_list("uid", flat=True))
    return compose_alone(policy, uids, declared)


def _warn(request: MemberRequest, policy: Policy, uid: str) -> None:
    """Say in a sentence what the phrases just saved clash with; they are saved all the same."""
    for message in phrase_warnings(compose_declarations(policy)).get(uid, ())[:1]:
        messages.warning(request, as_sentence(message))


def _form_context(
    policy: Policy, queue: Queue, form: VariableForm, problem: dict[str, Any] | None, title: str
) -> dict[str, Any]:
    return {
        "policy": policy,
        "tab": "glossary",
        "queue": queue,
        "form": form,
        "problem": problem,
        "title": title,
    }


def _status(form: VariableForm, problem: dict[str, Any] | None) -> int:
    if problem is not None:
        return int(problem["status"])
    return 422 if form.is_bound else 200


def _problem(error: RefusedError | DraftMovedError, url: str) -> dict[str, Any]:
    return {
        "sentence": as_sentence(str(error)),
        "present": getattr(error, "present", ""),
        "present_hash": getattr(error, "present_hash", ""),
        "sent": getattr(error, "sent", ""),
        "reload": url,
        "status": 409 if isinstance(error, (MovedError, DraftMovedError)) else 422,
    }


def _joins(policy: Policy, merges: Mapping[str, Sequence[Merge]]) -> list[dict[str, Any]]:
    """Rules that were joined, each with the one that stays."""
    live = {row.uid: row.name for row in policy.rules.filter(retired_at=None)}
    return [
        {"into": {"uid": uid, "name": live[uid]}, "merges": merges_shown(own)}
        for uid, own in merges.items()
        if uid in live
    ]


def _could_be_one(model: PolicyModel, uid: str) -> list[dict[str, str]]:
    """The variables with which this one could be merged: of its sort and unit."""
    own = model.variable_by_id.get(uid)
    if own is None:
        return []
    unit = unit_key(own.unit)
    return [
        {"uid": other.id, "phrase": draft_phrases(other).text}
        for other in model.variables
        if other.id != uid
        and other.sort == own.sort
        and (not unit or unit_key(other.unit) in ("", unit))
    ]


def _said(queue: Queue, row: VariableRow) -> str:
    declared = queue.composition.model.variable_by_id.get(row.uid)
    return draft_phrases(declared).text if declared else row.name
