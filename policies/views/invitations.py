"""Inviting somebody to a policy, and what the link of an invitation opens."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from policies.access import MemberRequest, by_uid_or_404, policy_view, public_view
from policies.forms import NewAccountForm
from policies.inviting import (
    InvitationError,
    accept,
    accept_as_new,
    check_open,
    invitation_of,
    revoke,
    send_invitation,
)
from policies.mail import MailError
from policies.models import Invitation, Policy, User
from policies.roles import Action
from policies.throttling import TooManyTriesError, begin


@policy_view(Action.MANAGE)
@require_POST
def send_again(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    deliver(request, by_uid_or_404(policy.invitations.all(), uid))
    return redirect("people", policy.slug)


@policy_view(Action.MANAGE)
@require_POST
def take_back(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    invitation = by_uid_or_404(policy.invitations.all(), uid)
    if revoke(invitation, request.user):
        messages.success(request, f"The invitation of {invitation.email} is taken back.")
    else:
        messages.info(request, f"The invitation of {invitation.email} is not open any more.")
    return redirect("people", policy.slug)


def deliver(request: MemberRequest, invitation: Invitation) -> None:
    """Send an invitation, and say on the next page what became of it."""
    try:
        if invitation.accepted_at is not None or invitation.revoked_at is not None:
            check_open(invitation)
        begin("invite", invitation.email, request.META.get("REMOTE_ADDR"))
        send_invitation(invitation, request.user)
    except (MailError, TooManyTriesError) as error:
        messages.error(request, f"{error} The invitation is kept: you can send it from here.")
    except InvitationError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"An invitation is on its way to {invitation.email}.")


@public_view
@never_cache
@sensitive_post_parameters("new_password1", "new_password2")
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows what is offered; POST takes it. Mail programs may open any link."""
    try:
        found = invitation_of(token)
        if request.user.is_authenticated:
            return _as_member(request, found, request.user)
        return _as_new(request, found)
    except InvitationError as error:
        context = {"sentence": str(error)}
        return render(request, "accounts/link_trouble.html", context, status=410)


def _as_member(request: HttpRequest, found: Invitation, user: User) -> HttpResponse:
    if request.method == "POST":
        accept(found, user)
        return _welcome(request, found)
    context = {"invitation": found, "is_other": user.email != found.email}
    return render(request, "accounts/invitation.html", context)


def _as_new(request: HttpRequest, found: Invitation) -> HttpResponse:
    """Somebody with an account signs in first; anybody else makes one."""
    if (account := User.objects.filter(email=found.email).first()) is not None:
        if not account.is_active:
            raise InvitationError(f"The account of {found.email} is closed.")
        return render(request, "accounts/invitation.html", {"invitation": found, "known": True})
    form = NewAccountForm(User(email=found.email), request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        user = accept_as_new(found, name=data["name"], password=data["new_password1"])
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        return _welcome(request, found)
    context = {"invitation": found, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "accounts/invitation.html", context, status=status)


def _welcome(request: HttpRequest, found: Invitation) -> HttpResponse:
    messages.success(request, f"You are {found.role} on {found.policy.name}.")
    return redirect("policy", found.policy.slug)
