"""What stands in front of a sentence and is no part of what it says.

A clause number, a sign that words were left out before it, a run-in title
(`Tax: A tax of 10% applies`), a word that only joins it to the sentence before.
"""

from __future__ import annotations

import re

from policywright.english.lexicon import STOP
from policywright.english.words import singular, word_set

_SKIPPED = (
    re.compile(r"\s*(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|[-*•–])\s+"),
    re.compile(r"\s*\[(?:\.\.\.|…)\]\s+(?=[A-Z])"),
    re.compile(r"\s*(?:However|In addition|Additionally|Furthermore|Moreover|Also|Likewise),\s+"),
    re.compile(r"\s*(?:Please note|Note) that\s+"),
)
_TITLE = re.compile(r"\s*((?:General|Basic|Main) )?([A-Za-z][a-z]+):\s+(?=[A-Z])")
# Titles that say what the sentence is for: it is no rule, or not this one.
_TELLING = word_set("example examples exception exceptions note notes exempt optional draft")


def front_length(text: str) -> int:
    """How many characters of a sentence to leave out at its start."""
    start = 0
    for _ in range(len(_SKIPPED) + 1):
        found = next((m for p in _SKIPPED if (m := p.match(text, start))), None)
        start = found.end() if found else _after_title(text, start)
    return start


def _after_title(text: str, start: int) -> int:
    """Behind a one-word title whose word the sentence says again, so that nothing is lost."""
    title = _TITLE.match(text, start)
    if title is None:
        return start
    word = title.group(2).lower()
    if not title.group(0).strip()[0].isupper():
        return start
    said = {singular(w) for w in re.findall(r"[a-z]+", text[title.end() :].lower())}
    if word in STOP or word in _TELLING or singular(word) not in said:
        return start
    return title.end()
