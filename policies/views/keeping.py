"""Archiving a policy and taking it out again, and making another one of it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from policies.access import MemberRequest, policy_view
from policies.archiving import archive, unarchive
from policies.duplicating import duplicate_policy
from policies.forms import DuplicateForm
from policies.models import Policy
from policies.people import PeopleError
from policies.roles import Action


@policy_view(Action.MANAGE, even_archived=True)
@require_http_methods(["GET", "POST"])
def put_away(request: MemberRequest, policy: Policy) -> HttpResponse:
    """GET shows what can be done with the policy as a whole; POST archives it."""
    if request.method == "GET":
        return _page(request, policy, DuplicateForm(policy))
    try:
        archive(policy, request.user)
    except PeopleError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{policy.name} is archived.")
    return redirect("archive", policy.slug)


@policy_view(Action.MANAGE, even_archived=True)
@require_POST
def take_out(request: MemberRequest, policy: Policy) -> HttpResponse:
    unarchive(policy, request.user)
    messages.success(request, f"{policy.name} is out of the archive.")
    return redirect("policy", policy.slug)


@policy_view(Action.MANAGE, even_archived=True)
@require_POST
def duplicate(request: MemberRequest, policy: Policy) -> HttpResponse:
    form = DuplicateForm(policy, request.POST)
    if not form.is_valid():
        return _page(request, policy, form, status=422)
    copy = duplicate_policy(policy, request.user, name=form.cleaned_data["name"])
    messages.success(request, f"{copy.name} is made of {policy.name}. Nothing of it is approved.")
    return redirect("policy", copy.slug)


def _page(
    request: MemberRequest, policy: Policy, form: DuplicateForm, status: int = 200
) -> HttpResponse:
    context = {"policy": policy, "form": form}
    return render(request, "policies/policy_keeping.html", context, status=status)
