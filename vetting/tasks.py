"""For teams that have Celery beat: the messages of a day, as a task."""

from __future__ import annotations

from celery import shared_task

from vetting import digests


@shared_task(name="vetting.send_digests", ignore_result=True)  # type: ignore[untyped-decorator]
def send_digests() -> None:
    """As the command of that name; what goes wrong is logged, and tried again by the next."""
    digests.send_and_log()
