"""Tracked changes of a Word file: who made how many, and which text an answer leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element

from documents.errors import Choice, ChoiceNeededError

NAME = "tracked_changes"
ACCEPTED = "accepted"
REFUSED = "refused"

_ADDED = frozenset({"ins", "moveTo", "cellIns"})
_REMOVED = frozenset({"del", "moveFrom", "cellDel"})
_OPTIONS = (
    (ACCEPTED, "As if all changes were accepted"),
    (REFUSED, "As if all changes were refused"),
)


class Changes:
    """The owner's answer, applied. `said` is a remark for the page, '' without changes."""

    def __init__(self, roots: Iterable[Element], choices: Mapping[str, str]) -> None:
        """Raises ChoiceNeededError where there are changes and no answer is among `choices`."""
        authors = Counter(
            clean_name(element.get("author", "")) or "someone unnamed"
            for root in roots
            for element in root.iter()
            if element.tag in _ADDED or element.tag in _REMOVED
        )
        self.choices: tuple[tuple[str, str], ...] = ()
        self.said = ""
        answer = choices.get(NAME, "")
        self._gone = _ADDED if answer == REFUSED else _REMOVED
        self._refused = answer == REFUSED
        if not authors:
            return
        count = sum(authors.values())
        changes = f"{count} tracked {'change' if count == 1 else 'changes'} by {_people(authors)}"
        if answer not in (ACCEPTED, REFUSED):
            question = (
                f"This document holds {changes} that nobody has accepted or refused yet; "
                "choose whether it is read as if all were accepted or as if all were refused."
            )
            raise ChoiceNeededError(Choice(NAME, question, _OPTIONS))
        self.choices = ((NAME, answer),)
        self.said = f"The text is read as if the {changes} were {answer}"

    def is_gone(self, element: Element) -> bool:
        """True for an element whose text the answer takes away."""
        return element.tag in self._gone

    def mark_is_gone(self, properties: Element | None) -> bool:
        """True where the end of a paragraph is taken away, so that it goes on with the next."""
        return _holds(properties.find("rPr") if properties is not None else None, self._gone)

    def row_is_gone(self, properties: Element | None) -> bool:
        """True for a table row, or a cell, that is taken away."""
        return _holds(properties, self._gone)

    def present(self, properties: Element | None, change: str) -> Element | None:
        """The properties that hold: the former ones where changes are refused."""
        if properties is None or not self._refused:
            return properties
        former = properties.find(change)
        inside = former.find(properties.tag) if former is not None else None
        return properties if inside is None else inside


def _holds(properties: Element | None, names: frozenset[str]) -> bool:
    return properties is not None and any(child.tag in names for child in properties)


def _people(authors: Counter[str]) -> str:
    shown = [name for name, _ in authors.most_common(3)]
    more = len(authors) - len(shown)
    if more:
        shown.append(f"{more} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def clean_name(name: str) -> str:
    """An author's name that is fit for a sentence on the page."""
    return " ".join("".join(c for c in name if c.isprintable()).split())[:60]
