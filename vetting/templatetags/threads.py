"""The link 'For you' of every page, with how much is new."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from policies.models import User
from vetting.seen import news_count

register = template.Library()


@register.simple_tag(takes_context=True)
def for_you(context: template.Context, user: User) -> SafeString:
    """One query. The page itself has just been read, so nothing is new behind its own link."""
    is_here = context.get("tab") == "for-you"
    count = 0 if is_here else news_count(user)
    current = mark_safe(' aria-current="page"') if is_here else ""
    new = format_html(' <span class="count">({} new)</span>', count) if count else ""
    return format_html('<a href="{}"{}>For you{}</a>', reverse("for-you"), current, new)
