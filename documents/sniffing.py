"""Says what the bytes of a file are, by what they hold and never by their name.

A kind that is read, or the name of one that is not, so that the refusal can say it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class FileKind(StrEnum):
    """A kind of file that is read."""

    TEXT = "text"
    HTML = "html"
    DOCX = "docx"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A type of file that is not read: its name in a sentence, its extensions, what to do."""

    name: str
    extensions: tuple[str, ...]
    remedy: str


MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd")

# How each kind that is read is called, and what its name may end in.
NAMES: dict[FileKind, tuple[str, tuple[str, ...]]] = {
    FileKind.TEXT: ("plain text", (".txt", ".text", *MARKDOWN_NAMES, ".rst")),
    FileKind.HTML: ("a web page (HTML)", (".html", ".htm", ".xhtml")),
    FileKind.DOCX: ("a Word document", (".docx", ".docm", ".dotx", ".dotm")),
    FileKind.PDF: ("a PDF", (".pdf",)),
}

_REMEDY = "save it as .docx, .pdf, .html, .md or .txt and upload that"
_PICTURE_REMEDY = "run text recognition (OCR) on it, or upload the text of the policy"
_UNPACK = "unpack it and upload the document inside"

_SIGNATURES: tuple[tuple[int, bytes, Foreign], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", Foreign("a picture (PNG)", (".png",), _PICTURE_REMEDY)),
    (0, b"\xff\xd8\xff", Foreign("a picture (JPEG)", (".jpg", ".jpeg"), _PICTURE_REMEDY)),
    (0, b"GIF8", Foreign("a picture (GIF)", (".gif",), _PICTURE_REMEDY)),
    (8, b"WEBP", Foreign("a picture (WebP)", (".webp",), _PICTURE_REMEDY)),
    (0, b"II*\x00", Foreign("a picture (TIFF)", (".tif", ".tiff"), _PICTURE_REMEDY)),
    (0, b"MM\x00*", Foreign("a picture (TIFF)", (".tif", ".tiff"), _PICTURE_REMEDY)),
    (4, b"ftyphei", Foreign("a picture (HEIC)", (".heic", ".heif"), _PICTURE_REMEDY)),
    (0, b"{\\rtf", Foreign("rich text (RTF), which is not read", (".rtf",), _REMEDY)),
    (
        0,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        Foreign(
            "an old Office file, or a locked one, which is not read",
            (".doc", ".xls", ".ppt"),
            "remove its password, save it as .docx and upload that",
        ),
    ),
    (0, b"\x1f\x8b", Foreign("a gzip archive", (".gz", ".tgz"), _UNPACK)),
    (0, b"7z\xbc\xaf\x27\x1c", Foreign("a 7z archive", (".7z",), _UNPACK)),
    (0, b"Rar!", Foreign("a RAR archive", (".rar",), _UNPACK)),
    (0, b"\x7fELF", Foreign("a program", (), _REMEDY)),
    (0, b"MZ\x90\x00", Foreign("a program", (".exe", ".dll"), _REMEDY)),
)

# What is inside a zip is told by names that stand uncompressed in it.
_WORD = b"word/"
_ZIPPED: tuple[tuple[bytes, Foreign], ...] = (
    (b"xl/", Foreign("a spreadsheet, which is not read", (".xlsx", ".xlsm"), _REMEDY)),
    (b"ppt/", Foreign("a presentation, which is not read", (".pptx", ".pptm"), _REMEDY)),
    (
        b"application/vnd.oasis.opendocument",
        Foreign("an OpenDocument file, which is not read", (".odt", ".ods", ".odp"), _REMEDY),
    ),
    (b"application/epub+zip", Foreign("an e-book, which is not read", (".epub",), _REMEDY)),
)

_ZIP = Foreign("a zip archive", (".zip",), _UNPACK)
_XML = Foreign("an XML file, which is not read", (".xml",), _REMEDY)
_MAIL = Foreign("a saved message or web archive", (".eml", ".mht", ".mhtml"), _REMEDY)
_BINARY = Foreign("not a document", (), _REMEDY)

_COMMENTS = re.compile(rb"(?:\s+|<!--.*?-->|<\?xml[^>]*\?>)*", re.DOTALL)
_HTML_START = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta)\b", re.IGNORECASE)
_HTML_PIECE = re.compile(
    rb"<(?:p|div|h[1-6]|ul|ol|table|section|article|main|span|nav|header)\b[^<>]*>", re.IGNORECASE
)
_MAIL_START = re.compile(
    rb"(?:MIME-Version|From|Subject): [^\n]*\n(?:[\w-]+: |[ \t])", re.IGNORECASE
)
# A PDF may begin with a few bytes of something else; the words alone are no PDF.
_PDF_HEADER = re.compile(rb"%PDF-\d\.\d")
_PDF_OBJECT = re.compile(rb"\d+ \d+ obj\b")
_HEAD = 4_096


def find_kind(data: bytes, named: str = "") -> FileKind | Foreign:
    """Say what `data` is by its content; what is no other kind is text.

    `named` is the extension of its name. It only decides whether a text that
    begins with a tag is a web page, or Markdown with a piece of one.
    """
    for offset, signature, foreign in _SIGNATURES:
        if data.startswith(signature, offset):
            return foreign
    if data.startswith(b"%PDF-") or (_PDF_HEADER.search(data[:_HEAD]) and _PDF_OBJECT.search(data)):
        return FileKind.PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        if _WORD in data:
            return FileKind.DOCX
        return next((foreign for name, foreign in _ZIPPED if name in data), _ZIP)
    head = _plain_head(data)
    if found := _find_markup(head, named):
        return found
    if _MAIL_START.match(head) and b"MIME-Version:" in head:
        return _MAIL
    return _BINARY if _looks_binary(data[:_HEAD]) else FileKind.TEXT


def _plain_head(data: bytes) -> bytes:
    """The first bytes without a byte order mark, UTF-16 as if it were ASCII."""
    head = data[:_HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head[2:].replace(b"\0", b"")
    return head.removeprefix(b"\xef\xbb\xbf")


def _find_markup(head: bytes, named: str) -> FileKind | Foreign | None:
    start = _COMMENTS.match(head)
    begin = head[start.end() :] if start else head
    if _HTML_START.match(begin):
        return FileKind.HTML
    if head.lstrip().startswith(b"<?xml"):
        return _XML
    pieces = len(_HTML_PIECE.findall(head))
    if named in NAMES[FileKind.HTML][1] and pieces:
        return FileKind.HTML
    begins = _HTML_PIECE.match(begin) is not None and named not in MARKDOWN_NAMES
    return FileKind.HTML if begins and pieces > 1 else None


def _looks_binary(head: bytes) -> bool:
    """True where more than a tenth of the bytes are control characters, as no text has."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    controls = sum(byte < 9 or 13 < byte < 32 or byte == 127 for byte in head)
    return controls * 10 > len(head)
