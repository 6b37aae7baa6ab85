"""Pages about turning documents into rules."""

from __future__ import annotations

from django.urls import path

from translation.views import asked, choosing, runs, starting

JOB = "policies/<slug:slug>/jobs/<str:uid>/"

urlpatterns = [
    path("policies/<slug:slug>/models/", choosing.models, name="policy-models"),
    path("policies/<slug:slug>/formalize/", starting.formalize, name="formalize"),
    path("policies/<slug:slug>/formalize/start/", starting.start, name="start-run"),
    path(JOB, runs.job, name="job"),
    path(f"{JOB}cancel/", runs.cancel, name="cancel-job"),
    path(f"{JOB}resume/", runs.resume, name="resume-job"),
    path(f"{JOB}retry/", runs.retry, name="retry-job"),
    path(f"{JOB}asked/", asked.asked, name="asked"),
    path("policies/<slug:slug>/asked/<int:pk>/", asked.attempt, name="attempt"),
    path("policies/<slug:slug>/sentences/<str:lineage>/tried/", asked.tried, name="tried"),
]
