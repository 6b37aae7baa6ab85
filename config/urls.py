"""Where each room's pages hang, and who shows failures."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from policies.admin import site

urlpatterns: list[URLPattern | URLResolver] = [
    path("operators/", site.urls),
    path("", include("policies.urls")),
    path("", include("translation.urls")),
    # Before the glossary's own pages, which take any word for a variable.
    path("", include("vetting.glossary_urls")),
    path("", include("vetting.thread_urls")),
    path("", include("vetting.urls")),
]

handler400 = "policies.views.errors.bad_request"
handler403 = "policies.views.errors.not_allowed"
handler500 = "policies.views.errors.server_error"
