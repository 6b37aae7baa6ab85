"""Two symbols side by side, what a merge would bring about, and the merge; taking it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from policies.access import MemberRequest, one_or_404, policy_view
from policies.editing import DraftMovedError
from policies.models import Merge, Policy
from policies.roles import Action
from policywright.model import PolicyModel
from translation.merges import described
from translation.merging.candidates import differences
from translation.merging.contrasts import contrasts
from translation.merging.values import pair_values
from vetting.foreseeing import foresee
from vetting.foretelling import UNSEEN
from vetting.merging import checked_pair, merge_symbols, undo_merge
from vetting.queue import Queue, build_queue
from vetting.refusals import NotSeenError, RefusedError
from vetting.views.acting import number, sent
from vetting.views.cards import as_sentence
from vetting.views.foretold import SEEN, first_told
from vetting.views.symbols import phrase_of, side_shown, uses_of

PARTS = {"name": "Name in the logic", "phrase": "Phrase", "description": "Meaning"}


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def merge(request: MemberRequest, policy: Policy) -> HttpResponse:
    """GET compares; POST merges, unless rules would contradict and nobody said 'all the same'."""
    from_uid, into_uid = _given(request, "from"), _given(request, "into")
    queue = build_queue(policy)
    model = queue.composition.model
    try:
        kind = checked_pair(policy, model, from_uid, into_uid).kind
    except RefusedError as error:
        messages.error(request, as_sentence(str(error)))
        return redirect("glossary", policy.slug)
    values = _values(request, model, from_uid, into_uid)
    foreseen = foresee(policy, queue, from_uid, into_uid, values)
    problem, turns = "", foreseen.scenarios
    if request.method == "POST" and (not foreseen.contradicts or sent(request, "despite")):
        try:
            if turns.any and sent(request, SEEN) != turns.token:
                raise NotSeenError(UNSEEN)
            merge_symbols(
                policy,
                request.user,
                from_uid=from_uid,
                into_uid=into_uid,
                values=values,
                shown_revision=number(sent(request, "shown")),
            )
        except (RefusedError, DraftMovedError) as error:
            problem = as_sentence(str(error))
        else:
            said = phrase_of(model, into_uid)
            messages.success(request, f"Merged: both are ‘{said}’ now. The glossary takes it back.")
            return redirect("glossary", policy.slug)
    context = _compared(queue, from_uid, into_uid, kind) | {
        "policy": policy,
        "tab": "glossary",
        "queue": queue,
        "foreseen": foreseen,
        "pairs": _pairs(model, from_uid, into_uid, values),
        "problem": problem,
        "revision": policy.revision,
        "asked": request.method == "POST",
    }
    status = 409 if problem else 422 if request.method == "POST" else 200
    return render(request, "vetting/merge.html", context, status=status)


@policy_view(Action.EDIT)
@require_POST
def undo(request: MemberRequest, policy: Policy, pk: int) -> HttpResponse:
    row = one_or_404(Merge.objects.filter(policy=policy), pk=pk)
    try:
        told = first_told(request, policy, lambda: undo_merge(policy, request.user, row))
        if told is not None:
            return told
        undone = undo_merge(policy, request.user, row)
    except RefusedError as error:
        messages.error(request, as_sentence(str(error)))
    else:
        messages.success(request, "The merge is undone: the two stand apart again.")
        for sentence in undone.named:
            messages.warning(request, sentence)
    return redirect("glossary", policy.slug)


def _compared(queue: Queue, from_uid: str, into_uid: str, kind: str) -> dict[str, Any]:
    model = queue.composition.model
    uses = uses_of(model)
    sides = [side_shown(model, uid, uses) for uid in (into_uid, from_uid)]
    differing: list[dict[str, str]] = []
    apart: list[str] = []
    if kind == "variable":
        first, second = (described(model.variable_by_id[uid]) for uid in (into_uid, from_uid))
        differing = [
            {"part": PARTS.get(part, part.capitalize()), "into": one or "–", "from": other or "–"}
            for part, one, other in differences(first, second)
        ]
        apart = [str(contrast) for contrast in contrasts(first.text, second.text)]
    return {
        "kind": kind,
        "into": sides[0],
        "from": sides[1],
        "differing": differing,
        "apart": apart,
        "title": f"‘{sides[0]['phrase']}’ and ‘{sides[1]['phrase']}’",
    }


def _values(
    request: MemberRequest, model: PolicyModel, from_uid: str, into_uid: str
) -> dict[str, str]:
    """The pairs of values as the form has them; at first those of one name or phrase."""
    if from_uid not in model.datatype_by_id:
        return {}
    first, second = model.datatype_by_id[into_uid], model.datatype_by_id[from_uid]
    if request.method != "POST":
        return pair_values(first, second)
    known = {value.id for value in first.values}
    chosen = {value.id: sent(request, f"value-{value.id}") for value in second.values}
    return {uid: target for uid, target in chosen.items() if target in known}


def _pairs(
    model: PolicyModel, from_uid: str, into_uid: str, values: Mapping[str, str]
) -> list[dict[str, Any]]:
    if from_uid not in model.datatype_by_id:
        return []
    targets = [
        {"uid": value.id, "phrase": value.phrase or value.name}
        for value in model.datatype_by_id[into_uid].values
    ]
    return [
        {
            "uid": value.id,
            "phrase": value.phrase or value.name,
            "targets": [one | {"chosen": values.get(value.id) == one["uid"]} for one in targets],
        }
        for value in model.datatype_by_id[from_uid].values
    ]


def _given(request: HttpRequest, name: str) -> str:
    return str((request.POST if request.method == "POST" else request.GET).get(name, ""))
