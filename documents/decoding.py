"""Bytes to one normalised text, or one sentence why not.

The text is normalised once, and as little as possible: a byte order mark is
dropped, CRLF and CR become LF, and letters with separate accents are composed
(Unicode NFC), so that a quote typed elsewhere is found. No-break spaces, hidden
characters and everything else stay as they came; `documents.hidden` reports them.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from pathlib import PurePosixPath

from documents.errors import UnreadableError
from documents.limits import DEFAULT_LIMITS, Limits, check_lines

# Composing is quadratic in the marks on one letter; no language writes this many (UAX #15).
MAX_ACCENTS = 30

# So many marks in a row may be accents on one letter.
MANY_MARKS = re.compile(r"[^\x00-\u02ff\w\s]{31,}")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{1,40})")

# Python's names of encodings that web pages are written in; others of its codecs are no text.
_WEB_CODECS = re.compile(
    r"ascii|latin-1|cp\d+|iso8859-\d+|koi8-[rtu]|mac-\w+|big5(?:hkscs)?|gb\w+|euc_\w+|shift_jis"
)
# As browsers take them: pages that say Latin-1 or ASCII mean Windows' Western alphabet.
_AS_WINDOWS = {"ascii", "iso8859-1", "latin-1"}


def decode(data: bytes, limits: Limits = DEFAULT_LIMITS) -> str:
    """The normalised text of a text file in UTF-8, or in UTF-16 with its mark.

    Raises UnreadableError for a broken or blank one, LimitError for too many lines.
    """
    text = _decode_utf16(data) if data.startswith(_UTF16_MARKS) else _decode_utf8(data)
    return _normalize(text, limits)


def decode_html(data: bytes, limits: Limits = DEFAULT_LIMITS) -> str:
    """The normalised source of a web page, in the encoding that it names, else UTF-8.

    Raises UnreadableError and LimitError as `decode` does.
    """
    found = _CHARSET.search(data[:4_096]) or _XML_CHARSET.match(data[:4_096])
    if data.startswith((b"\xef\xbb\xbf", *_UTF16_MARKS)) or found is None:
        return decode(data, limits)
    try:
        codec = codecs.lookup(found[1].decode("ascii")).name
    except LookupError:
        codec = "unknown"
    if codec.startswith(("utf-8", "utf-16", "utf-32")):
        return decode(data, limits)  # a name in ASCII letters can be no wide encoding
    if not _WEB_CODECS.fullmatch(codec):
        raise UnreadableError(
            "This web page names an encoding that is not known; save it as UTF-8 and upload it "
            "again."
        )
    name = "cp1252" if codec in _AS_WINDOWS else codec
    # Windows' alphabet has five empty places, which browsers show as nothing.
    errors = "replace" if name == "cp1252" else "strict"
    try:
        text = data.decode(name, errors)
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"Byte {error.start:,} of this web page is not valid {name}, the encoding that it "
            "names; save it as UTF-8 and upload it again."
        ) from error
    return _normalize(text, limits)


def extension(filename: str) -> str:
    """The last extension of a name in lower case with its dot, or ''."""
    return PurePosixPath(filename.replace("\\", "/")).suffix.lower()


def _normalize(text: str, limits: Limits) -> str:
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
    check_lines(text.count("\n") + 1, limits)
    return _compose(text)


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
    for match in MANY_MARKS.finditer(text):
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
