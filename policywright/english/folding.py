"""Text as words that are compared: letter case, apostrophes and contractions made alike.

`isn't` is read as `is not`, `cannot` as `can not`; a, an and the are one article
in the middle of a phrase. Each word keeps its place in the text it came from,
since folding may change how long a word is.

Source: Unicode 3.13, canonical caseless matching.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

ARTICLE = "the"
ARTICLES = frozenset({"a", "an", "the"})
_RUNS = re.compile(r"\w+|\S")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "−": "-", "–": "-", "—": "-", "‐": "-"})
_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
_JOINERS = "\u200c\u200d"


class Folded(NamedTuple):
    """A word as it is compared, and `text[start:end)` that it came from."""

    key: str
    start: int
    end: int


def fold_words(text: str) -> list[Folded]:
    """The words and signs of a text in order; white space only separates them."""
    words: list[Folded] = []
    for start, end in _runs(text):
        key = fold(text[start:end])
        if key == "t" and _ends_contraction(words, start):
            _expand(words, end)
        elif key == "cannot":
            words += [Folded("can", start, start + 3), Folded("not", start + 3, end)]
        else:
            words.append(Folded(key, start, end))
    return words


def phrase_key(phrase: str) -> tuple[str, ...]:
    """What two spellings of one phrase share, to the letter but for case and contractions."""
    return tuple(word.key for word in fold_words(phrase))


def loose_key(key: tuple[str, ...]) -> tuple[str, ...]:
    """The key without a leading article, and with the others made one."""
    words = tuple(ARTICLE if word in ARTICLES else word for word in key)
    return words[1:] if words[:1] == (ARTICLE,) and len(words) > 1 else words


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", word).casefold())
    return folded.translate(_SIGNS)


def is_mark(character: str) -> bool:
    """Whether a character belongs to the one before it."""
    return character in _JOINERS or unicodedata.category(character)[0] == "M"


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Words and signs; accents and vowel signs stay with the word they are written on."""
    if text.isascii():
        yield from (found.span() for found in _RUNS.finditer(text))
        return
    start = end = -1
    joins = False
    for found in _RUNS.finditer(text):
        mark = is_mark(found.group()[0])
        if found.start() == end and (mark or joins):
            end, joins = found.end(), mark and _is_word(text[start])
            continue
        if end > start:
            yield start, end
        start, end, joins = found.start(), found.end(), False
    if end > start:
        yield start, end


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _ends_contraction(words: list[Folded], start: int) -> bool:
    """Whether `isn'` stands directly before."""
    if len(words) < 2 or words[-1].key != "'" or words[-1].end != start:
        return False
    stem = words[-2]
    return stem.end == words[-1].start and len(stem.key) > 2 and stem.key.endswith("n")


def _expand(words: list[Folded], end: int) -> None:
    """`isn` `'` `t` as `is` and `not`."""
    words.pop()
    stem = words.pop()
    key = stem.key[:-1]
    words.append(Folded(_STEMS.get(key, key), stem.start, stem.end - 1))
    words.append(Folded("not", stem.end - 1, end))
