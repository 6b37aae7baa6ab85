"""One page to find things on, over all policies that a person is on."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, signed_in_view
from policies.forms import SearchForm
from policies.searching import search


@signed_in_view
@require_GET
def search_page(request: MemberRequest) -> HttpResponse:
    form = SearchForm(request.GET or None)
    asked = form.cleaned_data["q"] if form.is_valid() else ""
    context = {"form": form, "asked": asked, "groups": search(request.user, asked)}
    status = 422 if form.errors else 200
    return render(request, "policies/search.html", context, status=status)
