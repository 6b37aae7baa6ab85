"""How far a draft is, for the head of every page of a policy."""

from __future__ import annotations

from dataclasses import dataclass

from django import template

from policies.composing import compose
from policies.models import Policy
from vetting.review import ReviewState, rule_states

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
        return Standing(queue.approved, len(queue.rules))
    rules = rule_states(policy, compose(policy))
    approved = sum(review.state is ReviewState.APPROVED for review in rules.values())
    return Standing(approved, len(rules))
