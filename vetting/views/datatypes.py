"""Datatypes by hand: declared with their values, edited, values renamed and added."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from policies.access import MemberRequest, by_uid_or_404, policy_view
from policies.editing import DraftMovedError
from policies.models import Datatype, Policy
from policies.roles import Action
from vetting.datatypes import datatype_hash, edit_datatype
from vetting.declarations import NewValue, declare_datatype
from vetting.queue import build_queue
from vetting.refusals import MovedError, RefusedError
from vetting.views.acting import sent
from vetting.views.cards import as_sentence
from vetting.views.foretold import first_told
from vetting.views.symbols import datatype_shown, uses_of

VALUES_HELP = "One a line. How it is said may follow a colon: international: in another country"


class DatatypeForm(forms.Form):
    name = forms.CharField(label="Name", max_length=120, help_text="In the logic: Destination.")
    description = forms.CharField(
        label="Meaning", required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    values = forms.CharField(
        label="Values", help_text=VALUES_HELP, widget=forms.Textarea(attrs={"rows": 6})
    )

    def new_values(self) -> list[NewValue]:
        return values_in(self.cleaned_data["values"])


def values_in(text: str) -> list[NewValue]:
    """`name` or `name: phrase`, one a line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    parted = [line.partition(":") for line in lines]
    return [NewValue(name.strip(), phrase.strip()) for name, _, phrase in parted]


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def declare(request: MemberRequest, policy: Policy) -> HttpResponse:
    form = DatatypeForm(request.POST or None)
    problem = ""
    if form.is_valid():
        try:
            made = declare_datatype(
                policy,
                request.user,
                name=form.cleaned_data["name"],
                description=form.cleaned_data["description"],
                values=form.new_values(),
            )
        except (RefusedError, DraftMovedError) as error:
            problem = as_sentence(str(error))
        else:
            messages.success(request, f"Declared: {made.name}.")
            return redirect("glossary", policy.slug)
    context = {
        "policy": policy,
        "tab": "glossary",
        "queue": build_queue(policy),
        "form": form,
        "problem": problem,
    }
    status = 422 if form.is_bound else 200
    return render(request, "vetting/datatype_new.html", context, status=status)


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def datatype(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    row = by_uid_or_404(Datatype.objects.filter(policy=policy), uid)
    shown = sent(request, "shown") or datatype_hash(row)
    problem: dict[str, Any] = {}
    if request.method == "POST":
        try:
            told = first_told(request, policy, lambda: _save(request, policy, row, shown))
            if told is not None:
                return told
            _save(request, policy, row, shown)
        except (RefusedError, DraftMovedError) as error:
            moved = isinstance(error, (MovedError, DraftMovedError))
            problem = {
                "sentence": as_sentence(str(error)),
                "present": getattr(error, "present", ""),
                "reload": request.get_full_path(),
                "status": 409 if moved else 422,
            }
            shown = getattr(error, "present_hash", "") or shown
        else:
            messages.success(request, f"Saved: {row.name}. The rules that use it wait again.")
            return redirect("glossary", policy.slug)
    queue = build_queue(policy)
    model = queue.composition.model
    declared = model.datatype_by_id.get(row.uid)
    context = {
        "policy": policy,
        "tab": "glossary",
        "queue": queue,
        "row": row,
        "shown": shown,
        "name": sent(request, "name") or row.name,
        "description": request.POST.get("description", row.description),
        "added": request.POST.get("added", ""),
        "values": [
            {
                "uid": value.uid,
                "name": request.POST.get(f"name-{value.uid}", value.name),
                "phrase": request.POST.get(f"phrase-{value.uid}", value.phrase),
            }
            for value in row.values.all()
        ],
        "seen": datatype_shown(model, declared, uses_of(model), {}) if declared else None,
        "problem": problem,
        "values_help": VALUES_HELP,
    }
    status = problem.get("status", 200)
    return render(request, "vetting/datatype.html", context, status=status)


def _save(request: MemberRequest, policy: Policy, row: Datatype, shown: str) -> None:
    values = {
        value.uid: NewValue(
            sent(request, f"name-{value.uid}"), sent(request, f"phrase-{value.uid}")
        )
        for value in row.values.all()
        if f"name-{value.uid}" in request.POST
    }
    edit_datatype(
        policy,
        request.user,
        row,
        name=sent(request, "name"),
        description=sent(request, "description"),
        values=values,
        added=values_in(sent(request, "added")),
        shown_hash=shown,
    )
