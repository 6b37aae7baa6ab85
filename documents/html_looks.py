"""Tells which elements of a web page a browser does not show, by attributes and styles.

Styles come from the page itself: `style` attributes and `<style>` elements. What a
separate style sheet or a script would hide is not known here; the reader says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

# More rules that can hide something than this are not followed, and the reader says so.
MAX_RULES = 300

_WATCHED = re.compile(
    r"^(?:display|visibility|font-size|opacity|color|background|background-color|width|height"
    r"|max-width|max-height|overflow|clip|clip-path|text-indent|position|left|top|transform"
    r"|content-visibility|text-decoration|text-decoration-line|list-style|list-style-type)$"
)
_SIZE = re.compile(r"(\d*\.?\d+)(px|pt|em|rem|%)?$")
# Letters of this size or less are not seen.
_TINY = {"px": 1.0, "pt": 1.0, "em": 0.05, "rem": 0.05, "%": 5.0, None: 0.0}
_NO_SIZE = re.compile(r"^[01](?:\.0+)?(?:px|pt|em|rem|%)?$")
_FAR_OFF = re.compile(r"^-\d{3,}(?:\.\d+)?(?:px|em|rem|pt|%|vw|vh)?$")
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px)|inset\(\s*(?:50|100)%|circle\(\s*0")
_TO_BRACE = re.compile(r"([^{}]*)([{}])")
_HEX = re.compile(r"#([0-9a-f]{3,8})$")
_RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+)(%?))?\s*\)$")
_NAMED = {"white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250)}
# Colours whose channels are all this near each other cannot be told apart.
_NEAR = 16

_Colour = tuple[int, int, int]
_WHITE: _Colour = (255, 255, 255)
_CLEAR = "clear"


@dataclass(frozen=True, slots=True)
class Look:
    """What an element passes on to the text in it. A colour is None where it is unknown."""

    gone: bool = False
    visible: bool = True
    tiny: bool = False
    struck: bool = False
    bullets: bool = True
    colour: _Colour | str | None = (0, 0, 0)
    ground: _Colour | None = _WHITE

    @property
    def shown(self) -> bool:
        """True where a browser shows text with this look."""
        return self.visible and not (self.gone or self.tiny or self._same_colour())

    def _same_colour(self) -> bool:
        if self.colour == _CLEAR:
            return True
        if not isinstance(self.colour, tuple) or self.ground is None:
            return False
        return all(
            abs(one - other) <= _NEAR for one, other in zip(self.colour, self.ground, strict=True)
        )


class Looks:
    """The style sheets inside one page. `complete` is false where some could not be followed."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self.complete = True
        self._declared: dict[int, list[tuple[tuple[int, int], dict[str, str]]]] = {}
        order = 0
        for sheet in page.css("style"):
            for selector, declarations in _rules(sheet.text()):
                order += 1
                if order > MAX_RULES:
                    self.complete = False
                    return
                self._apply(page, selector, declarations, order)

    def below(self, node: LexborNode, around: Look) -> Look:
        """The look inside `node`, which stands in text that looks like `around`."""
        tag = (node.tag or "").lower()
        attributes = node.attributes
        found = self._found(node, attributes)
        if not (found or attributes or tag in ("del", "s", "strike", "mark", "dialog")):
            return around
        look = replace(
            around,
            gone=around.gone or _is_gone(tag, attributes, found),
            struck=around.struck
            or tag in ("del", "s", "strike")
            or "line-through" in found.get("text-decoration", "")
            or "line-through" in found.get("text-decoration-line", ""),
        )
        if "visibility" in found:
            look = replace(look, visible=found["visibility"] not in ("hidden", "collapse"))
        if "font-size" in found:
            look = replace(look, tiny=_is_tiny(found["font-size"]))
        style = found.get("list-style-type", found.get("list-style", ""))
        if style:
            look = replace(look, bullets="none" not in style.split())
        return _coloured(look, tag, attributes, found)

    def _apply(
        self, page: LexborHTMLParser, selector: str, declarations: dict[str, str], order: int
    ) -> None:
        try:
            nodes = page.css(selector)
        except SelectolaxError:
            # ':hover', '::before' and the like choose nothing that stands in the page.
            return
        weight = (
            100 * selector.count("#")
            + 10 * len(re.findall(r"[.\[:]", selector))
            + len(re.findall(r"(?:^|[\s>+~])[a-z]", selector))
        )
        for node in nodes:
            self._declared.setdefault(node.mem_id, []).append(((weight, order), declarations))

    def _found(self, node: LexborNode, attributes: Mapping[str, str | None]) -> dict[str, str]:
        rules = self._declared.get(node.mem_id, [])
        found: dict[str, str] = {}
        urgent: dict[str, str] = {}
        own = _declarations(attributes.get("style") or "")
        for _, declarations in [*sorted(rules, key=lambda rule: rule[0]), ((0, 0), own)]:
            for name, value in declarations.items():
                if value.endswith("!important"):
                    urgent[name] = value.removesuffix("!important").strip()
                else:
                    found[name] = value
        return found | urgent


