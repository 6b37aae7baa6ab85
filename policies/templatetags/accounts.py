"""What pages around accounts say of the server."""

from __future__ import annotations

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def mail_leaves() -> bool:
    """Whether messages leave this server, or are kept in a folder of it."""
    return bool(settings.POLICYWRIGHT_MAIL_LEAVES)
