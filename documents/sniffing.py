"""Says what bytes are that are not text, so that the refusal can name it."""

from __future__ import annotations

from dataclasses import dataclass

_REMEDY = "save its text as a .txt or .md file and upload that"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A type of file that is not read: its name in a sentence, its extensions, what to do."""

    name: str
    extensions: tuple[str, ...]
    remedy: str


_PICTURE_REMEDY = "upload the text of the policy as a .txt or .md file"

_SIGNATURES: tuple[tuple[int, bytes, Foreign], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", Foreign("a picture (PNG)", (".png",), _PICTURE_REMEDY)),
    (0, b"\xff\xd8\xff", Foreign("a picture (JPEG)", (".jpg", ".jpeg"), _PICTURE_REMEDY)),
    (0, b"GIF8", Foreign("a picture (GIF)", (".gif",), _PICTURE_REMEDY)),
    (8, b"WEBP", Foreign("a picture (WebP)", (".webp",), _PICTURE_REMEDY)),
    (0, b"II*\x00", Foreign("a picture (TIFF)", (".tif", ".tiff"), _PICTURE_REMEDY)),
    (0, b"MM\x00*", Foreign("a picture (TIFF)", (".tif", ".tiff"), _PICTURE_REMEDY)),
    (0, b"%PDF-", Foreign("a PDF, and PDF files are not read yet", (".pdf",), _REMEDY)),
    (0, b"{\\rtf", Foreign("rich text (RTF), which is not read", (".rtf",), _REMEDY)),
    (
        0,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        Foreign("an old or locked Office file, which is not read", (".doc", ".xls"), _REMEDY),
    ),
    (0, b"\x1f\x8b", Foreign("a gzip archive", (".gz", ".tgz"), "unpack it and upload the text")),
    (0, b"7z\xbc\xaf\x27\x1c", Foreign("a 7z archive", (".7z",), "unpack it and upload the text")),
    (0, b"Rar!", Foreign("a RAR archive", (".rar",), "unpack it and upload the text")),
    (0, b"\x7fELF", Foreign("a program", (), _PICTURE_REMEDY)),
    (0, b"MZ\x90\x00", Foreign("a program", (".exe", ".dll"), _PICTURE_REMEDY)),
)

# What is inside a zip is told by names that stand uncompressed in it.
_ZIPPED: tuple[tuple[bytes, Foreign], ...] = (
    (
        b"vbaProject.bin",
        Foreign("an Office file with macros, which is never read", (".docm", ".xlsm"), _REMEDY),
    ),
    (b"word/", Foreign("a Word file, and Word files are not read yet", (".docx",), _REMEDY)),
    (b"xl/", Foreign("a spreadsheet, which is not read", (".xlsx",), _REMEDY)),
    (b"ppt/", Foreign("a presentation, which is not read", (".pptx",), _REMEDY)),
    (
        b"application/vnd.oasis.opendocument",
        Foreign("an OpenDocument file, which is not read", (".odt", ".ods", ".odp"), _REMEDY),
    ),
)

_ZIP = Foreign("a zip archive", (".zip",), "unpack it and upload the text")
_HTML = Foreign("a web page (HTML), which is not read yet", (".html", ".htm", ".xhtml"), _REMEDY)
_BINARY = Foreign("not a text file", (), _PICTURE_REMEDY)

_HTML_STARTS = (b"<!doctype html", b"<html", b"<?xml")


def find_foreign(data: bytes) -> Foreign | None:
    """Name the type of `data` by its content; None where it may be text."""
    for offset, signature, foreign in _SIGNATURES:
        if data.startswith(signature, offset):
            return foreign
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return next((foreign for name, foreign in _ZIPPED if name in data), _ZIP)
    head = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith(_HTML_STARTS):
        return _HTML
    return _BINARY if _looks_binary(data[:4096]) else None


def _looks_binary(head: bytes) -> bool:
    """True where more than a tenth of the bytes are control characters, as no text has."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    controls = sum(byte < 9 or 13 < byte < 32 or byte == 127 for byte in head)
    return controls * 10 > len(head)
