"""Retires a rule: it becomes history and leaves the draft, its name free again."""

from __future__ import annotations

from django.utils import timezone

from policies.audit import record
from policies.editing import Edit
from policies.models import Rule


def retire_rule(edit: Edit, rule: Rule) -> None:
    """Take a rule out of the draft, inside an `editing` block; its decisions stay."""
    rule.retired_at = timezone.now()
    rule.save(update_fields=["retired_at"])
    record(
        edit.policy,
        edit.actor,
        "retire-rule",
        f"rule:{rule.uid}",
        old_hash=rule.content_hash,
    )
