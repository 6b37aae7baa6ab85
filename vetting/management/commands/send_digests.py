"""`manage.py send_digests`: one message a day to each person for whom something is new."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vetting.digests import MailAwayError, send_digests


class Command(BaseCommand):
    help = "Send each person at most one message a day that says what is new for them."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = send_digests()
        except MailAwayError as error:
            raise CommandError(
                f"The mail server cannot be reached ({error}); nobody was written to. Run it again."
            ) from error
        self.stdout.write(f"{count.sent} sent, {count.failed} failed.")
        if count.failed:
            raise CommandError("Those that failed are tried again by the next run.")
