"""What no template may hold: unknown hx- attributes, inline script, style or handlers (FR-55)."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings

TEMPLATES = sorted((Path(settings.BASE_DIR) / "templates").rglob("*.html"))
# The attributes that our pages use, as htmx 2 spells them; a misspelt one does nothing at all.
KNOWN = {
    "hx-confirm",
    "hx-disabled-elt",
    "hx-get",
    "hx-post",
    "hx-push-url",
    "hx-swap",
    "hx-swap-oob",
    "hx-sync",
    "hx-target",
    "hx-trigger",
}


class Attributes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.words: list[tuple[str, str]] = []
        self.tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag = tag
        self.found += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        self.tag = ""

    def handle_data(self, data: str) -> None:
        self.words.append((self.tag, data))


def attributes(html: str) -> Attributes:
    # A tag of the template language inside an HTML tag would end it early for the parser.
    parser = Attributes()
    parser.feed(re.sub(r"{%.*?%}|{{.*?}}", "", html, flags=re.S))
    return parser


def complaints(html: str) -> list[str]:
    parsed = attributes(html)
    found = []
    for tag, name, value in parsed.found:
        if name.startswith(("hx-", "data-hx-")) and name not in KNOWN:
            found.append(f"unknown attribute {name} on <{tag}>")
        if name.startswith("on") or name == "style":
            found.append(f"inline {name} on <{tag}>")
        if value.strip().lower().startswith(("javascript:", "js:")):
            found.append(f"script in {name} on <{tag}>")
        if name in ("src", "href", "action") and re.match(r"(https?:)?//", value):
            found.append(f"another site in {name} on <{tag}>")
    found += [
        f"inline <{tag}>"
        for tag, data in parsed.words
        if tag in ("script", "style") and data.strip()
    ]
    return found


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_holds_only_known_attributes_and_nothing_inline(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_trusts_text(path: Path) -> None:
    html = path.read_text(encoding="utf-8")
    assert "|safe" not in html
    assert "autoescape off" not in html


@pytest.mark.parametrize(
    "planted",
    [
        '<button hx-psot="/x">',
        '<form hx-on:click="x()">',
        '<p style="color: red">',
        '<p onclick="x()">',
        "<script>x()</script>",
        '<a href="javascript:x()">',
        '<script src="https://cdn.example/x.js"></script>',
    ],
)
def test_a_planted_fault_is_found(planted: str) -> None:
    assert complaints(planted) != []


def test_htmx_knows_each_attribute_we_use() -> None:
    """Against the very file that the pages load."""
    import django_htmx

    script = Path(django_htmx.__file__).parent / "static/django_htmx/htmx-2.js"
    text = script.read_text(encoding="utf-8")
    unknown = {name for name in KNOWN if f"'{name}'" not in text and f'"{name}"' not in text}
    assert unknown <= {"hx-get", "hx-post"}, "those two are built from a list of verbs there"


def test_our_script_is_small() -> None:
    script = Path(settings.BASE_DIR) / "static/policywright.js"
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 165
