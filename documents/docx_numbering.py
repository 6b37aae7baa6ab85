"""The numbers that Word makes and does not store: '1.', '4.2', '(iii)', as the page shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from documents.docx_package import number, value
from documents.numbering import spell_number

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_STYLES = {
    "decimal": "1",
    "decimalZero": "1",
    "ordinal": "1",
    "decimalFullWidth": "1",
    "lowerLetter": "a",
    "upperLetter": "A",
    "lowerRoman": "i",
    "upperRoman": "I",
}
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


@dataclass(frozen=True, slots=True)
class Numbered:
    """A paragraph's number: what the page shows, its label as in `Part.labels`, its place.

    `shape` is the list that it belongs to (several may share their counting) and
    `level` its level there, from 0. `left` is how far the item's text is set in.
    `known` is false where Word would write the number in a way not known here.
    """

    shown: str
    label: str
    shape: str
    level: int
    left: int | None
    known: bool


@dataclass(slots=True)
class _Level:
    """How one level of a list is numbered."""

    start: int = 1
    style: str = "decimal"
    text: str = ""
    restart: int | None = None
    legal: bool = False
    left: int | None = None


@dataclass(slots=True)
class _Count:
    """How far a list has come: the last number of each level."""

    last: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)
    started: set[str] = field(default_factory=set)


class Numbers:
    """Counts the lists of a document in its order; `root` is None where it has none."""

    def __init__(self, root: Element | None) -> None:
        self._shapes: dict[str, list[_Level]] = {}
        self._style_levels: dict[tuple[str, str], int] = {}
        self._lists: dict[str, tuple[str, dict[int, int], dict[int, _Level]]] = {}
        self._counts: dict[str, _Count] = {}
        if root is not None:
            self._read(root)

    def next(self, list_id: str, level: int | None, style: str) -> Numbered | None:
        """The number of the next paragraph of a list; None where the list is not declared.

        `level` is None where only the paragraph's `style` says which it is.
        """
        if list_id not in self._lists:
            return None
        shape, starts, changed = self._lists[list_id]
        at = self._style_levels.get((shape, style), 0) if level is None else level
        at = min(max(at, 0), _LEVELS - 1)
        levels = [changed.get(i, one) for i, one in enumerate(self._shapes.get(shape, []))]
        levels += [_Level() for _ in range(_LEVELS - len(levels))]
        count = self._counts.setdefault(shape, _Count())
        if list_id not in count.started:
            count.started.add(list_id)
            for place, start in starts.items():
                count.last[place] = start - 1
        before = count.last[at]
        count.last[at] = levels[at].start if before is None else before + 1
        for deeper in range(at + 1, _LEVELS):
            restart = levels[deeper].restart
            if restart is None or at < restart:
                count.last[deeper] = None
        return self._numbered(shape, at, levels, count)

    def _numbered(self, shape: str, at: int, levels: list[_Level], count: _Count) -> Numbered:
        own = levels[at]
        left = own.left
        if own.style == "bullet":
            return Numbered("•", "", shape, at, left, True)
        if own.style == "none" and not _PLACE.search(own.text):
            return Numbered(own.text.strip(), "", shape, at, left, True)
        known = True

        def spell(place: re.Match[str]) -> str:
            nonlocal known
            index = int(place[1]) - 1
            level = levels[index]
            last = count.last[index]
            value_ = level.start if last is None else last
            style = "decimal" if own.legal and index != at else level.style
            known = known and style in (*_STYLES, "none")
            return _spell(value_, style)

        places = _PLACE.findall(own.text)
        shown = _PLACE.sub(spell, own.text).strip()
        return Numbered(shown, _label(shown, len(places)), shape, at, left, known)

    def _read(self, root: Element) -> None:
        links: dict[str, str] = {}
        linked: dict[str, str] = {}
        for shape in root.iter("abstractNum"):
            key = shape.get("abstractNumId", "")
            self._shapes[key] = [_Level() for _ in range(_LEVELS)]
            for level in shape.iter("lvl"):
                at = number(level.get("ilvl"))
                if 0 <= at < _LEVELS:
                    self._shapes[key][at] = _level(level)
                    style = value(level, "pStyle")
                    if style:
                        self._style_levels[(key, style)] = at
            if name := value(shape, "styleLink"):
                links[name] = key
            if name := value(shape, "numStyleLink"):
                linked[key] = name
        for one in root.iter("num"):
            shape_id = value(one, "abstractNumId") or ""
            shape_id = links.get(linked.get(shape_id, ""), shape_id)
            starts: dict[int, int] = {}
            changed: dict[int, _Level] = {}
            for override in one.iter("lvlOverride"):
                at = number(override.get("ilvl"))
                if not 0 <= at < _LEVELS:
                    continue
                own = override.find("lvl")
                if own is not None:
                    changed[at] = _level(own)
                start = value(override, "startOverride")
                if start is not None:
                    starts[at] = number(start, 1)
            self._lists[one.get("numId", "")] = (shape_id, starts, changed)


def _level(element: Element) -> _Level:
    restart = value(element, "lvlRestart")
    legal = element.find("isLgl")
    left = value(element, "pPr/ind", "left") or value(element, "pPr/ind", "start")
    return _Level(
        start=number(value(element, "start"), 1),
        style=value(element, "numFmt") or "decimal",
        text=value(element, "lvlText") or "",
        restart=number(restart) if restart is not None else None,
        legal=legal is not None and legal.get("val", "1") not in ("0", "false"),
        left=number(left) if left is not None else None,
    )


def _spell(value_: int, style: str) -> str:
    if style == "none":
        return ""
    spelled = spell_number(value_, _STYLES.get(style, "1"))
    if style == "decimalZero":
        return spelled.zfill(2)
    if style == "ordinal":
        teens = 10 <= value_ % 100 <= 20
        return spelled + ("th" if teens else _ORDINALS.get(value_ % 10, "th"))
    return spelled


def _label(shown: str, places: int) -> str:
    """What a number adds to the clause number: '(a)', '1', or all of it ('=4.2')."""
    found = re.search(r"\(?[A-Za-z]{0,4}\d[\w.\-()]*|\(?[A-Za-z]{1,5}\)?(?=[.):\s]*$)", shown)
    if not places or found is None:
        return ""
    core = found[0].rstrip(".:")
    if places > 1:
        return f"={core.rstrip(')')}" if core.count("(") < core.count(")") else f"={core}"
    bare = core.strip("()")
    return f"({bare})" if ")" in shown else bare
