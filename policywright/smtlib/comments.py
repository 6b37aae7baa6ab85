"""Comments that carry what SMT-LIB has no place for: ids, roles, phrases, sources.

A line of its own before a declaration or an assertion, one JSON value behind a
keyword: `; variable: {...}`, `; datatype: {...}`, `; definition: {...}`,
`; rule: {...}`, `; source: {...}`, and `; kind: rule`. Other comments are text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from policywright.errors import Problem
from policywright.smtlib.sexpr import Comment

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

    def __init__(self, comments: Sequence[Comment], problems: list[Problem]) -> None:
        self._alone = [comment for comment in comments if comment.alone]
        self._behind = {c.line: c.text for c in comments if not c.alone}
        self._next = 0
        self._problems = problems

    def before(self, line: int, end_line: int) -> Notes:
        notes = Notes(text=self._behind.get(end_line, ""))
        while self._next < len(self._alone) and self._alone[self._next].line < line:
            self._read(self._alone[self._next], notes)
            self._next += 1
        while self._next < len(self._alone) and self._alone[self._next].line <= end_line:
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
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            message = f"the comment `; {keyword}:` does not hold one JSON object"
            self._problems.append(Problem(comment.line, 1, message, "mend it or remove it"))
        elif keyword == "source":
            notes.sources.append(data)
        else:
            notes.data[keyword] = data
