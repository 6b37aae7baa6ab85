"""Who must approve what: a second person, the people of a section, and who stands in for whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, get_document_or_404, policy_view
from policies.approving import (
    approvers,
    asks_second_person,
    choose_second_person,
    deciders,
    delegate,
    end_approver,
    end_delegation,
    name_approver,
    setting_shown,
)
from policies.models import Delegation, Policy, User
from policies.people import PeopleError
from policies.roles import MATRIX, Action
from vetting.coverage import cover_all
from vetting.filters import sections_of
from vetting.views.acting import number, sent

SETTINGS = (
    ("", "as soon as two people may approve"),
    ("yes", "always"),
    ("no", "never: one person is enough"),
)
CHOICES = {"": None, "yes": True, "no": False}


@policy_view(Action.VIEW)
@require_GET
def page(request: MemberRequest, policy: Policy) -> HttpResponse:
    return _page(request, policy)


@policy_view(Action.MANAGE)
@require_POST
def set_second_person(request: MemberRequest, policy: Policy) -> HttpResponse:
    def act() -> str:
        chosen = sent(request, "setting")
        if chosen not in CHOICES:
            raise PeopleError("Choose one of the three settings.")
        shown = sent(request, "shown")
        choose_second_person(policy, request.user, needs=CHOICES[chosen], shown=shown)
        return "Saved."

    return _done(request, policy, act)


@policy_view(Action.MANAGE)
@require_POST
def add(request: MemberRequest, policy: Policy) -> HttpResponse:
    def act() -> str:
        whole = cover_all(policy)
        wanted = sent(request, "section")
        section = next((one for key, _, one in sections_of(whole) if key == wanted), None)
        if section is None:
            raise PeopleError("Choose a section of the present text.")
        document, _ = whole.documents[section.revision]
        person = _person(request, policy)
        name_approver(
            policy,
            request.user,
            document=get_document_or_404(policy, document),
            headings=section.headings,
            person=person,
        )
        return f"The rules of this section need the approval of {person} from now on."

    return _done(request, policy, act)


@policy_view(Action.MANAGE)
@require_POST
def end(request: MemberRequest, policy: Policy) -> HttpResponse:
    def act() -> str:
        end_approver(policy, request.user, sent(request, "approver"))
        return "The section names that person no more."

    return _done(request, policy, act)


@policy_view(Action.DECIDE)
@require_POST
def stand_in(request: MemberRequest, policy: Policy) -> HttpResponse:
    def act() -> str:
        try:
            until = parse_date(sent(request, "until"))
        except ValueError:
            until = None
        if until is None:
            raise PeopleError("Say up to which day, such as 2026-12-31.")
        person = _person(request, policy)
        delegate(policy, request.user, to=person, until=until)
        return f"{person} may approve in your place up to and with {until:%-d %B %Y}."

    return _done(request, policy, act)


@policy_view(Action.DECIDE)
@require_POST
def end_stand_in(request: MemberRequest, policy: Policy) -> HttpResponse:
    def act() -> str:
        end_delegation(policy, request.user, sent(request, "delegation"))
        return "Taken back. What was approved in your place stays."

    return _done(request, policy, act)


def _done(request: MemberRequest, policy: Policy, act: Callable[[], str]) -> HttpResponse:
    try:
        messages.success(request, act())
    except PeopleError as error:
        return _page(request, policy, problem=str(error), status=422)
    return redirect("approvers", policy.slug)


def _person(request: MemberRequest, policy: Policy) -> User:
    found = deciders(policy).filter(pk=number(sent(request, "person"))).first()
    if found is None:
        raise PeopleError("Choose a person who may approve on this policy.")
    return found


def _page(
    request: MemberRequest, policy: Policy, *, problem: str = "", status: int = 200
) -> HttpResponse:
    whole = cover_all(policy)
    people = list(deciders(policy))
    known = {one.pk for one in people}
    rows = approvers(policy).select_related("document", "person")
    delegations = Delegation.objects.filter(policy=policy, ended_at=None)
    context: dict[str, Any] = {
        "policy": policy,
        "problem": problem,
        "typed": request.POST,
        "settings": SETTINGS,
        "setting": setting_shown(policy),
        "asks_second": asks_second_person(policy),
        "approvers": [
            {"row": one, "path": [one.document.title, *one.headings], "may": one.person_id in known}
            for one in rows
        ],
        "delegations": delegations.select_related("person", "to").order_by("until"),
        "sections": [
            (key, " › ".join([whole.documents[one.revision][1], *one.headings]))
            for key, _, one in sections_of(whole)
            if one.part == 1
        ],
        "people": people,
        "may_manage": bool(request.roles & MATRIX[Action.MANAGE]),
        "may_decide": bool(request.roles & MATRIX[Action.DECIDE]),
    }
    return render(request, "vetting/approvers.html", context, status=status)
