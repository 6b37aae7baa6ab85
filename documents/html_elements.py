"""The elements of a web page: which begin a block, what they number, which cells they reach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from documents.errors import UnreadableError

# The parser is quadratic in the depth of elements, and no page is nested so deep.
MAX_DEPTH = 1_000


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


CONTAINERS = _names(
    "address article aside blockquote body center details dialog div fieldset figure footer form "
    "header hgroup main menu ol search section table tbody td tfoot th thead tr ul"
)
BLOCKS = CONTAINERS | _names(
    "caption dd dl dt figcaption h1 h2 h3 h4 h5 h6 hr legend li optgroup option p pre summary"
)
UNSHOWN = _names("head script style template noscript title datalist")
PICTURES = _names("img svg canvas video audio object embed iframe map")
_OPTIONAL_END = _names(
    "area base body br caption col colgroup dd dt embed head hr html img input li link meta "
    "optgroup option p param rp rt source tbody td tfoot th thead tr track wbr"
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
NOTE_MARK = re.compile(r"[\[(]?(\d{1,3}|[a-z]|[ivx]{1,4}|[*†‡§¶]{1,3})[\])]?$")
WHOLE = re.compile(r"-?\d{1,6}$")


def check_depth(source: str) -> None:
    """Refuse a page whose elements are nested deeper than MAX_DEPTH. Raises UnreadableError."""
    depth = 0
    open_tags: Counter[str] = Counter()
    for tag in _TAG.finditer(source):
        name = tag[2].lower()
        if name in _OPTIONAL_END:
            continue
        if not tag[1]:
            open_tags[name] += 1
            depth += 1
        elif open_tags[name]:  # the end of what was never begun ends nothing
            open_tags[name] -= 1
            depth -= 1
        if depth > MAX_DEPTH:
            raise UnreadableError(
                f"The elements of this web page are nested deeper than {MAX_DEPTH:,} levels, "
                "or never closed; save its text as a .txt file and upload that."
            )


def children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def rows_of(table: LexborNode) -> Iterator[LexborNode]:
    """The caption and rows of a table that holds no other, in order."""
    for child in children(table):
        if child.tag in ("tr", "caption"):
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in children(child) if row.tag == "tr")


def is_data(table: LexborNode) -> bool:
    """False for a table that only lays out a page: one with tables or headings inside."""
    if (table.attributes.get("role") or "") in ("presentation", "none"):
        return False
    if table.css_first("table table, h1, h2, h3, h4, h5, h6, pre") is not None:
        return False
    return any(
        sum(cell.tag in ("td", "th") for cell in children(row)) > 1
        for row in rows_of(table)
        if row.tag == "tr"
    )


def extent(cell: LexborNode, name: str) -> int:
    found = re.match(r"\s*(\d{1,4})", cell.attributes.get(name) or "")
    return min(max(int(found[1]), 1), 1000) if found else 1


def heading_level(node: LexborNode, tag: str) -> int:
    if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
        return int(tag[1])
    if node.attributes.get("role") != "heading":
        return 0
    level = node.attributes.get("aria-level") or "2"
    return min(max(int(level), 1), 9) if level.isdigit() and len(level) < 3 else 2


def numbering(node: LexborNode) -> tuple[int, int]:
    """The number of an ordered list's first item, and the step to the next."""
    start = node.attributes.get("start") or ""
    backwards = "reversed" in node.attributes
    if WHOLE.match(start):
        first = int(start)
    else:
        first = sum(child.tag == "li" for child in children(node)) if backwards else 1
    return first, -1 if backwards else 1


def footnotes(page: LexborHTMLParser) -> dict[str, str]:
    """The anchors that footnotes' marks lead to, each with its mark ('1')."""
    found: dict[str, str] = {}
    for link in page.css("sup a, a[role=doc-noteref], a.footnote-ref, a.footnote"):
        href = link.attributes.get("href") or ""
        words = NOTE_MARK.match(link.text().strip())
        if words and href.startswith("#") and len(href) > 1:
            found.setdefault(href[1:], words[1])
    return found
