"""`manage.py work`: runs jobs in this process, beside the web server."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from policies.jobs.embedded import Runner


class Command(BaseCommand):
    help = "Run jobs in this process until Ctrl-C; a second Ctrl-C does not wait for them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--threads", type=int, default=4, help="items worked on at a time")

    def handle(self, *args: Any, threads: int, **options: Any) -> None:
        if settings.POLICYWRIGHT_JOBS != "embedded":
            raise CommandError(
                "POLICYWRIGHT_JOBS is `celery`: start `celery -A config worker` instead."
            )
        if threads < 1:
            raise CommandError("--threads must be at least 1.")
        Runner(threads).run()
