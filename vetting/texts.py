"""Checks free text from forms before it is kept: length, and characters nobody can see."""

from __future__ import annotations

import unicodedata

from vetting.refusals import RefusedError

MAX_LENGTH = 2000


def check_text(
    text: str, what: str, *, required: bool = False, limit: int = MAX_LENGTH, lines: bool = True
) -> str:
    """The text without spaces around it, line ends as one character.

    Raises RefusedError where it is missing, too long, or holds characters that
    no page can show (NUL, lone surrogates, direction marks); `lines` allows
    line ends.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if required and not text:
        raise RefusedError(f"write {what}: it is kept beside your name.")
    if len(text) > limit:
        raise RefusedError(
            f"{what} is {len(text):,} characters long, and {limit:,} are allowed; shorten it."
        )
    for character in text:
        if character == "\n" and lines:
            continue
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            raise RefusedError(
                f"{what} holds a character that cannot be shown (U+{ord(character):04X}); "
                "remove it and send again."
            )
    return text
