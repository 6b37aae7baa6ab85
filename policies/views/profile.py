"""A person's own page: name, time zone, address, password, and closing the account."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from policies.access import MemberRequest, signed_in_view
from policies.forms import AddressForm, ChangePasswordForm, CloseForm, OwnPassword, ProfileForm
from policies.mail import MailError
from policies.people import PeopleError, deactivate_person
from policies.profile import AddressError, address_of, ask_for_address, take_address


@signed_in_view
@require_http_methods(["GET", "POST"])
def profile(request: MemberRequest) -> HttpResponse:
    """GET shows all; POST keeps name and time zone."""
    if request.method == "GET":
        return _page(request)
    form = ProfileForm(request.POST, instance=request.user)
    if not form.is_valid():
        return _page(request, 422, about=form)
    form.save()
    messages.success(request, "Kept.")
    return redirect("profile")


@signed_in_view
@require_POST
@never_cache
@sensitive_post_parameters("password")
def change_address(request: MemberRequest) -> HttpResponse:
    form = AddressForm(_own(request), request.POST, auto_id="address_%s")
    if not form.is_valid():
        return _page(request, _status(form), address=form)
    email = form.cleaned_data["email"]
    try:
        ask_for_address(request.user, email)
    except MailError as error:
        form.add_error(None, str(error))
        return _page(request, 503, address=form)
    messages.success(
        request,
        f"If {email} is free, a link is on its way to it. Until you open it, within a day, you "
        "sign in as before.",
    )
    return redirect("profile")


@signed_in_view
@require_http_methods(["GET", "POST"])
@never_cache
def confirm_address(request: MemberRequest, token: str) -> HttpResponse:
    """GET asks once more, since some mail programs open every link."""
    try:
        if request.method == "POST":
            email = take_address(request.user, token)
            messages.success(request, f"From now on you sign in as {email}.")
            return redirect("profile")
        context = {"email": address_of(request.user, token)}
    except AddressError as error:
        return render(request, "accounts/link_trouble.html", {"sentence": str(error)}, status=410)
    return render(request, "accounts/confirm_address.html", context)


@signed_in_view
@require_POST
@never_cache
@sensitive_post_parameters()
def change_password(request: MemberRequest) -> HttpResponse:
    form = ChangePasswordForm(_own(request), request.POST, auto_id="password_%s")
    if not form.is_valid():
        return _page(request, _status(form), password=form)
    form.save()
    # This session goes on; all others end with the password.
    update_session_auth_hash(request, request.user)
    messages.success(request, "Your new password is set. You are signed out everywhere else.")
    return redirect("profile")


@signed_in_view
@require_POST
@never_cache
@sensitive_post_parameters("password")
def close(request: MemberRequest) -> HttpResponse:
    form = CloseForm(_own(request), request.POST, auto_id="closing_%s")
    if not form.is_valid():
        return _page(request, _status(form), closing=form)
    try:
        deactivate_person(request.user, request.user)
    except PeopleError as error:
        form.add_error(None, str(error))
        return _page(request, 422, closing=form)
    logout(request)
    messages.success(request, "Your account is closed. What you decided stays under your name.")
    return redirect("sign-in")


def _own(request: MemberRequest) -> OwnPassword:
    return OwnPassword(request.user, request.META.get("REMOTE_ADDR"))


def _status(form: forms.BaseForm) -> int:
    """Of a form that was refused."""
    waits = any(form.has_error(name, "wait") for name in ("password", "old_password"))
    return 429 if waits else 422


def _page(request: MemberRequest, status: int = 200, **bound: Any) -> HttpResponse:
    own = _own(request)
    # A form that was refused has changed the person it was made for.
    request.user.refresh_from_db(fields=["name", "time_zone"])
    shown = {
        "about": ProfileForm(instance=request.user),
        "address": AddressForm(own, auto_id="address_%s"),
        "password": ChangePasswordForm(own, auto_id="password_%s"),
        "closing": CloseForm(own, auto_id="closing_%s"),
    }
    return render(request, "accounts/profile.html", {**shown, **bound}, status=status)