def _is_gone(tag: str, attributes: Mapping[str, str | None], found: Mapping[str, str]) -> bool:
    display = found.get("display", "")
    if display == "none" or found.get("content-visibility") == "hidden":
        return True
    if ("hidden" in attributes or (tag == "dialog" and "open" not in attributes)) and not display:
        return True
    if tag == "input" and attributes.get("type") == "hidden":
        return True
    clips = found.get("overflow", "") in ("hidden", "clip")
    sides = ("width", "height", "max-width", "max-height")
    placed = found.get("position") in ("absolute", "fixed")
    return (
        re.match(r"0*\.?0+%?$|0?\.0\d*$", found.get("opacity", "1")) is not None
        or (clips and any(_NO_SIZE.match(found.get(side, "")) for side in sides))
        or (_CLIPPED.search(found.get("clip", "") + found.get("clip-path", "")) is not None)
        or _FAR_OFF.match(found.get("text-indent", "")) is not None
        or (placed and any(_FAR_OFF.match(found.get(side, "")) for side in ("left", "top")))
        or re.search(r"scale[xy]?\(\s*0(?:\.0*)?\s*[,)]", found.get("transform", "")) is not None
    )


def _is_tiny(size: str) -> bool:
    found = _SIZE.match(size)
    return found is not None and float(found[1]) <= _TINY[found[2]]


def _coloured(
    look: Look, tag: str, attributes: Mapping[str, str | None], found: Mapping[str, str]
) -> Look:
    words = found.get("color") or (attributes.get("color") if tag == "font" else None)
    if words and words != "inherit":
        look = replace(look, colour=_colour(words))
    ground = found.get("background-color") or found.get("background") or attributes.get("bgcolor")
    if ground and ground not in ("inherit", "none"):
        colour = _colour(ground)
        if colour != _CLEAR:
            look = replace(look, ground=colour if isinstance(colour, tuple) else None)
    if tag == "mark" and not ground:
        look = replace(look, ground=(255, 255, 0))
    return look


def _colour(words: str) -> _Colour | str | None:
    """A colour's channels; 'clear' for one that shows nothing, None for one not understood."""
    words = words.strip().lower()
    if words == "transparent":
        return _CLEAR
    if words in _NAMED:
        return _NAMED[words]
    if found := _HEX.match(words):
        digits = found[1]
        pairs = [c * 2 for c in digits] if len(digits) < 6 else re.findall("..", digits)
        if len(pairs) == 4 and pairs[3] == "00":
            return _CLEAR
        return (int(pairs[0], 16), int(pairs[1], 16), int(pairs[2], 16))
    if found := _RGB.match(words):
        if found[4] and float(found[4]) == 0:
            return _CLEAR
        return (int(found[1]), int(found[2]), int(found[3]))
    return None


def _declarations(style: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for piece in style.split(";"):
        name, colon, value = piece.partition(":")
        name = name.strip().lower()
        if colon and _WATCHED.match(name):
            found[name] = re.sub(r"\s*!\s*important$", "!important", value.strip().lower())
    return found


def _rules(sheet: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The rules of a style sheet for the screen that declare something watched."""
    sheet = re.sub(r"/\*.*?(?:\*/|\Z)", " ", sheet, flags=re.DOTALL)
    at = 0
    skipped = 0  # how many blocks are open that do not count
    while found := _TO_BRACE.match(sheet, at):
        head, sign = found[1].split(";")[-1].strip(), found[2]
        at = found.end()
        if skipped:
            skipped += 1 if sign == "{" else -1
        elif sign == "{" and head.startswith("@"):
            counts = re.match(
                r"@(?:media\s+(?:only\s+)?(?:screen|all)\s*$|layer\b|supports\b)", head
            )
            skipped = 0 if counts else 1
        elif sign == "{":
            end = sheet.find("}", at)
            declarations = _declarations(sheet[at : end if end >= 0 else len(sheet)])
            at = end + 1 if end >= 0 else len(sheet)
            if declarations and head:
                yield head, declarations
