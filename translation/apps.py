"""Wires the app: the job that formalizes."""

from __future__ import annotations

from django.apps import AppConfig


class TranslationConfig(AppConfig):
    name = "translation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from translation.jobs import register_jobs

        register_jobs()
