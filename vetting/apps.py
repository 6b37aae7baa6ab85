"""Wires the app: the jobs that check a draft and make its suite, and the mail of a day."""

from __future__ import annotations

from django.apps import AppConfig


class VettingConfig(AppConfig):
    name = "vetting"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from policies.jobs.hourly import register_hourly
        from vetting.checking import register_checks
        from vetting.digests import send_if_wanted
        from vetting.suites import register_suite

        register_checks()
        register_suite()
        register_hourly("digests", send_if_wanted)
