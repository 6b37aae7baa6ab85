"""Joins lines of a paragraph, and mends words that were divided at the end of a line.

There is no dictionary: the document itself says whether 'line-' and 'manager' are
one word with a hyphen or one without. Where it says nothing, the hyphen was most
likely made by the break, and goes; it stays where both halves are words of their own
in the document, before a capital letter or digit, and after a prefix or one letter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")
_ENDING = re.compile(r"(?:^|(?<=[\s(\"“'‘/-]))((?:[^\W\d_]+[-\u2010])*[^\W\d_]+)[-\u2010\u00ad]$")
_BEGINNING = re.compile(r"[^\W\d_]+")
_HYPHENS = "-\u2010\u00ad"
_PREFIXES = {"non", "self", "ex", "cross", "well", "quasi"}
# Two short words side by side are no sign: 'in-' and 'formation' are one word.
_LEAST_LETTERS = 3


class Vocabulary:
    """How often each word stands in a document, with and without hyphens, not at line ends."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: Counter[str] = Counter()
        for line in lines:
            words = [word.casefold().replace("\u2010", "-") for word in _WORD.findall(line)]
            if words and line.rstrip()[-1:] in _HYPHENS:
                words.pop()
            self._words.update(words)

    def join(self, before: str, after: str) -> str:
        """The two lines as one, with a blank, a hyphen or nothing at the break."""
        end, start = before.rstrip(), after.lstrip()
        if not end or not start:
            return end or start
        if end[-1] in "—–" and len(end) > 1 and not end[-2].isspace():
            return end + start
        if end[-1] not in _HYPHENS or len(end) < 2 or not end[-2].isalnum():
            return f"{end} {start}"
        left, right = _ENDING.search(end), _BEGINNING.match(start)
        if end[-1] == "\u00ad":
            return end[:-1] + start
        if right is not None and right[0].casefold() in ("and", "or", "to"):
            return f"{end} {start}"  # 'two- and three-day trips'
        if left is None or right is None or "://" in end.rsplit(maxsplit=1)[-1]:
            return end + start
        return (end if self._keeps_hyphen(left[1], right[0]) else end[:-1]) + start

    def _keeps_hyphen(self, left: str, right: str) -> bool:
        if right[0].isupper() and not left.isupper():
            return True
        first, second = left.casefold().replace("\u2010", "-"), right.casefold()
        hyphened, joined = self._words[f"{first}-{second}"], self._words[first + second]
        if hyphened or joined:
            return hyphened >= joined
        if right.isupper():
            return True  # 'EU-US', unless the document says otherwise
        last = first.rsplit("-", 1)[-1]
        if last in _PREFIXES or len(last) == 1:
            return True
        long = min(len(last), len(second)) >= _LEAST_LETTERS
        return long and self._words[last] > 0 and self._words[second] > 0
