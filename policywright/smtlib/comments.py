"""Comments that carry what SMT-LIB has no place for: ids, roles, phrases, sources.

A line of its own before a declaration or an assertion, one JSON value behind a
keyword: `; variable: {...}`, `; datatype: {...}`, `; definition: {...}`,
`; rule: {...}`, `; source: {...}`, and `; kind: rule`. Other comments are text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from policywright.errors import Problem
from policywright.smtlib.sexpr import Comment, Node, Parsed

KEYWORDS = ("variable", "datatype", "definition", "rule", "source", "kind")


@dataclass(slots=True)
class Notes:
    """What the comment lines before an expression say; `text` is what stood behind it."""

    data: dict[str, dict[str, Any]] = field(default_factory=dict)
    sources: list[dict[str, Any]] = field(default_factory=list)
    kind: str = ""
    text: str = ""


class CommentReader:
    """Hands each expression the comments directly before it, in one pass over the file."""

    def __init__(self, parsed: Parsed) -> None:
        self._alone = [comment for comment in parsed.comments if comment.alone]
        self._behind = {c.at: c.text for c in parsed.comments if not c.alone}
        self._next = 0
        self._places = parsed.places
        self._problems = parsed.problems

    def before(self, node: Node) -> Notes:
        notes = Notes(text=self._behind.get(node.end + 1, ""))
        while self._next < len(self._alone) and self._alone[self._next].at < node.at:
            self._read(self._alone[self._next], notes)
            self._next += 1
        while self._next < len(self._alone) and self._alone[self._next].at < node.end:
            self._next += 1
        return notes

    def _read(self, comment: Comment, notes: Notes) -> None:
        keyword, colon, rest = comment.text.partition(":")
        if not colon or keyword not in KEYWORDS:
            return
        if keyword == "kind":
            notes.kind = rest.strip()
            return
        try:
            data = json.loads(rest)
            json.dumps(data, ensure_ascii=False).encode()  # Half a character has no hash.
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            message = f"the comment `; {keyword}:` does not hold one JSON object"
            self._problems.append(
                Problem(*self._places.of(comment.at), message, "mend it or remove it")
            )
        elif keyword == "source":
            notes.sources.append(data)
        else:
            notes.data[keyword] = data
