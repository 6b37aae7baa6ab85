"""Approving as a person does who has the rule's card open."""

from __future__ import annotations

from policies.models import Policy, Rule, User
from vetting import decisions
from vetting.models import Decision
from vetting.opened import note_opened


def approve(
    policy: Policy, user: User, rule: Rule, *, shown_hash: str, on_behalf_of: User | None = None
) -> Decision:
    """Open the rule in the content that was shown, then approve it."""
    note_opened(user, rule, shown_hash)
    return decisions.approve(policy, user, rule, shown_hash=shown_hash, on_behalf_of=on_behalf_of)
