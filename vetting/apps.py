"""Wires the app: the job that checks a draft."""

from __future__ import annotations

from django.apps import AppConfig


class VettingConfig(AppConfig):
    name = "vetting"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from vetting.lint import register_lint

        register_lint()
