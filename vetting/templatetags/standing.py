"""How far a draft is, for the head of every page of a policy."""

from __future__ import annotations

from dataclasses import dataclass

from django import template

from policies.models import Policy
from vetting.coverage import cover_all

register = template.Library()


@dataclass(frozen=True)
class Standing:
    approved: int
    total: int


@register.simple_tag(takes_context=True)
def standing_of(context: template.Context, policy: Policy) -> Standing:
    """Of the rules, assumptions and defaults; from the page's own queue where it has one."""
    known = context.get("standing")
    if known is not None:
        return Standing(known.approved, known.total)
    queue = context.get("queue")
    if queue is not None:
        return Standing(queue.approved, queue.total)
    found = cover_all(policy).outline
    return Standing(found.approved, found.total)
