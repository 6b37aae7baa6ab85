"""Wires the app: triggers after each migration, checks at the start."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class PoliciesConfig(AppConfig):
    name = "policies"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from policies.append_only import install_triggers
        from policies.intake import register_jobs
        from policies.jobs import checks  # noqa: F401

        register_jobs()

        post_migrate.connect(install_triggers, dispatch_uid="append_only_triggers")
