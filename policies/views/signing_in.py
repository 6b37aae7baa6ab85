"""Signing in and out; what was typed when a session ended is carried through, and kept nowhere."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from policies.access import public_view, signed_in_view, typed_fields
from policies.forms import SignInForm
from policies.throttling import TooManyTriesError, begin

CARRIED = "carried-"
# Fields that a person did not type: they are carried, not shown.
HIDDEN = {"shown", "revision", "key", "next", "uid", "reading", "read", "replace", "use"}


@public_view
@never_cache
@sensitive_post_parameters("password")
def sign_in(request: HttpRequest) -> HttpResponse:
    next_url = _safe_next(request)
    if request.user.is_authenticated and request.method == "GET":
        return redirect(next_url)
    carried = _carried(request)
    if request.method != "POST":
        return _sign_in_page(request, SignInForm(request), next_url, carried)
    email = request.POST.get("username", "")
    try:
        tried = begin("sign-in", email, request.META.get("REMOTE_ADDR"))
    except TooManyTriesError as error:
        form = SignInForm(request, initial={"username": email})
        page = _sign_in_page(request, form, next_url, carried, status=429, refused=str(error))
        page["Retry-After"] = str(error.seconds)
        return page
    form = SignInForm(request, request.POST)
    if not form.is_valid():
        return _sign_in_page(request, form, next_url, carried, status=422)
    tried.succeeded()
    login(request, form.get_user())
    if not carried:
        return redirect(next_url)
    return _send_again(request, next_url, carried)


@public_view
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign-in")


@signed_in_view
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    return redirect("policies")


def _sign_in_page(
    request: HttpRequest,
    form: SignInForm,
    next_url: str,
    carried: list[tuple[str, str]],
    *,
    status: int = 200,
    refused: str = "",
) -> HttpResponse:
    context = {"form": form, "next": next_url, "carried": carried, "refused": refused}
    return render(request, "policies/sign_in.html", context, status=status)


def _send_again(request: HttpRequest, url: str, carried: Iterable[tuple[str, str]]) -> HttpResponse:
    context = {"next": url, "carried": list(carried), "hidden": HIDDEN}
    return render(request, "policies/send_again.html", context)


def _carried(request: HttpRequest) -> list[tuple[str, str]]:
    return [
        (name.removeprefix(CARRIED), value)
        for name, value in typed_fields(request)
        if name.startswith(CARRIED)
    ]


def _safe_next(request: HttpRequest) -> str:
    url = request.POST.get("next") or request.GET.get("next") or ""
    return (
        url if url_has_allowed_host_and_scheme(url, {request.get_host()}) else resolve_url("home")
    )
