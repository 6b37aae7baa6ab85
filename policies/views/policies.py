"""The list of policies, a new one, and the people of one."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count, Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from policies.access import (
    MemberRequest,
    may,
    policies_of,
    policy_view,
    roles_of,
    signed_in_view,
)
from policies.forms import PersonForm, PolicyForm
from policies.inviting import OPEN, invite
from policies.models import Membership, Policy
from policies.people import NobodyError, PeopleError, add_person, create_policy, remove_person
from policies.roles import MATRIX, Action, Role
from policies.views.invitations import deliver


@signed_in_view
@require_GET
def policy_list(request: MemberRequest) -> HttpResponse:
    roles: dict[int, list[str]] = {}
    for policy_id, role in Membership.objects.filter(user_id=request.user.pk).values_list(
        "policy_id", "role"
    ):
        roles.setdefault(policy_id, []).append(role)
    archived = request.GET.get("archived") == "1"
    mine = policies_of(request.user)
    policies = list(
        mine.filter(archived_at__isnull=not archived).annotate(
            document_count=Count("documents", distinct=True), last_version=Max("versions__number")
        )
    )
    for policy in policies:
        policy.my_roles = roles.get(policy.pk, [])  # type: ignore[attr-defined]
    context = {
        "policies": policies,
        "archived": archived,
        "others": mine.filter(archived_at__isnull=archived).count(),
    }
    return render(request, "policies/policy_list.html", context)


@signed_in_view
@require_http_methods(["GET", "POST"])
def new_policy(request: MemberRequest) -> HttpResponse:
    form = PolicyForm(request.POST or None)
    if form.is_valid():
        policy = create_policy(request.user, name=form.cleaned_data["name"])
        messages.success(request, f"{policy.name} is made. Add its first document.")
        return redirect("new-document", policy.slug)
    status = 422 if form.is_bound else 200
    return render(request, "policies/policy_new.html", {"form": form}, status=status)


@policy_view(Action.VIEW)
@require_http_methods(["GET"])
def people(request: MemberRequest, policy: Policy) -> HttpResponse:
    return _people_page(request, policy, PersonForm())


@policy_view(Action.MANAGE)
@require_POST
def add_to_policy(request: MemberRequest, policy: Policy) -> HttpResponse:
    form = PersonForm(request.POST)
    if form.is_valid():
        email, role = form.cleaned_data["email"], Role(form.cleaned_data["role"])
        try:
            member = add_person(policy, request.user, email=email, role=role)
        except NobodyError:
            deliver(request, invite(policy, request.user, email=email, role=role))
        else:
            messages.success(request, f"{member.user} is {role} on this policy.")
        return redirect("people", policy.slug)
    return _people_page(request, policy, form)


@policy_view(Action.MANAGE)
@require_POST
def remove_from_policy(request: MemberRequest, policy: Policy) -> HttpResponse:
    members = policy.memberships.select_related("user")
    sent = request.POST.get("member", "")
    member = members.filter(pk=int(sent)).first() if sent.isdecimal() and len(sent) < 18 else None
    if member is None:
        messages.info(request, "That person does not hold that role any more.")
        return redirect("people", policy.slug)
    try:
        remove_person(policy, request.user, user_id=member.user_id, role=Role(member.role))
    except PeopleError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{member.user} is no longer {member.role} on this policy.")
    if not may(request.user, policy, Action.VIEW):
        return redirect("policies")
    return redirect("people", policy.slug)


def _people_page(request: MemberRequest, policy: Policy, form: PersonForm) -> HttpResponse:
    context = {
        "policy": policy,
        "memberships": policy.memberships.select_related("user").order_by("user__email", "role"),
        "form": form,
        "may_manage": bool(request.roles & MATRIX[Action.MANAGE]),
        "is_owner": Role.OWNER in roles_of(request.user, policy),
        "invitations": policy.invitations.filter(**OPEN).select_related("invited_by"),
        "now": timezone.now(),
    }
    status = 422 if form.is_bound else 200
    return render(request, "policies/policy_people.html", context, status=status)
