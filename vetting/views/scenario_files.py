"""Scenarios come in as a file, looked at before they are saved, and go out as one."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.utils.http import parse_etags
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from policies.access import MemberRequest, policy_view
from policies.composing import compose
from policies.models import Policy
from policies.roles import Action
from policywright.scenarios import say_scenario
from vetting.refusals import MovedError, RefusedError
from vetting.scenario_files import (
    MAX_BYTES,
    MAX_SCENARIOS,
    FileProblemsError,
    Incoming,
    carried,
    import_scenarios,
    outgoing,
    preview,
    read_file,
    text_of_carried,
    text_of_file,
    to_bytes,
)
from vetting.scenarios import Result
from vetting.views.acting import sent
from vetting.views.cards import as_sentence

MAX_SHOWN = 50
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
_FIRST = [Result.FAILS, Result.UNDECIDED, Result.HOLDS]


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def import_file(request: MemberRequest, policy: Policy) -> HttpResponse:
    """The form; a POST reads the file and shows what it holds, and saves nothing."""
    if request.method == "GET":
        return _page(request, policy)
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        return _page(request, policy, problems=["Choose a file."], status=422)
    try:
        # One byte more than is allowed is enough to refuse it.
        text = text_of_file(file.read(MAX_BYTES + 1))
        return _preview(request, policy, read_file(policy, text), file.name or "")
    except RefusedError as error:
        return _refused(request, policy, error)


@policy_view(Action.EDIT)
@require_POST
def save_file(request: MemberRequest, policy: Policy) -> HttpResponse:
    text, name = "", sent(request, "name")[:200]
    try:
        text = text_of_carried(sent(request, "file"))
        count = import_scenarios(policy, request.user, text, shown=sent(request, "shown"))
    except MovedError as error:
        try:
            again = read_file(policy, text)
        except RefusedError as problem:
            return _refused(request, policy, problem)
        note = as_sentence(str(error))
        return _preview(request, policy, again, name, note=note, status=409)
    except RefusedError as error:
        return _refused(request, policy, error)
    many = "One scenario was" if count == 1 else f"{count:,} scenarios were"
    messages.success(request, f"{many} imported.")
    return redirect("own-scenarios", policy.slug)


@policy_view(Action.EXPORT)
@require_GET
def export(request: MemberRequest, policy: Policy, ending: str) -> HttpResponse:
    """All in force as a file; the same bytes for the same scenarios."""
    if ending not in MEDIA_TYPES:
        raise Http404
    composition = compose(policy)
    data = to_bytes(composition.model, outgoing(policy, composition).scenarios, ending)
    etag = f'"{hashlib.sha256(data).hexdigest()}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = HttpResponse(data, content_type=MEDIA_TYPES[ending])
        name = f"{policy.slug}-scenarios.{ending}"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def _page(
    request: MemberRequest,
    policy: Policy,
    *,
    problems: list[str] | tuple[str, ...] = (),
    more: int = 0,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "policy": policy,
        "tab": "suite",
        "problems": problems,
        "more": more,
        "most": MAX_SCENARIOS,
        "millions": MAX_BYTES // 10**6,
    }
    return render(request, "vetting/own_import.html", context, status=status)


def _refused(request: MemberRequest, policy: Policy, error: RefusedError) -> HttpResponse:
    if isinstance(error, FileProblemsError):
        return _page(request, policy, problems=error.problems, more=error.more, status=422)
    return _page(request, policy, problems=[as_sentence(str(error))], status=422)


def _preview(
    request: MemberRequest,
    policy: Policy,
    incoming: Incoming,
    name: str,
    *,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    """How many hold and how many do not, and which; those that do not come first."""
    model, runs = incoming.composition.model, preview(policy, incoming)
    found = sorted(incoming.new, key=lambda one: _FIRST.index(runs[one.where].result))
    results = [run.result for run in runs.values()]
    context = {
        "policy": policy,
        "tab": "suite",
        "name": name,
        "note": note,
        "incoming": incoming,
        "file": carried(incoming.text),
        "holds": results.count(Result.HOLDS),
        "fails": results.count(Result.FAILS),
        "undecided": results.count(Result.UNDECIDED),
        "late": sum(run.is_late for run in runs.values()),
        "lines": [
            {
                "where": one.where,
                "english": say_scenario(model, one.scenario),
                "result": runs[one.where].result,
                "why": ""
                if runs[one.where].result is Result.HOLDS
                else as_sentence(runs[one.where].why),
                "replaced": incoming.replaced.get(one.where),
            }
            for one in found[:MAX_SHOWN]
        ],
        "more": max(len(found) - MAX_SHOWN, 0),
    }
    return render(request, "vetting/own_import_preview.html", context, status=status)
