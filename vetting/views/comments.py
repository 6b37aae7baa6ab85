"""What people wrote about a sentence, a rule or a case, for the pages that show one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policies.models import Policy
from vetting.threads import threads_of


def threads_shown(policy: Policy, **about: Sequence[str]) -> list[dict[str, Any]]:
    """Open threads with their comments, and the case that each is about."""
    return [
        {
            "comments": one.comments,
            "case": one.thread.scenario.english if one.thread.scenario else "",
        }
        for one in threads_of(policy, **about)
        if not one.is_closed
    ]
