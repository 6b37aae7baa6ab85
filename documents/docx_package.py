"""The XML files inside a Word file, found by their relations and read within limits.

Names in the XML lose their namespaces as they are read, since Word writes two
kinds of them; the attribute `w:val` is `val` here.
"""

from __future__ import annotations

import posixpath
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from documents.errors import UnreadableError
from documents.limits import Limits
from documents.zipped import Zipped

_NAMESPACE = re.compile(r"\{[^}]*\}")


class Package:
    """A Word file: `document` is its main part; `names` are those of all files inside."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        """Raises UnreadableError for a damaged or foreign file, LimitError past a limit."""
        self._zipped = Zipped(data, limits)
        self.names = self._zipped.names
        self._relations: dict[str, list[Element]] = {}
        self._path = next(self._targets("", "officeDocument"), "word/document.xml")
        if self._path not in self.names:
            raise UnreadableError(
                "This file has no text of a Word document inside; "
                "open it, save it again as .docx and upload that."
            )
        self.document = self._parse(self._path)

    def related(self, kind: str) -> Iterator[Element]:
        """The parts of a kind ('styles', 'footnotes', 'header') that the document uses."""
        for path in self._targets(self._path, kind):
            if path in self.names:
                yield self._parse(path)

    def _targets(self, path: str, kind: str) -> Iterator[str]:
        folder, name = posixpath.split(path)
        relations = posixpath.join(folder, "_rels", f"{name}.rels")
        if relations not in self._relations:
            self._relations[relations] = (
                list(self._parse(relations)) if relations in self.names else []
            )
        seen: set[str] = set()
        for relation in self._relations[relations]:
            outside = relation.get("TargetMode") == "External"
            if outside or relation.get("Type", "").rpartition("/")[2] != kind:
                continue
            target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", "")))
            if target not in seen:
                seen.add(target)
                yield target.lstrip("/")

    def _parse(self, path: str) -> Element:
        # `read_xml` has refused document types, and with them entities.
        root = ElementTree.fromstring(self._zipped.read_xml(path))
        for element in root.iter():
            element.tag = _NAMESPACE.sub("", str(element.tag))
            if any(name[0] == "{" for name in element.attrib):
                named = {_NAMESPACE.sub("", name): value for name, value in element.items()}
                element.attrib.clear()
                element.attrib.update(named)
        return root


def value(element: Element | None, path: str, name: str = "val") -> str | None:
    """The attribute `name` of the element at `path` below `element`; None without either."""
    found = element.find(path) if element is not None else None
    return found.get(name) if found is not None else None


def is_on(element: Element | None, name: str) -> bool | None:
    """What a switch such as `<vanish/>` says: on, off, or None where it is not there."""
    found = element.find(name) if element is not None else None
    if found is None:
        return None
    return found.get("val", "true") not in ("0", "false", "off", "none")


def number(text: str | None, default: int = 0) -> int:
    """A whole number as the XML writes it; `default` for what is none."""
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text) else default
