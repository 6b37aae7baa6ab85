"""The tab 'Lint' with how many errors and warnings wait, where the draft as it is was checked."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from policies.models import Policy
from vetting.lint import open_count, open_in

register = template.Library()


@register.simple_tag(takes_context=True)
def lint_tab(context: template.Context, policy: Policy) -> SafeString:
    """A number that is not there says nothing: the draft changed since it was checked."""
    current = mark_safe(' aria-current="page"') if context.get("tab") == "lint" else ""
    known = "lint_hint" in context
    count = open_in(policy, context["lint_hint"]) if known else open_count(policy)
    shown = f" ({count})" if count else ""
    return format_html(
        '<a href="{}"{}>Lint{}</a>', reverse("lint", args=[policy.slug]), current, shown
    )
