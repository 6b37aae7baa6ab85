"""Reads a file: from bytes to a document, or one sentence why not."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from documents.assembly import assemble
from documents.decoding import decode, decode_html, extension
from documents.errors import UnreadableError
from documents.limits import DEFAULT_LIMITS, Limits, check_bytes, check_sentences
from documents.parts import Reading, Remark
from documents.sniffing import MARKDOWN_NAMES, NAMES, FileKind, Foreign, find_kind
from documents.structure import NoteKind, ReadDocument

_SHOWABLE = re.compile(r"\.[a-z0-9]{1,8}")

# Two different signs, or two headings, are clear markup; one alone may be chance.
_SIGNS = (
    re.compile(r"^#{1,6} +\S", re.MULTILINE),
    re.compile(r"\]\((?:https?:|mailto:|/|#|\.\.?/)[^\s()]*\)"),
    re.compile(r"^(?:```|~~~)", re.MULTILINE),
    re.compile(r"^\|?(?: *:?-{3,}:? *\|)+ *:?-{3,}:? *\|? *$", re.MULTILINE),
    re.compile(r"\*\*[^\s*][^*\n]{0,200}\*\*"),
)


def read(
    data: bytes,
    *,
    filename: str,
    abbreviations: Collection[str] = (),
    choices: Mapping[str, str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ReadDocument:
    """Read the bytes of a plain text, Markdown, HTML, Word (.docx) or PDF file.

    The type is taken from the content; the name only tells Markdown from plain
    text. `abbreviations` are an organisation's own, after which a sentence goes
    on. `choices` are the owner's answers where a file can be read in more than one
    way. The name is never kept.

    Raises UnreadableError, whose message is one sentence for the page; as
    LimitError where the file passes one of `limits`, as ChoiceNeededError where
    an answer is needed. Hostile files are read by `documents.read_bounded`, which
    also holds the limits on time and memory.
    """
    if not data:
        raise UnreadableError("This file is empty; upload a file that holds the policy's text.")
    check_bytes(len(data), limits)
    named = extension(filename)
    kind = find_kind(data, named)
    if isinstance(kind, Foreign):
        raise _refusal(kind, named)
    reading = _read_kind(kind, data, named, choices or {}, limits)
    document = assemble(_with_name_remark(reading, kind, named), abbreviations)
    check_sentences(len(document.sentences), limits)
    return document


def _read_kind(
    kind: FileKind, data: bytes, named: str, choices: Mapping[str, str], limits: Limits
) -> Reading:
    # Each reader stands on libraries of its own, so it is imported only where it is needed.
    if kind is FileKind.PDF:
        from documents.pdf import read_pdf

        return read_pdf(data, limits)
    if kind is FileKind.DOCX:
        from documents.docx_reading import read_docx

        return read_docx(data, limits, choices)
    if kind is FileKind.HTML:
        from documents.html_reading import read_html

        return read_html(decode_html(data, limits))
    text = decode(data, limits)
    if named in MARKDOWN_NAMES or _has_markup(text):
        from documents.markdown import read_markdown

        return read_markdown(text)
    from documents.plain import read_plain

    return read_plain(text)


def _has_markup(text: str) -> bool:
    found = [sign.search(text) for sign in _SIGNS]
    if sum(match is not None for match in found) >= 2:
        return True
    heading = found[0]
    return heading is not None and _SIGNS[0].search(text, heading.end()) is not None


def _refusal(foreign: Foreign, named: str) -> UnreadableError:
    # A hostile name is not worth repeating: only a short, plain extension is shown.
    shown = _SHOWABLE.fullmatch(named) and named not in foreign.extensions
    aside = f", although its name ends in {named}" if shown else ""
    return UnreadableError(f"This file is {foreign.name}{aside}; {foreign.remedy}.")


def _with_name_remark(reading: Reading, kind: FileKind, named: str) -> Reading:
    name, extensions = NAMES[kind]
    if named in extensions or not _SHOWABLE.fullmatch(named):
        return reading
    message = f"The name of this file ends in {named}, but it holds {name} and was read so."
    return replace(reading, remarks=(Remark(NoteKind.NAME, message), *reading.remarks))
