"""What comes first in a policy that has nothing to show yet, for whoever may do it."""

from __future__ import annotations

from typing import Any

from django import template

from policies.access import may
from policies.roles import Action

register = template.Library()


@register.inclusion_tag("policies/_first_step.html", takes_context=True)
def first_step(context: template.Context) -> dict[str, Any]:
    """`{% first_step %}` on a page of a policy without a rule: add a document, or formalize it."""
    user, policy = context["request"].user, context["policy"]
    return {
        "policy": policy,
        "has_documents": policy.documents.exists(),
        "may_edit": may(user, policy, Action.EDIT),
        "may_formalize": may(user, policy, Action.FORMALIZE),
    }
