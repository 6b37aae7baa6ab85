"""The sentences of a rule: all of them in their places, one more, or one less."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, get_rule_or_404, may, policy_view
from policies.composing import compose_rules
from policies.editing import DraftMovedError
from policies.models import Policy, Rule, SourcePart
from policies.present import sentence_hash
from policies.roles import Action
from policies.sources import sentences_by_lineage
from vetting.decisions import english_of
from vetting.refusals import RefusedError
from vetting.review import rule_states
from vetting.rule_sources import (
    MAX_FOUND,
    add_source,
    find_sentences,
    remove_source,
)
from vetting.views.acting import sent
from vetting.views.cards import as_sentence
from vetting.views.foretold import first_told
from vetting.views.places import place_of, sources_shown
from vetting.views.review import card_url


@policy_view(Action.VIEW)
@require_GET
def sources(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    return _page(request, policy, get_rule_or_404(policy, key))


@policy_view(Action.EDIT)
@require_POST
def add(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    rule = get_rule_or_404(policy, key)
    lineage, _, shown = sent(request, "sentence").partition(":")
    present = sentences_by_lineage(policy, [lineage.replace("\0", "")[:40]])
    try:
        if not present:
            raise RefusedError("choose one of the sentences that were found.")
        act = partial(
            add_source,
            policy,
            request.user,
            rule,
            next(iter(present.values())),
            part=sent(request, "part"),
            shown_sentence=shown,
        )
        told = first_told(request, policy, act)
        if told is not None:
            return told
        act()
    except (RefusedError, DraftMovedError) as error:
        return _page(request, policy, rule, problem=as_sentence(str(error)))
    messages.success(request, "Added: the rule is read beside this sentence too, and waits.")
    return redirect(f"{card_url(policy, rule.uid)}#here")


@policy_view(Action.EDIT)
@require_POST
def remove(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    rule = get_rule_or_404(policy, key)
    try:
        lineage = sent(request, "lineage").replace("\0", "")[:40]
        shown = sent(request, "shown")
        act = partial(remove_source, policy, request.user, rule, lineage, shown_hash=shown)
        told = first_told(request, policy, act)
        if told is not None:
            return told
        act()
    except (RefusedError, DraftMovedError) as error:
        return _page(request, policy, rule, problem=as_sentence(str(error)))
    messages.success(request, "Taken away: the rule does not come from that sentence any more.")
    return redirect(f"{card_url(policy, rule.uid)}#here")


def _page(request: MemberRequest, policy: Policy, rule: Rule, *, problem: str = "") -> HttpResponse:
    if rule.retired_at is not None:
        raise Http404
    composition = compose_rules(policy, [rule.uid])
    states = rule_states(policy, composition, some=True)
    own = sources_shown(policy, rule)
    known = {one["lineage"] for one in own}
    words = (request.GET.get("q") or sent(request, "q"))[:200]
    found = [one for one in find_sentences(policy, words) if one.lineage not in known]
    context = {
        "policy": policy,
        "tab": "review",
        "rule": rule,
        "english": english_of(rule, composition),
        "state": states[rule.uid].state if rule.uid in states else "waiting",
        "hash": composition.hashes.get(rule.uid, ""),
        "sources": own,
        "words": words,
        "found": [
            {
                "value": f"{one.lineage}:{sentence_hash(one)}",
                "quote": one.text,
                **place_of(policy, one),
            }
            for one in found
        ],
        "max_found": MAX_FOUND,
        "parts": SourcePart.choices,
        "may_edit": may(request.user, policy, Action.EDIT),
        "problem": problem,
    }
    return render(request, "vetting/rule_sources.html", context, status=422 if problem else 200)
