"""Files that cannot become a document: each gets one sentence that says what to do."""

from __future__ import annotations

import io
import time
import zipfile

import pytest

from documents import NoteKind, UnreadableError, read
from documents.limits import DEFAULT_LIMITS
from tests.documents.reference import quotes, read_shared, read_text, shared_bytes

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return buffer.getvalue()


REFUSED = [
    (b"", "a.txt", "empty"),
    (b" \r\n\t\n", "a.txt", "blank space"),
    (b"\xef\xbb\xbf", "a.txt", "blank space"),
    (b"x" * DEFAULT_LIMITS.bytes, "a.txt", "smaller than 10 MB"),
    (b"a.\n" * 500_001, "a.txt", "at most 500,000"),
    (PNG, "policy.pdf", "a picture (PNG), although its name ends in .pdf"),
    (PNG, "policy.png", "This file is a picture (PNG); run text recognition"),
    (b"\xff\xd8\xff\xe0 JFIF", "a", "a picture (JPEG)"),
    (b"%PDF-1.7\n", "a.pdf", "This PDF is damaged"),
    (zipped("xl/workbook.xml"), "a.xlsx", "a spreadsheet"),
    (zipped("other.bin"), "a.txt", "a zip archive, although its name ends in .txt"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 9,
        "a.doc",
        "an old Office file, or a locked one",
    ),
    (b"{\\rtf1 Visitors sign in.}", "a.rtf", "rich text"),
    (b"RIFF\0\0\0\0WEBPVP8 ", "a.docx", "a picture (WebP), although"),
    (b"<?xml version='1.0'?><note>Visitors.</note>", "a.html", "an XML file"),
    (zipped("mimetype", "ppt/slides.xml"), "a.pptx", "a presentation"),
    (b"MIME-Version: 1.0\nSubject: Policy\n\nVisitors.", "a.html", "a saved message"),
    (bytes(range(256)) * 4, "a.txt", "not a document"),
    (b"One.\nTwo \xe9 three.", "a.txt", "Byte 9 in line 2 of this file is not valid UTF-8"),
    (b"One.\nHalf \xed\xa0\x80 here.", "a.txt", "Line 2 holds half of a character"),
    (b"\xff\xfe\x00\xd8a\x00", "a.txt", "not valid UTF-16"),
    (b"One.\nTwo\x00.", "a.txt", "Line 2 of this file holds a NUL character"),
    (b"# Only\n\n## Headings\n", "a.md", "holds no sentence"),
    (b"---\n***\n...\n", "a.txt", "holds no sentence"),
    (("a" + "\u0301" * 40 + ".").encode(), "a.txt", "more than 30 accents"),
    (b"> " * 200 + b"Too deep.", "a.md", "nested deeper than 30 levels"),
    (b"- " * 200 + b"Too deep.", "a.md", "nested deeper than 30 levels"),
]


@pytest.mark.parametrize(("data", "filename", "said"), REFUSED, ids=[row[2] for row in REFUSED])
def test_a_refusal_is_one_sentence_that_says_what_is_wrong(
    data: bytes, filename: str, said: str
) -> None:
    with pytest.raises(UnreadableError) as caught:
        read(data, filename=filename)
    message = str(caught.value)
    assert said in message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 250
    assert ";" in message, "it says what to do"


def test_a_hostile_name_is_not_repeated() -> None:
    with pytest.raises(UnreadableError) as caught:
        read(PNG, filename="../../etc/passwd.<script>")
    assert "passwd" not in str(caught.value)
    assert "script" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood_and_dropped(encoding: str) -> None:
    document = read("Naïve visitors sign in.".encode(encoding), filename="a.txt")
    assert document.text == "Naïve visitors sign in."


def test_one_line_of_200_kb_is_read_quickly() -> None:
    line = "Trips exceeding EUR 1,000 require line-manager approval. " * 3600
    before = time.process_time()
    document = read(line.encode(), filename="a.txt")
    assert time.process_time() - before < 10
    assert len(document.sentences) == 3600
    assert len(read(b"x" * 200_000, filename="a.md").sentences) == 1


@pytest.mark.parametrize(
    "unit", ["[", "![", "*a ", "_a", "<", "&", "“x ", "(a)", "(a) ", "<!--", "<a ", "`` ` ", "|a"]
)
def test_200_kb_made_to_be_slow_is_not(unit: str) -> None:
    before = time.process_time()
    for name in ("a.txt", "a.md"):
        read(b"Visitors sign in. " + (unit * (200_000 // len(unit))).encode(), filename=name)
    assert time.process_time() - before < 30


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
@pytest.mark.parametrize("end", [" ", "\n\n"])
def test_one_byte_less_than_10_mb_is_read(name: str, end: str) -> None:
    text = ("Trips exceeding EUR 1,000 require line-manager approval." + end) * 180_000
    document = read(text.encode()[: DEFAULT_LIMITS.bytes - 1], filename=name)
    assert len(document.sentences) > 170_000


def test_fr_45_not_what_the_name_says() -> None:
    files = ("cases", "files")
    for name, said in [
        ("fr-45-empty.pdf", "empty"),
        ("fr-45-picture-named-as.pdf", "a picture (PNG), although its name ends in .pdf"),
        ("fr-38-scanned.pdf", "Page 1 of 1 has no text, and this PDF looks scanned; run text"),
    ]:
        with pytest.raises(UnreadableError) as caught:
            read(shared_bytes(*files, name), filename=name)
        assert said in str(caught.value)
    document = read_shared(*files, "fr-45-text-named-as.docx")
    assert document.sentences
    assert [note.kind for note in document.notes] == [NoteKind.NAME]


def test_fr_45_text_under_another_name_is_read_and_said() -> None:
    document = read_text("Visitors sign in.", "policy.docx")
    assert quotes(document) == ["Visitors sign in."]
    (note,) = document.notes
    assert note.kind is NoteKind.NAME
    assert ".docx" in note.message
