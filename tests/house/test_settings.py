"""The defaults are the safe ones."""

from __future__ import annotations

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import path

urlpatterns = [path("page/", lambda request: HttpResponse("<p>page</p>"))]


def test_debug_is_off_and_only_this_machine_is_answered() -> None:
    assert settings.DEBUG is False
    assert settings.ALLOWED_HOSTS[:2] == ["127.0.0.1", "localhost"]


def test_a_page_may_load_nothing_but_our_own_files(settings: object) -> None:
    settings.ROOT_URLCONF = __name__  # type: ignore[attr-defined]
    policy = Client().get("/page/").headers["Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "font-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }


def test_a_page_is_neither_sniffed_nor_framed_and_tells_no_other_site(settings: object) -> None:
    settings.ROOT_URLCONF = __name__  # type: ignore[attr-defined]
    headers = Client().get("/page/").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def test_static_files_are_served_without_collecting_them(db: None) -> None:
    """htmx comes from django-htmx as it lies in site-packages."""
    assert finders.find("django_htmx/htmx-2.min.js")
    response = Client().get("/static/django_htmx/htmx-2.min.js")
    assert response.status_code == 200
    assert b"htmx" in b"".join(response)
    response.close()


def test_djangos_own_checks_find_nothing() -> None:
    call_command("check", fail_level="WARNING")


def test_no_model_was_changed_without_a_migration(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
