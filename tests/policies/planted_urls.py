"""URLs for tests of access: one view of each mark and one that carries none."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from policies.access import policy_view, public_view, signed_in_view
from policies.models import Policy
from policies.roles import Action


def _show(action: Action):
    @policy_view(action)
    def show(request: HttpRequest, policy: Policy) -> HttpResponse:
        return HttpResponse(f"{action.value} {policy.slug}")

    return show


@signed_in_view
def home(request: HttpRequest) -> HttpResponse:
    return HttpResponse("home")


@public_view
def about(request: HttpRequest) -> HttpResponse:
    return HttpResponse("about")


def forgotten(request: HttpRequest, slug: str) -> HttpResponse:
    return HttpResponse("open to all")


marked = [
    path("", home),
    path("about/", about, name="policies"),
    path("sign-in/", about, name="sign-in"),
    path(
        "policies/<slug:slug>/",
        include([path(f"{action.value}/", _show(action)) for action in Action]),
    ),
]
urlpatterns = [*marked, path("policies/<slug:slug>/", include([path("oops/", forgotten)]))]
