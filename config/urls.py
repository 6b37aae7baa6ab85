"""Where each room's pages hang, and who shows failures."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("policies.urls")),
    path("", include("translation.urls")),
    path("", include("vetting.urls")),
]

handler403 = "policies.views.errors.not_allowed"
