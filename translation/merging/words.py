"""The words of names and descriptions, brought to one form so that they can be compared."""

from __future__ import annotations

import re
from functools import lru_cache

# A capital begins a word of a name; letters and digits are words of their own.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:[.,]\d+)*")
_APOSTROPHE = re.compile(r"n['’]t\b")

# Words that say nothing about which thing is meant.
_EMPTY_WORDS = (
    "a an and any are as at be been being by can date datum does for from given had has have "
    "having if in into is it its itself made may must number of on one or per shall that the "
    "their there these they this those to under upon value was were whether which who whose "
    "will with would"
)
_EMPTY = frozenset(_EMPTY_WORDS.split())


@lru_cache(maxsize=65_536)
def words(text: str) -> tuple[str, ...]:
    """The words in lower case, in order: `costEur` is `cost`, `eur`."""
    spelled = _APOSTROPHE.sub(" not", text)
    return tuple(word.lower() for word in _WORD.findall(spelled))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The word without the endings that a sentence gives it: `approved`, `approval` are one."""
    if word[:1].isdigit() or len(word) <= 3:
        return word
    for ending, put in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(put) >= 3:
            word = word[: len(word) - len(ending)] + put
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


# The longest first; one of them is taken off.
_ENDINGS = (
    ("ications", "y"),
    ("ication", "y"),
    ("ations", ""),
    ("ation", ""),
    ("ments", ""),
    ("ment", ""),
    ("ings", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ing", ""),
    ("ions", ""),
    ("ion", ""),
    ("als", ""),
    ("al", ""),
    ("ers", ""),
    ("er", ""),
    ("ors", ""),
    ("or", ""),
    ("ees", ""),
    ("ee", ""),
    ("ed", ""),
    ("es", ""),
    ("ss", "ss"),
    ("s", ""),
    ("ly", ""),
    ("e", ""),
)


def stems(text: str) -> frozenset[str]:
    """The stems of the words that say which thing is meant."""
    return frozenset(stem(word) for word in words(text) if word not in _EMPTY)


def is_empty(word: str) -> bool:
    return word in _EMPTY
