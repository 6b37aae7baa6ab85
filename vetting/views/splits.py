"""One thing taken apart by hand; and a rule's parts, its twin and its name."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from policies.access import (
    MemberRequest,
    by_uid_or_404,
    get_rule_or_404,
    get_variable_or_404,
    policy_view,
)
from policies.composing import compose
from policies.editing import DraftMovedError
from policies.models import Datatype, DatatypeValue, Policy
from policies.roles import Action
from policywright.english import draft_phrases, render_rule, render_sentence
from policywright.model import Kind
from translation.merging.splitting import parts_of
from vetting.declarations import NewVariable
from vetting.edits import rename_rule
from vetting.joining import check_equivalent, join_checked, join_rules
from vetting.queue import Queue, build_queue
from vetting.refusals import RefusedError
from vetting.splitting import split_datatype, split_rule, split_value, split_variable
from vetting.views.acting import number, sent
from vetting.views.cards import as_sentence
from vetting.views.foretold import first_told
from vetting.views.symbols import uses_of


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def variable(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    row = get_variable_or_404(policy, uid)
    queue = build_queue(policy)
    present = queue.composition.canonical_uid.get(uid, uid)
    declared = queue.composition.model.variable_by_id.get(present)
    if declared is None:
        messages.error(request, "This variable is no longer in the draft.")
        return redirect("glossary", policy.slug)
    problem = ""
    if request.method == "POST":
        new = NewVariable(
            name=sent(request, "name"),
            sort=declared.sort.key,
            role=declared.role.value,
            unit=declared.unit,
            description=sent(request, "description"),
            phrase=sent(request, "phrase"),
        )
        split_it = partial(
            split_variable,
            policy,
            request.user,
            row,
            new,
            rules=request.POST.getlist("rules"),
            shown_revision=number(sent(request, "shown")),
        )
        try:
            told = first_told(request, policy, split_it)
            if told is not None:
                return told
            split_it()
        except (RefusedError, DraftMovedError) as error:
            problem = as_sentence(str(error))
        else:
            messages.success(request, f"Split: {new.name} stands on its own. Its rules wait again.")
            return redirect("glossary", policy.slug)
    phrase = draft_phrases(declared).text
    context = _context(request, policy, queue, present, problem) | {
        "title": f"Split ‘{phrase}’",
        "says": "It means two things? Give the second its own name, and choose the rules that "
        "speak of it. Sort, unit and role stay.",
        "with_meaning": True,
    }
    return render(request, "vetting/split.html", context, status=409 if problem else 200)


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def value(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    row = by_uid_or_404(DatatypeValue.objects.filter(datatype__policy=policy), uid)
    queue = build_queue(policy)
    present = queue.composition.canonical_uid.get(uid, uid)
    problem = ""
    if request.method == "POST":
        split_it = partial(
            split_value,
            policy,
            request.user,
            row,
            name=sent(request, "name"),
            phrase=sent(request, "phrase"),
            rules=request.POST.getlist("rules"),
            shown_revision=number(sent(request, "shown")),
        )
        try:
            told = first_told(request, policy, split_it)
            if told is not None:
                return told
            made = split_it()
        except (RefusedError, DraftMovedError) as error:
            problem = as_sentence(str(error))
        else:
            messages.success(request, f"Split: {made.name} is a value now. Its rules wait again.")
            return redirect("glossary", policy.slug)
    context = _context(request, policy, queue, present, problem) | {
        "title": f"Split the value ‘{row.phrase or row.name}’",
        "says": "It means two things? Give the second its own name, and choose the rules that "
        "speak of it.",
    }
    return render(request, "vetting/split.html", context, status=409 if problem else 200)


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def datatype(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    row = by_uid_or_404(Datatype.objects.filter(policy=policy), uid)
    queue = build_queue(policy)
    model = queue.composition.model
    present = queue.composition.canonical_uid.get(uid, uid)
    problem = ""
    if request.method == "POST":
        split_it = partial(
            split_datatype,
            policy,
            request.user,
            row,
            name=sent(request, "name"),
            variables=request.POST.getlist("variables"),
            shown_revision=number(sent(request, "shown")),
        )
        try:
            told = first_told(request, policy, split_it)
            if told is not None:
                return told
            made = split_it()
        except (RefusedError, DraftMovedError) as error:
            problem = as_sentence(str(error))
        else:
            messages.success(request, f"Split: {made.name} is a datatype of its own now.")
            return redirect("glossary", policy.slug)
    chosen = request.POST.getlist("variables")
    context = _context(request, policy, queue, present, problem) | {
        "title": f"Split the datatype ‘{row.name}’",
        "says": "The copy has the same values. Choose the variables that take it; their rules "
        "wait again.",
        "no_phrase": True,
        "variables": [
            {"uid": one.id, "phrase": draft_phrases(one).text, "chosen": one.id in chosen}
            for one in model.variables
            if one.sort.key == present
        ],
    }
    return render(request, "vetting/split.html", context, status=409 if problem else 200)


@policy_view(Action.EDIT)
@require_GET
def rule(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    return _rule_page(request, policy, uid, "")


@policy_view(Action.EDIT)
@require_POST
def split(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    row = get_rule_or_404(policy, uid)
    try:
        made = split_rule(policy, request.user, row, shown_hash=sent(request, "shown"))
    except (RefusedError, DraftMovedError) as error:
        return _rule_page(request, policy, uid, as_sentence(str(error)))
    names = ", ".join(one.name for one in made)
    messages.success(request, f"Split into {names}. Read each, then approve it.")
    return redirect("review-card", policy.slug, made[0].uid)


@policy_view(Action.EDIT)
@require_POST
def join(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    drop = get_rule_or_404(policy, uid)
    keep = get_rule_or_404(policy, sent(request, "keep"))
    shown = number(sent(request, "shown"))
    join_them = partial(
        join_checked, policy, request.user, drop=drop, keep=keep, shown_revision=shown
    )
    try:
        # The solver is asked outside of the act. Answers about the rule that leaves go with it.
        check_equivalent(compose(policy).model, drop, keep)
        told = first_told(request, policy, join_them)
        if told is not None:
            return told
        join_rules(policy, request.user, drop=drop, keep=keep, shown_revision=shown)
    except (RefusedError, DraftMovedError) as error:
        return _rule_page(request, policy, uid, as_sentence(str(error)))
    messages.success(request, f"Joined: {keep.name} has the sources of both.")
    return redirect("review-card", policy.slug, keep.uid)


@policy_view(Action.EDIT)
@require_POST
def rename(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    row = get_rule_or_404(policy, uid)
    try:
        renamed = rename_rule(
            policy,
            request.user,
            row,
            name=sent(request, "name"),
            shown_name=sent(request, "shown-name"),
        )
    except (RefusedError, DraftMovedError) as error:
        return _rule_page(request, policy, uid, as_sentence(str(error)))
    messages.success(request, f"Renamed: {renamed.name}. No approval lapsed.")
    return redirect("review-card", policy.slug, uid)


def _rule_page(request: MemberRequest, policy: Policy, uid: str, problem: str) -> HttpResponse:
    row = get_rule_or_404(policy, uid)
    queue = build_queue(policy)
    composition = queue.composition
    model = composition.model
    present = model.rule_by_id.get(uid)
    if row.retired_at is not None or present is None:
        messages.error(request, "This rule is not in the draft, or does not fit its declarations.")
        return redirect("review", policy.slug)
    own = composition.own_term(uid)
    parts = parts_of(own) if own is not None and present.kind is not Kind.DEFAULT else ()
    others = [one for one in model.rules if one.id != uid and one.kind is present.kind]
    context = {
        "policy": policy,
        "tab": "review",
        "queue": queue,
        "row": row,
        "hash": composition.hashes[uid],
        "revision": policy.revision,
        "english": render_rule(model, present),
        "parts": [render_sentence(model, part) for part in parts] if len(parts) > 1 else [],
        "others": [{"uid": one.id, "name": one.name} for one in others]
        if present.kind is not Kind.DEFAULT
        else [],
        "problem": problem,
    }
    return render(request, "vetting/rule_parts.html", context, status=409 if problem else 200)


def _context(
    request: MemberRequest, policy: Policy, queue: Queue, uid: str, problem: str
) -> dict[str, Any]:
    model = queue.composition.model
    chosen = request.POST.getlist("rules")
    return {
        "policy": policy,
        "tab": "glossary",
        "queue": queue,
        "problem": problem,
        "revision": policy.revision,
        "typed": {name: sent(request, name) for name in ("name", "phrase", "description")},
        "rules": [
            {
                "uid": rule.id,
                "name": rule.name,
                "english": render_rule(model, rule),
                "chosen": rule.id in chosen,
            }
            for rule in uses_of(model).get(uid, ())
            if rule.kind is not Kind.DEFAULT
        ],
    }
