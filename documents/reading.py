"""Reads a file: from bytes to a document, or one sentence why not."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from documents.assembly import assemble
from documents.decoding import decode, extension
from documents.markdown import read_markdown
from documents.parts import Reading, Remark
from documents.plain import read_plain
from documents.structure import NoteKind, ReadDocument

_MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd")
_PLAIN_NAMES = ("", ".txt", ".text", *_MARKDOWN_NAMES)

# Two different signs, or two headings, are clear markup; one alone may be chance.
_SIGNS = (
    re.compile(r"^#{1,6} +\S", re.MULTILINE),
    re.compile(r"\]\((?:https?:|mailto:|/|#|\.\.?/)[^\s()]*\)"),
    re.compile(r"^(?:```|~~~)", re.MULTILINE),
    re.compile(r"^\|?(?: *:?-{3,}:? *\|)+ *:?-{3,}:? *\|? *$", re.MULTILINE),
    re.compile(r"\*\*[^\s*][^*\n]{0,200}\*\*"),
)


def read(data: bytes, *, filename: str, abbreviations: Collection[str] = ()) -> ReadDocument:
    """Read the bytes of a text or Markdown file.

    The type is taken from the content; the name only tells Markdown from plain
    text. `abbreviations` are an organisation's own, after which a sentence goes
    on. The name is never kept.

    Raises UnreadableError, whose message is one sentence for the page.
    """
    text = decode(data, filename=filename)
    named = extension(filename)
    is_markdown = named in _MARKDOWN_NAMES or _has_markup(text)
    reading = read_markdown(text) if is_markdown else read_plain(text)
    return assemble(_with_name_remark(reading, named), abbreviations)


def _has_markup(text: str) -> bool:
    found = [sign.search(text) for sign in _SIGNS]
    if sum(match is not None for match in found) >= 2:
        return True
    heading = found[0]
    return heading is not None and _SIGNS[0].search(text, heading.end()) is not None


def _with_name_remark(reading: Reading, named: str) -> Reading:
    if named in _PLAIN_NAMES or not re.fullmatch(r"\.[a-z0-9]{1,8}", named):
        return reading
    message = f"The name of this file ends in {named}, but it holds plain text and was read so."
    return replace(reading, remarks=(Remark(NoteKind.NAME, message), *reading.remarks))
