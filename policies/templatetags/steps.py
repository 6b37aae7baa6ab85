"""What comes first in a policy that has nothing to show yet, for whoever may do it."""

from __future__ import annotations

from typing import Any

from django import template

from policies.roles import MATRIX, Action

register = template.Library()


@register.inclusion_tag("policies/_first_step.html", takes_context=True)
def first_step(context: template.Context) -> dict[str, Any]:
    """`{% first_step %}` on a page of a policy without a rule: add a document, or formalize it."""
    roles, policy = context["request"].roles, context["policy"]
    return {
        "policy": policy,
        "has_documents": policy.documents.exists(),
        "may_edit": bool(roles & MATRIX[Action.EDIT]),
        "may_formalize": bool(roles & MATRIX[Action.FORMALIZE]),
    }
