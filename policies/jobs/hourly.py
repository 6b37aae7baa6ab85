"""What no job starts: each worker does it when it starts and then once an hour.

There may be many workers, and one may be killed midway: an act bears both.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import connections

from policies.jobs.limits import HOUR_S

logger = logging.getLogger(__name__)

_acts: dict[str, Callable[[], object]] = {}


def register_hourly(name: str, act: Callable[[], object]) -> None:
    """Name what is to be done; from `AppConfig.ready`."""
    if name in _acts:
        raise ValueError(f"`{name}` is registered twice")
    _acts[name] = act


def start(stop: threading.Event) -> threading.Thread:
    """Do it in a thread of its own until `stop` is set; it ends with the process."""
    thread = threading.Thread(target=_work, args=(stop,), name="hourly", daemon=True)
    thread.start()
    return thread


def _work(stop: threading.Event) -> None:
    while not stop.is_set():
        for name, act in _acts.items():
            try:
                act()
            except Exception:
                logger.warning("`%s` is tried again in an hour", name, exc_info=True)
            finally:
                connections.close_all()
        stop.wait(HOUR_S)
