"""Failures in the product's look; for htmx a sentence that the page shows beside the control."""

from __future__ import annotations

import sys

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.html import format_html

from policies.access import typed_fields
from policies.views.signing_in import HIDDEN


def problem(sentence: str, status: int) -> HttpResponse:
    """A sentence for policywright.js to put beside the control that was used."""
    response = HttpResponse(format_html("<p>{}</p>", sentence), status=status)
    response["X-Problem"] = "shown"
    return response


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler403."""
    sentence = str(exception) or "Your role on this policy does not include this."
    if request.headers.get("HX-Request") == "true":
        return problem(sentence, 403)
    return render(request, "403.html", {"exception": sentence}, status=403)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler400; what is too long to be read has a page of its own."""
    status = 413 if isinstance(exception, RequestDataTooBig) else 400
    return render(request, f"{status}.html", status=status)


def server_error(request: HttpRequest) -> HttpResponse:
    """handler500, called while the exception is handled; a database that is away or busy is 503.

    The template is given no request: whatever failed may be part of it.
    """
    is_away = isinstance(sys.exc_info()[1], (OperationalError, InterfaceError))
    status = 503 if is_away else 500
    response = HttpResponse(render_to_string(f"{status}.html"), status=status)
    if is_away:
        response["Retry-After"] = "10"
    return response


def wrong_method(request: HttpRequest) -> HttpResponse:
    """An address that only takes a form was opened, or one that only shows was sent something."""
    if request.headers.get("HX-Request") == "true":
        return problem("This page cannot be asked for like that. Load it again.", 405)
    return render(request, "405.html", {"sent": request.method != "GET"}, status=405)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """CSRF_FAILURE_VIEW: the form was older than the session; offer its own text once more.

    Only to a form of ours, told by the Origin that browsers send: text that another
    site posted is never put into a form that is one click from being sent.
    """
    sentence = "The form was older than your session; nothing was saved. Please send it again."
    if request.headers.get("HX-Request") == "true":
        return problem(sentence, 403)
    ours = request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    typed = typed_fields(request) if ours else []
    if not typed or any("password" in name for name, _ in typed):
        return render(request, "403_csrf.html", status=403)
    context = {"next": request.get_full_path(), "carried": typed, "hidden": HIDDEN}
    return render(request, "policies/send_again.html", context, status=403)
