"""People's own scenarios: listed with what the rules find now, written, and withdrawn.

Those that do not hold come first. One is written like a rule: its text is read and shown,
then saved; whether the rules agree is shown after that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from policies.access import MemberRequest, by_uid_or_404, may, policy_view
from policies.composing import Composition, compose
from policies.models import Policy
from policies.roles import MATRIX, Action
from vetting.models import Origin, Scenario
from vetting.own_scenarios import (
    OWN,
    ProposedScenario,
    add_scenario,
    is_asked,
    listed_scenarios,
    propose_scenario,
    withdraw_scenario,
)
from vetting.refusals import ReadingError, RefusedError
from vetting.scenarios import (
    PAGE_S,
    InForce,
    Result,
    Run,
    expected_of,
    own_in_force,
    run_scenarios,
)
from vetting.views.acting import sent
from vetting.views.cards import as_sentence
from vetting.views.case_shown import say_found, say_said
from vetting.views.editors import Editor, Place, reading_alone
from vetting.views.readings import (
    NOT_SEEN,
    Propose,
    Reading,
    note_on,
    read_into,
    read_text,
    text_of,
)
from vetting.views.review import card_url
from vetting.views.suite_cases import rules_shown
from vetting.written import Language, Written

A_PAGE = 50
READING = "vetting/_own_reading.html"
_ORDER = [Result.FAILS, Result.UNFIT, Result.UNDECIDED, Result.HOLDS]
_SAVED = {
    Result.HOLDS: "Saved. The rules say the same.",
    Result.FAILS: "Saved. The rules say otherwise: by which is shown here.",
    Result.UNDECIDED: "Saved. What the rules say of it is not decided yet.",
}


@policy_view(Action.VIEW)
@require_GET
def own(request: MemberRequest, policy: Policy) -> HttpResponse:
    """All that are in force but those of the suite, a page of them."""
    composition = compose(policy)
    found = listed_scenarios(policy, composition)
    runs = run_scenarios(policy, composition, found, seconds=PAGE_S)
    found.sort(key=lambda one: _ORDER.index(runs[one.scenario.uid].result))
    counts = Counter(runs[one.scenario.uid].result for one in found)
    page = Paginator(found, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "policy": policy,
        "tab": "suite",
        "page": page,
        "lines": [_line(policy, composition, one, runs[one.scenario.uid]) for one in page],
        "counts": [(one, counts[one]) for one in _ORDER if counts[one]],
        "late": sum(run.is_late for run in runs.values()),
        "may_write": _may_write(request),
        "may_export": may(request.user, policy, Action.EXPORT),
    }
    return render(request, "vetting/own_scenarios.html", context)


@policy_view(Action.EDIT)
@require_http_methods(["GET", "POST"])
def new(request: MemberRequest, policy: Policy) -> HttpResponse:
    """The field; a POST reads it and saves nothing. A text in the address is read at once."""
    if request.method == "POST":
        return _read(request, policy)
    text = request.GET.get("text", "")
    reading = Reading(Written(Language.ENGLISH, text))
    if text.strip():
        read_into(reading, _proposing(policy))
    return _form(request, policy, reading if text.strip() else None, text)


@policy_view(Action.EDIT)
@require_POST
def save(request: MemberRequest, policy: Policy) -> HttpResponse:
    text = text_of(request).text
    try:
        row = add_scenario(policy, request.user, text, shown=sent(request, "read") or NOT_SEEN)
    except ReadingError as error:
        return _read(request, policy, error)
    except RefusedError:
        return _read(request, policy)
    composition = compose(policy)
    if row.origin in OWN:
        run = run_scenarios(policy, composition, [InForce(row)], seconds=PAGE_S)[row.uid]
        messages.success(request, _SAVED.get(run.result, "Saved."))
        url = reverse("own-scenario", args=[policy.slug, row.uid])
    else:
        messages.info(request, "This was said already, as an answer to a case.")
        url = reverse("suite-case", args=[policy.slug, row.case_hash])
    return HttpResponseClientRedirect(url) if request.htmx else redirect(url)


@policy_view(Action.VIEW)
@require_GET
def scenario(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """One that somebody wrote or imported, or said of a case that the suite asks no more."""
    row = by_uid_or_404(Scenario.objects.filter(policy=policy, answer=None), uid)
    if is_asked(policy, compose(policy), row):
        return redirect("suite-case", policy.slug, row.case_hash)
    return _one(request, policy, uid)


@policy_view(Action.EDIT)
@require_POST
def withdraw(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    try:
        withdraw_scenario(policy, request.user, uid, reason=sent(request, "reason"))
    except RefusedError as error:
        problem = {"sentence": as_sentence(str(error)), "typed": sent(request, "reason")}
        return _one(request, policy, uid, problem, status=422)
    messages.success(request, "Withdrawn: it does not count any more. What was said is kept.")
    return redirect("own-scenarios", policy.slug)


def _one(
    request: MemberRequest,
    policy: Policy,
    uid: str,
    problem: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    rows = Scenario.objects.filter(policy=policy, answer=None).select_related("by")
    row = by_uid_or_404(rows, uid)
    composition = compose(policy)
    present = next((one for one in own_in_force(policy) if one.scenario.uid == row.uid), None)
    run = None
    if present is not None:
        run = run_scenarios(policy, composition, [present], seconds=PAGE_S)[row.uid]
    rules = run.ran.rules if run and run.ran else ()
    context = {
        "policy": policy,
        "tab": "suite",
        "one": row,
        "origin": row.get_origin_display(),
        "said": _said(composition, row) if row.origin == Origin.SUITE else "",
        "run": run,
        "fails": run is not None and run.result is Result.FAILS,
        "found": _found(composition, row, run) if run else "",
        "why": as_sentence(run.why) if run else "",
        "rules": list(rules_shown(policy, composition, rules)),
        "withdrawal": row.withdrawals.select_related("by").first(),
        "may_write": _may_write(request),
        "problem": problem,
    }
    return render(request, "vetting/own_scenario.html", context, status=status)


def _line(policy: Policy, composition: Composition, one: InForce, run: Run) -> dict[str, Any]:
    """A scenario of the list: what was said by whom, and what the rules find now."""
    row, fails = one.scenario, run.result is Result.FAILS
    by_id = composition.model.rule_by_id
    rules = run.ran.rules if run.ran and fails else ()
    return {
        "row": row,
        "url": f"{card_url(policy, one.rule)}#here"
        if one.question
        else reverse("own-scenario", args=[policy.slug, row.uid]),
        "origin": row.get_origin_display(),
        "result": run.result,
        "found": _found(composition, row, run) if fails else "",
        "why": "" if fails or run.result is Result.HOLDS else as_sentence(run.why),
        "rules": [
            {"url": f"{card_url(policy, uid)}#here", "name": by_id[uid].name}
            for uid in rules
            if uid in by_id
        ],
    }


def _found(composition: Composition, row: Scenario, run: Run) -> str:
    """What the rules say of a case, without their names."""
    expected = expected_of(row, composition)
    if expected is None or run.ran is None:
        return run.why
    return say_found(composition.model, expected.claim, run.ran.finding)


def _said(composition: Composition, row: Scenario) -> str:
    """What a person said of a case of the suite, whose English is the question alone."""
    expected = expected_of(row, composition)
    return say_said(composition.model, expected.claim, row.expected) if expected else row.expected


def _read(
    request: MemberRequest, policy: Policy, refusal: ReadingError | None = None
) -> HttpResponse:
    reading = read_text(request, policy, _proposing(policy), note_on(refusal))
    if request.htmx:
        return reading_alone(request, policy, _place(policy), reading, template=READING)
    status = 200 if reading.proposed and refusal is None else 422
    return _form(request, policy, reading, reading.written.text, status=status)


def _form(
    request: MemberRequest, policy: Policy, reading: Reading | None, text: str, status: int = 200
) -> HttpResponse:
    editor = Editor(Language.ENGLISH, text, "", _place(policy), reading)
    context = {"policy": policy, "tab": "suite", "editor": editor}
    return render(request, "vetting/own_scenario_new.html", context, status=status)


def _proposing(policy: Policy) -> Propose:
    def propose(text: Written) -> ProposedScenario:
        return propose_scenario(policy, text.text)

    return propose


def _place(policy: Policy) -> Place:
    return Place(
        "own-scenario",
        reverse("own-new", args=[policy.slug]),
        reverse("own-save", args=[policy.slug]),
        "#reading-english",
        "Save the scenario",
        what="scenario",
    )


def _may_write(request: MemberRequest) -> bool:
    return bool(request.roles & MATRIX[Action.EDIT])
