"""What templates say in many places: a state as word and shape, a tab, text with nothing unseen."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

# Of a rule, a sentence or an item; the word is what a person reads, the key names the shape.
WORDS = {
    "approved": "approved",
    "waiting": "waiting",
    "not_enough": "needs another person",
    "lapsed": "approval lapsed",
    "question": "question open",
    "rejected": "rejected",
    "broken": "does not fit",
    "expressed": "expressed",
    "definition": "a definition",
    "binding": "binding, not expressed",
    "not_binding": "not binding",
    "abstained": "not understood",
    "failed": "failed",
    "untouched": "untouched",
    "holds": "holds",
    "fails": "does not hold any more",
    "undecided": "not decided",
    "unfit": "does not fit any more",
    "running": "running",
    "done": "done",
    "open": "running",
    "cancelled": "cancelled",
    "paused": "paused",
    "answered": "answered",
    "kept": "answer kept from before",
    "formalized": "formalized",
    "understood": "understood, and read as",
    "ambiguous": "two readings",
    "misread": "not understood",
}
# The services say some states in words; their shapes go by these keys.
KEYS = {
    "question open": "question",
    "needs another person": "not_enough",
    "a definition": "definition",
    "binding, but not expressed": "binding",
    "not binding": "not_binding",
    "does not hold any more": "fails",
    "not decided": "undecided",
    "does not fit any more": "unfit",
}

# What is not plainly to be seen: only these characters are looked at.
_MAYBE_HIDDEN = re.compile(r"[^\n\t\x20-\x7e]")


@register.inclusion_tag("_state.html")
def state(key: Any) -> dict[str, str]:
    """`{% state rule.state %}`: the state's shape, then its word."""
    name = KEYS.get(str(key), str(key))
    return {"state": name, "word": WORDS[name]}


@register.filter
def state_word(key: Any) -> str:
    """A state as `{% state %}` says it, where no shape can stand."""
    return WORDS[KEYS.get(str(key), str(key))]


@register.simple_tag(takes_context=True)
def tab(context: template.Context, name: str, label: str) -> SafeString:
    """A tab of the policy's pages; the page says which is its own with `tab` in its context."""
    url = reverse(name, args=[context["policy"].slug])
    current = mark_safe(' aria-current="page"') if context.get("tab") == name else ""
    return format_html('<a href="{}"{}>{}</a>', url, current, label)


@register.filter
def ticked(text: str) -> SafeString:
    """The text with what stands between backticks, a name or a person's own words, set as code.

    It may repeat what a model or a server wrote: what nobody sees in it is named.
    """
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return nothing_unseen(str(text))
    pieces = [
        format_html("<code>{}</code>" if place % 2 else "{}", nothing_unseen(part))
        for place, part in enumerate(parts)
    ]
    return mark_safe("".join(pieces))


@register.filter
def nothing_unseen(text: str) -> SafeString:
    """The text with each character that nobody sees, or that turns its line round, named."""
    return mark_safe(_MAYBE_HIDDEN.sub(_seen, escape(text)))


def _seen(found: re.Match[str]) -> str:
    character = found[0]
    if unicodedata.category(character) not in ("Cf", "Cc", "Co"):
        return character
    name = unicodedata.name(character, f"U+{ord(character):04X}").lower()
    return format_html('<span class="unseen">{}</span>', name)
