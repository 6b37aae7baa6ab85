"""Retires a rule: it becomes history and leaves the draft, its name free; or brings it back."""

from __future__ import annotations

from django.utils import timezone

from policies.audit import record
from policies.composing import free_name
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


def restore_rule(edit: Edit, rule: Rule) -> None:
    """Bring a retired rule back, inside an `editing` block, under its name or one like it."""
    live = Rule.objects.filter(policy=edit.policy, retired_at=None)
    taken = set(live.values_list("name", flat=True))
    rule.name, rule.retired_at = free_name(rule.name, taken), None
    rule.save(update_fields=["name", "retired_at"])
    record(edit.policy, edit.actor, "restore-rule", f"rule:{rule.uid}", new_hash=rule.content_hash)
