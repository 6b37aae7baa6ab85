"""Wires the app: the jobs that formalize, that look for merges and that have rules changed."""

from __future__ import annotations

from django.apps import AppConfig


class TranslationConfig(AppConfig):
    name = "translation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from translation import checks  # noqa: F401
        from translation.feedback.giving import register_feedback
        from translation.jobs import register_jobs
        from translation.merges import register_merges

        register_jobs()
        register_merges()
        register_feedback()
