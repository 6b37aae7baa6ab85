"""Sets the text of a document: sentences as links with their state, and nothing trusted."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from policies.templatetags.pages import nothing_unseen, state
from vetting.paging import Part, Run

register = template.Library()
_SHAPES: dict[str, SafeString] = {}
_NO_STOP = SafeString(' tabindex="-1"')
_CURRENT = SafeString(' aria-current="true"')


@register.simple_tag
def runs(marker: str, given: Sequence[Run], here: str) -> SafeString:
    """The text of a block, behind its marker; the sentence whose lineage is `here` is current."""
    number = format_html('<span class="marker">{}</span> ', marker) if marker else ""
    return format_html(
        "{}{}", number, format_html_join("", "{}", ((_run(r, here),) for r in given))
    )


@register.simple_block_tag
def heading(content: str, depth: int) -> SafeString:
    """A heading so many deep; the page's own stands above all of them."""
    level = min(depth + 1, 6)
    return format_html("<h{}>{}</h{}>", level, content, level)


def _run(run: Run, here: str) -> SafeString:
    text = format_html_join("", "{}", ((_part(part),) for part in run.parts))
    said = run.said
    if said is None:
        return text
    # A row's sentence stands in several cells: the keyboard stops at the first.
    place = format_html(' id="s{}"', said.ordinal) if run.first else _NO_STOP
    current = _CURRENT if said.lineage == here else ""
    link = format_html(
        '<a class="pick" href="?sentence={}#s{}" hx-get="?sentence={}" data-s="{}"{}{}>{}</a>',
        *(said.lineage, said.ordinal, said.lineage, said.ordinal, place, current, text),
    )
    return format_html("{}{}", link, _shape(str(said.state))) if run.last else link


def _part(part: Part) -> SafeString:
    text = nothing_unseen(part.text)
    if part.raised:
        return format_html("<sup>{}</sup>", text)
    return format_html("<u>{}</u>", text) if part.marked else text


def _shape(key: str) -> SafeString:
    """A state's shape with its word, made once."""
    if key not in _SHAPES:
        html = render_to_string("_state.html", state(key))
        _SHAPES[key] = SafeString(html.strip())
    return _SHAPES[key]
