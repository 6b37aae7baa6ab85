"""The Celery engine: one thin task, and the sweep that every worker runs."""

from __future__ import annotations

import logging
import sys
import threading
from typing import Any

from celery import Celery, current_app, shared_task, signals
from django.conf import settings
from django.db import connections

from policies.jobs import hourly
from policies.jobs.embedded import process_name
from policies.jobs.leases import suspects, urgent
from policies.jobs.limits import SWEEP_S
from policies.jobs.running import run_item as run_claimed_item
from policies.jobs.running import tidy
from policies.jobs.sending import send_again

logger = logging.getLogger(__name__)

_stopping = threading.Event()
_sweeper: threading.Thread | None = None


@shared_task(name="policies.run_item", ignore_result=True)  # type: ignore[untyped-decorator]
def run_item(item_id: int) -> None:
    """Do an item if it is to be had. Any number of copies of this message do no harm."""
    holder = process_name()
    # Messages are taken in the order they came, but an urgent item does not wait its turn.
    for pk in urgent():
        run_claimed_item(pk, holder)
    run_claimed_item(item_id, holder)
    # Of suspects only one runs at a time: a message that found another one running was
    # used up for nothing, so they are looked for here.
    while not _stopping.is_set() and any(run_claimed_item(pk, holder) for pk in suspects()):
        pass


@signals.worker_init.connect  # type: ignore[untyped-decorator]
def refuse_without_engine(**kwargs: Any) -> None:
    if settings.POLICYWRIGHT_JOBS != "celery":
        sys.exit("POLICYWRIGHT_JOBS is `embedded`: set it to `celery` for this worker to be used.")


@signals.worker_ready.connect  # type: ignore[untyped-decorator]
def start_sweeping(**kwargs: Any) -> None:
    """Once a process, though a worker is ready again after each loss of its broker."""
    global _sweeper
    if _sweeper is None:
        _sweeper = threading.Thread(target=_sweep, name="sweep", daemon=True)
        _sweeper.start()
        hourly.start(_stopping)


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]
def stop_sweeping(**kwargs: Any) -> None:
    _stopping.set()


def _sweep() -> None:
    while not _stopping.wait(SWEEP_S):
        try:
            tidy()
            send_again(queue_is_empty=_queue_is_empty(current_app._get_current_object()))
        except Exception:
            logger.warning("the sweep tries again later", exc_info=True)
        finally:
            connections.close_all()


def _queue_is_empty(app: Celery) -> bool:
    with app.connection_for_read() as connection:
        connection.ensure_connection(max_retries=1)
        queue = app.amqp.queues[app.conf.task_default_queue](connection.default_channel)
        return not queue.queue_declare(passive=False).message_count
