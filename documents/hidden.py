"""Finds characters that make a reviewer see another text than the machine reads.

They stay in the text; a note names each and its place, so that the page can show
them and hold back approval of the sentences that hold them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from documents.structure import Note, NoteKind

# Each note is one place; past this many, one last note covers the rest of the text's places.
MAX_NOTES = 2_000

_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ff"
    "\x01-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
)
# Letters of other scripts that look like Latin ones, and the wide forms of ASCII.
_LOOK_ALIKES = (
    "АВЕЅІЈКМНОРСТХҮаеорсухѕіјһԁԛԝҽԍӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρα\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
)
_SUSPECT = re.compile(f"([{_DIRECTION}]+)|([{_INVISIBLE}]+)|([{_LOOK_ALIKES}])")
_LOOK_ALIKE = re.compile(f"[{_LOOK_ALIKES}]")
_LATIN = re.compile("[A-Za-z]")
_WORD = re.compile(r"[^\W_]+")


def find_hidden(text: str) -> tuple[Note, ...]:
    """Notes on hidden and look-alike characters, in order of place."""
    if text.isascii() and not _SUSPECT.search(text):
        return ()
    notes: list[Note] = []
    beyond: list[Note] = []
    for note in _places(text):
        if len(notes) < MAX_NOTES:
            notes.append(note)
        else:
            beyond = [beyond[0] if beyond else note, note]
    if beyond:
        message = "The rest of this document holds more hidden or look-alike characters."
        notes.append(Note(beyond[0].kind, beyond[0].start, beyond[-1].end, message))
    return tuple(notes)


def _places(text: str) -> Iterator[Note]:
    word_end = 0
    for match in _SUSPECT.finditer(text):
        start, end = match.span()
        if match[1]:
            message = f"{_describe(match[1])} can show the text in another order than it is read."
            yield Note(NoteKind.DIRECTION_OVERRIDE, start, end, message)
        elif match[2]:
            yield Note(NoteKind.HIDDEN_CHARACTER, start, end, f"{_describe(match[2])} is hidden.")
        elif start >= word_end:
            left, word_end = _word_around(text, start)
            yield from _look_alikes(text[left:word_end], left, start)


def _word_around(text: str, at: int) -> tuple[int, int]:
    """The word at `at`, looking back at most 64 characters: no honest word is longer."""
    floor = max(0, at - 64)
    left = at
    while left > floor and text[left - 1].isalnum():
        left -= 1
    found = _WORD.match(text, at)
    return left, found.end() if found else at + 1


def _look_alikes(word: str, left: int, first: int) -> Iterator[Note]:
    found = [left + match.start() for match in _LOOK_ALIKE.finditer(word)]
    letters = sum(character.isalnum() for character in word)
    if not (_LATIN.search(word) or len(found) == letters):
        return  # a word of another script is no disguise
    named = unicodedata.name(word[first - left], "a character without a name")
    shown = word if len(word) <= 40 else f"{word[:40]}..."
    message = f"`{shown}` holds {named}, which looks like another character."
    yield Note(NoteKind.LOOK_ALIKE, found[0], found[-1] + 1, message)


def _describe(run: str) -> str:
    name = unicodedata.name(run[0], f"CONTROL CHARACTER {ord(run[0]):04X}")
    label = f"{name} (U+{ord(run[0]):04X})"
    return label if len(run) == 1 else f"A run of {len(run)} characters beginning with {label}"
