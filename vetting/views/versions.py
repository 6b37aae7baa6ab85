"""Publishing, and what was published: versions, their rules in English, their bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import parse_etags
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, get_version_or_404, may, policy_view
from policies.editing import DraftMovedError
from policies.export import export_filename
from policies.models import Policy
from policies.roles import MATRIX, Action
from policywright.model import Kind
from vetting.effort import effort_of, own_time
from vetting.in_the_way import grouped, in_the_way
from vetting.lint import hint_of, lint_now
from vetting.publishing import PublishRefusedError, blockers, publish, untold
from vetting.queue import Queue, build_queue
from vetting.scenarios import PAGE_S, run_in_force
from vetting.views.acting import number, sent
from vetting.views.cards import as_sentence
from vetting.views.effort import effort_shown
from vetting.views.front import blocker_shown, group_shown
from vetting.views.places import path_shown
from vetting.views.published import is_published
from vetting.views.review import whole_page

MEDIA_TYPE = "text/x-smtlib2; charset=utf-8"
GROUPS = (
    ("rules", "Rules", (Kind.RULE, Kind.DEFINITION)),
    ("assumptions", "Assumptions", (Kind.ASSUMPTION,)),
    ("defaults", "Defaults", (Kind.DEFAULT,)),
)


@policy_view(Action.VIEW)
@require_GET
def versions(request: MemberRequest, policy: Policy) -> HttpResponse:
    return _page(request, policy)


@policy_view(Action.PUBLISH)
@require_POST
def publish_version(request: MemberRequest, policy: Policy) -> HttpResponse:
    try:
        shown = number(sent(request, "revision"))
        version = publish(request.user, policy, shown_revision=shown)
    except PublishRefusedError:
        # The reasons are on the page itself, each with its link.
        sentence = "Nothing was published: something stands in the way."
        return _refused(request, policy, {"sentence": sentence}, 422)
    except DraftMovedError as error:
        return _refused(request, policy, {"sentence": as_sentence(str(error))}, 409)
    messages.success(request, f"Version {version.number} is published.")
    return whole_page(request, reverse("version", args=[policy.slug, version.number]))


@policy_view(Action.VIEW)
@require_GET
def version(request: MemberRequest, policy: Policy, number: int) -> HttpResponse:
    found = get_version_or_404(policy, number)
    record = json.loads(found.record)["content"]
    groups = [
        {"id": key, "title": title, "rules": [r for r in _rules(record) if r["kind"] in kinds]}
        for key, title, kinds in GROUPS
    ]
    own = own_time(policy, request.user).get(number)
    context = {
        "policy": policy,
        "tab": "versions",
        "version": found,
        "row": effort_shown(effort_of(policy, [number])[0], own),
        "groups": groups,
        "subject_to": record["subject_to"],
        "second_person": record.get("second_person", False),
        "scopes": record.get("scopes", []),
        "holds": _holds(groups),
        "filename": export_filename(policy.slug, found.number),
        "may_export": may(request.user, policy, Action.EXPORT),
    }
    return render(request, "vetting/version.html", context)


@policy_view(Action.EXPORT)
@require_GET
def version_smt2(
    request: MemberRequest, policy: Policy, number: int, filename: str
) -> HttpResponse:
    """The published bytes, the same each time."""
    found = get_version_or_404(policy, number)
    if filename != export_filename(policy.slug, found.number):
        raise Http404
    etag = f'"{found.sha256}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = HttpResponse(bytes(found.smt2), content_type=MEDIA_TYPE)
        response["Content-Disposition"] = f'attachment; filename="{filename}"'
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def _page(
    request: MemberRequest, policy: Policy, problem: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    queue, hint = build_queue(policy), hint_of(policy)
    groups = in_the_way(policy, queue.cover, hint)
    # What is kept says that it may be published: then it is worked out as publishing will.
    exact = {} if groups else _exact(policy, queue)
    groups = groups or exact.pop("groups")
    found = list(
        policy.versions.select_related("published_by").defer("record", "smt2").order_by("-number")
    )
    last = found[0] if found else None
    context = {
        "policy": policy,
        "tab": "versions",
        "queue": queue,
        "lint_hint": hint,
        "versions": found,
        "last": last,
        "next_number": last.number + 1 if last else 1,
        "changed": not is_published(queue.cover, last),
        "groups": [group_shown(policy, one) for one in groups],
        "in_the_way": sum(one.count for one in groups),
        "may_publish": bool(request.roles & MATRIX[Action.PUBLISH]),
        "problem": problem,
        **exact,
    }
    return render(request, "vetting/versions.html", context, status=status)


def _exact(policy: Policy, queue: Queue) -> dict[str, Any]:
    now = queue.now
    runs = run_in_force(policy, now.composition, now.questions, seconds=PAGE_S)
    told = {uid: run for uid, run in runs.items() if not run.is_late}
    known = lint_now(policy, now.composition)
    return {
        "groups": grouped(blockers(policy, now, runs, known)),
        "untold": [blocker_shown(policy, one) for one in untold(policy, now, told)],
        "late": len(runs) - len(told),
    }


def _refused(
    request: MemberRequest, policy: Policy, problem: dict[str, Any], status: int
) -> HttpResponse:
    if not request.htmx:
        return _page(request, policy, problem, status)
    problem["reload"] = reverse("versions", args=[policy.slug])
    response = render(request, "vetting/_problem.html", {"problem": problem}, status=status)
    response["X-Problem"] = "shown"
    return response


def _rules(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for rule in record["rules"]:
        approval = rule["approval"]
        yield {
            "name": rule["name"],
            "kind": rule["kind"],
            "english": rule["english"],
            "approved_by": approval["by"]["name"],
            "approved_at": datetime.fromisoformat(approval["at"]),
            "sources": [
                {
                    "path": path_shown(source["document"], source["context"]),
                    "quote": source["quote"],
                }
                for source in rule["sources"]
            ],
        }


def _holds(groups: list[dict[str, Any]]) -> str:
    counts = [(len(group["rules"]), group["title"].lower()) for group in groups]
    said = [f"{n} {word if n != 1 else word[:-1]}" for n, word in counts if n]
    return ", ".join(said)
