"""Wake-ups for Celery workers: 'item N waits'. A lost one costs time, never work.

With the embedded engine there is nothing to send: its runner polls the rows.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from policies.jobs.leases import after
from policies.jobs.limits import RESEND_S
from policies.models import Item
from policies.models.jobs import ItemState

logger = logging.getLogger(__name__)

# Of one sweep; what is left over comes with the next.
BATCH = 200


def wake(item_ids: Iterable[int]) -> bool:
    """Send a wake-up for each item; False if the broker is away, which is no error.

    The items wait in their rows, and the workers' sweep sends them later.
    """
    if settings.POLICYWRIGHT_JOBS != "celery":
        return True
    from kombu.exceptions import OperationalError

    from policies.tasks import run_item

    for item_id in item_ids:
        # Noted before it is sent: the sweep of another worker then leaves it alone.
        Item.objects.filter(pk=item_id).update(sent_at=Now())
        try:
            run_item.apply_async((item_id,))
        except OperationalError:
            Item.objects.filter(pk=item_id).update(sent_at=None)
            logger.warning("the broker is away: items wait until it is back")
            return False
    return True


def send_again(*, queue_is_empty: bool) -> int:
    """Send what was lost: never sent, sent into nothing, or held by a dead worker.

    A wake-up that still lies in the queue is not lost; so those that were sent
    once are only sent again when the queue is empty. Gives the number sent.
    """
    old = Q(sent_at=None) | Q(sent_at__lt=after(-RESEND_S))
    lost = Q(state=ItemState.WAITING, sent_at=None)
    lost |= Q(state=ItemState.RUNNING, lease_until__lt=Now()) & old
    if queue_is_empty:
        lost |= Q(state=ItemState.WAITING) & old
    ids = list(Item.objects.filter(lost).order_by("pk").values_list("pk", flat=True)[:BATCH])
    # Of two workers that sweep at once, one gets each item.
    won = [pk for pk in ids if Item.objects.filter(lost, pk=pk).update(sent_at=Now())]
    return len(won) if wake(won) else 0
