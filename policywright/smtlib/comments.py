"""Comments that carry what SMT-LIB has no place for: ids, roles, phrases, sources.

A line of its own before a declaration or an assertion, one JSON value behind a
keyword: `; variable: {...}`, `; datatype: {...}`, `; definition: {...}`,
`; rule: {...}`, `; source: {...}`, and `; kind: rule`. Other comments are text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from policywright.errors import Problem
from policywright.smtlib.sexpr import Parsed, comment_text

KEYWORDS = ("variable", "datatype", "definition", "rule", "source", "kind")


class Notes:
    """What the comment lines before an expression say; `text` is what stood behind it."""

    def __init__(self, text: str = "") -> None:
        self.data: dict[str, dict[str, Any]] = {}
        self.sources: list[dict[str, Any]] = []
        self.kind = ""
        self.text = text


_DECODER = json.JSONDecoder()
NO_NOTES = Notes()
"""What stands before most expressions; nobody adds to it."""


def read_notes(parsed: Parsed, comments: Sequence[tuple[str, int]]) -> Notes:
    """What the comments before an expression say, and the one that now follows it."""
    behind = parsed.behind()
    if not comments and not behind:
        return NO_NOTES
    notes = Notes(text=behind)
    for token, at in comments:
        _read(comment_text(token), at, notes, parsed)
    return notes


def _read(text: str, at: int, notes: Notes, parsed: Parsed) -> None:
    keyword, colon, rest = text.partition(":")
    if not colon or keyword not in KEYWORDS:
        return
    if keyword == "kind":
        notes.kind = rest.strip()
        return
    try:
        data = _DECODER.decode(rest)
        if "\\u" in rest:  # Half a character has no hash.
            json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        message = f"the comment `; {keyword}:` does not hold one JSON object"
        parsed.problems.append(Problem(*parsed.places.of(at), message, "mend it or remove it"))
    elif keyword == "source":
        notes.sources.append(data)
    else:
        notes.data[keyword] = data
