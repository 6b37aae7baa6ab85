"""Pages about turning documents into rules."""

from __future__ import annotations

from django.urls import path

from translation import views

urlpatterns = [
    path("policies/<slug:slug>/formalize/", views.formalize, name="formalize"),
    path("policies/<slug:slug>/jobs/<str:uid>/", views.job, name="job"),
    path("policies/<slug:slug>/jobs/<str:uid>/cancel/", views.cancel, name="cancel-job"),
    path("policies/<slug:slug>/jobs/<str:uid>/retry/", views.retry, name="retry-job"),
]
