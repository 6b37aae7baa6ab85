"""Bytes to one normalised text, or one sentence why not.

The text is normalised once, and as little as possible: a byte order mark is
dropped, CRLF and CR become LF, and letters with separate accents are composed
(Unicode NFC), so that a quote typed elsewhere is found. No-break spaces, hidden
characters and everything else stay as they came; `documents.hidden` reports them.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from documents.errors import UnreadableError
from documents.sniffing import find_foreign

# A document must be smaller than this many bytes.
MAX_BYTES = 10_000_000

# And have at most this many lines, so that the work is bounded however short they are.
MAX_LINES = 500_000

# Composing is quadratic in the marks on one letter; no language writes this many (UAX #15).
MAX_ACCENTS = 30

_REPEATED_MARKS = re.compile(r"[^\x00-\u02ff\w\s]{31,}")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode(data: bytes, *, filename: str) -> str:
    """The normalised text of a file; its type is taken from its content, never its name.

    Raises UnreadableError for an empty, too large, binary or broken file.
    """
    if not data:
        raise UnreadableError("This file is empty; upload a file that holds the policy's text.")
    if len(data) >= MAX_BYTES:
        raise UnreadableError(
            f"This file has {len(data):,} bytes, and a document must be smaller than 10 MB "
            f"({MAX_BYTES:,} bytes); split it into several documents."
        )
    _refuse_foreign(data, filename)
    text = _decode_utf16(data) if data.startswith(_UTF16_MARKS) else _decode_utf8(data)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UnreadableError(
            f"Line {line:,} of this file holds a NUL character, which no text has; "
            "save the file again as plain text (UTF-8)."
        )
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise UnreadableError(
            "This file holds only blank space; upload a file that holds the policy's text."
        )
    lines = text.count("\n") + 1
    if lines > MAX_LINES:
        raise UnreadableError(
            f"This file has {lines:,} lines, and a document may have at most {MAX_LINES:,}; "
            "split it into several documents."
        )
    return _compose(text)


def extension(filename: str) -> str:
    """The last extension of a name in lower case with its dot, or ''."""
    return PurePosixPath(filename.replace("\\", "/")).suffix.lower()


def _refuse_foreign(data: bytes, filename: str) -> None:
    foreign = find_foreign(data)
    if foreign is None:
        return
    named = extension(filename)
    # A hostile name is not worth repeating: only a short, plain extension is shown.
    shown = re.fullmatch(r"\.[a-z0-9]{1,8}", named) and named not in foreign.extensions
    aside = f", although its name ends in {named}" if shown else ""
    raise UnreadableError(f"This file is {foreign.name}{aside}; {foreign.remedy}.")


def _decode_utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start
        line = data.count(b"\n", 0, at) + 1
        if data[at] == 0xED and data[at + 1 : at + 2] >= b"\xa0":
            raise UnreadableError(
                f"Line {line:,} holds half of a character (a lone surrogate) at byte {at:,}; "
                "remove or retype that character."
            ) from error
        raise UnreadableError(
            f"Byte {at:,} in line {line:,} of this file is not valid UTF-8; "
            "save the file as UTF-8 text and upload it again."
        ) from error


def _decode_utf16(data: bytes) -> str:
    try:
        return data.decode("utf-16")
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"Byte {error.start:,} of this file is not valid UTF-16, as its first bytes announce; "
            "save the file as UTF-8 text and upload it again."
        ) from error


def _compose(text: str) -> str:
    if text.isascii():
        return text
    for match in _REPEATED_MARKS.finditer(text):
        run = 0
        for character in match.group():
            run = run + 1 if unicodedata.combining(character) else 0
            if run > MAX_ACCENTS:
                line = text.count("\n", 0, match.start()) + 1
                raise UnreadableError(
                    f"Line {line:,} has more than {MAX_ACCENTS} accents on one letter, "
                    "which no language writes; remove them."
                )
    return unicodedata.normalize("NFC", text)
