"""Hints that a draft may have work to do: it changed, or a job of it ended.

A hint comes once the change is committed, and may be lost: whoever connects to it looks
at the rows, and what it would have done is done when somebody asks for it.
"""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.dispatch import Signal

from policies.models import Policy, User

look_again = Signal()
"""Sent with `policy` and `user`, who made the change, or None."""


def hint(policy: Policy, user: User | None) -> None:
    """Tell of it when the transaction around it commits; what listeners raise goes to the log."""
    tell = partial(look_again.send_robust, Policy, policy=policy, user=user)
    transaction.on_commit(tell, robust=True)
