"""What the styles of a Word file say of a paragraph: heading level, numbering, hidden text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from documents.docx_package import is_on, number, value

# Styles build on one another; a longer chain is a loop.
_MAX_CHAIN = 20
_HEADING = re.compile(r"heading ([1-9])$")


class Styles:
    """The styles by id; `root` is the file of styles, None where there is none."""

    def __init__(self, root: Element | None) -> None:
        found = root.iter("style") if root is not None else iter(())
        self._styles = {style.get("styleId", ""): style for style in found}
        self._defaults = {
            style.get("type", ""): key
            for key, style in self._styles.items()
            if style.get("default") in ("1", "true", "on")
        }

    def name(self, style: str | None, kind: str = "paragraph") -> str:
        """The name of a style in lower case; built-in ones are English in every language."""
        found = self._styles.get(style or self._defaults.get(kind, ""))
        return (value(found, "name") or "").lower()

    def heading_level(self, properties: Element | None) -> int:
        """The heading level of a paragraph with these properties, from 1; 0 for body text."""
        own = value(properties, "outlineLvl")
        if own is not None:
            return _outline_level(own)
        for style in self._of(properties):
            named = _HEADING.match((value(style, "name") or "").lower())
            if named:
                return int(named[1])
            outline = value(style, "pPr/outlineLvl")
            if outline is not None:
                return _outline_level(outline)
        return 1 if self.name(value(properties, "pStyle")) == "title" else 0

    def numbering(self, properties: Element | None) -> tuple[str, int | None, str]:
        """The id of a paragraph's numbering ('' for none), its level, and the style it is from."""
        own = properties.find("numPr") if properties is not None else None
        list_id, level = value(own, "numId"), value(own, "ilvl")
        if list_id is not None:
            return "" if list_id == "0" else list_id, number(level), ""
        for style in self._of(properties):
            found = value(style, "pPr/numPr/numId")
            if found is not None:
                own_level = level or value(style, "pPr/numPr/ilvl")
                place = number(own_level) if own_level is not None else None
                return "" if found == "0" else found, place, style.get("styleId", "")
        return "", 0, ""

    def indent(self, properties: Element | None) -> int | None:
        """How far a paragraph is set in, in twentieths of a point; None where nothing says so."""
        places = [properties, *(style.find("pPr") for style in self._of(properties))]
        for place in places:
            left = value(place, "ind", "left") or value(place, "ind", "start")
            if left is not None:
                return number(left)
        return None

    def is_on(self, paragraph: Element | None, run: Element | None, name: str) -> bool:
        """A run's switch ('vanish', 'b'), by itself or by the styles around it."""
        own = is_on(run, name)
        if own is not None:
            return own
        found = (is_on(style.find("rPr"), name) for style in self._around(paragraph, run))
        return next((one for one in found if one is not None), False)

    def run_value(self, paragraph: Element | None, run: Element | None, name: str) -> str | None:
        """A run's value ('color', 'sz'), by itself or by the styles around it."""
        own = value(run, name)
        if own is not None:
            return own
        found = (value(style, f"rPr/{name}") for style in self._around(paragraph, run))
        return next((one for one in found if one is not None), None)

    def formats(self, table_style: str | None, part: str) -> bool:
        """True where a table's style sets off a part of it ('firstRow', 'firstCol')."""
        return any(
            one.get("type") == part
            for style in self._chain(table_style, "table")
            for one in style.iter("tblStylePr")
        )

    def colours(self, table_style: str | None) -> bool:
        """True where a table's style gives any of its cells a ground of another colour."""
        return any(
            shade.get("fill", "auto").lower() not in ("auto", "ffffff")
            for style in self._chain(table_style, "table")
            for shade in style.iter("shd")
        )

    def _of(self, properties: Element | None) -> Iterator[Element]:
        return self._chain(value(properties, "pStyle"), "paragraph")

    def _around(self, paragraph: Element | None, run: Element | None) -> Iterator[Element]:
        """The styles of a run, then those of its paragraph."""
        yield from self._chain(value(run, "rStyle"), "character")
        yield from self._of(paragraph)

    def _chain(self, style: str | None, kind: str) -> Iterator[Element]:
        """A style and those it is based on, nearest first."""
        key = style or self._defaults.get(kind, "")
        for _ in range(_MAX_CHAIN):
            found = self._styles.get(key)
            if found is None:
                return
            yield found
            key = value(found, "basedOn") or ""


def _outline_level(written: str) -> int:
    """The heading level, from 1, of an outline level, from 0; 0 for body text."""
    level = number(written, 9)
    return level + 1 if 0 <= level < 9 else 0
