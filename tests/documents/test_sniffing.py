"""What a file is, is told by its content; in which letters, by its mark or what it names."""

from __future__ import annotations

import pytest

from documents import ChoiceNeededError, NoteKind, UnreadableError, read, read_bounded
from documents.sniffing import FileKind, find_kind
from tests.documents.pdf_writer import PdfWriter
from tests.documents.reference import quotes, shared_bytes

PAGE = "<!DOCTYPE html><title>Visits</title><p>Guests sign in.</p>"


def small_pdf() -> bytes:
    writer = PdfWriter()
    writer.page().text(60, 700, "Guests sign in.")
    return writer.data()


FILES = {
    "plain text": b"Guests sign in.",
    "a web page (HTML)": PAGE.encode(),
    "a PDF": small_pdf(),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("ending", [".docx", ".pdf", ".html", ".txt", ".exe"])
def test_fr_45_each_kind_is_read_under_any_name_and_said(name: str, ending: str) -> None:
    document = read(FILES[name], filename=f"../../policy{ending}")
    assert quotes(document) == ["Guests sign in."]
    own = {"plain text": ".txt", "a web page (HTML)": ".html", "a PDF": ".pdf"}[name]
    said = [note.message for note in document.notes if note.kind is NoteKind.NAME]
    expected = f"The name of this file ends in {ending}, but it holds {name} and was read so."
    assert said == ([] if ending == own else [expected])


@pytest.mark.parametrize(
    ("data", "named", "kind"),
    [
        (b"<p>Guests</p><p>sign in.</p>", "", FileKind.HTML),
        (b"<!-- exported --> \n<html><body>Guests", ".txt", FileKind.HTML),
        (b"<?xml version='1.0'?>\n<!DOCTYPE html><html>", "", FileKind.HTML),
        ("<html>".encode("utf-16"), "", FileKind.HTML),
        (b"\xef\xbb\xbf<HTML>", "", FileKind.HTML),
        (b"Guests <b>sign</b> in <p>twice", ".htm", FileKind.HTML),
        (b"<div align=center>\n<p>logo</p></div>\n\n# Visits\n", ".md", FileKind.TEXT),
        (b"<5 guests may enter; <p> is a tag.", "", FileKind.TEXT),
        (b"The file begins with %PDF-1.7, they say.", "", FileKind.TEXT),
        (b"\x00\x01junk\x00\x02\x03" + small_pdf(), "", FileKind.PDF),
        (b"BMW drivers park in the yard.", "", FileKind.TEXT),
        (b"MZ is a unit. II*ne. GIF files are refused.", "", FileKind.TEXT),
    ],
)
def test_kinds_are_told_apart(data: bytes, named: str, kind: FileKind) -> None:
    assert find_kind(data, named) is kind


@pytest.mark.parametrize(
    ("encoding", "label"),
    [
        ("cp1252", "windows-1252"),
        ("cp1252", "iso-8859-1"),
        ("iso8859-15", "ISO-8859-15"),
        ("utf-8", "utf-8"),
        ("utf-16", "utf-16"),
        ("koi8-r", "koi8-r"),
        ("shift_jis", "shift_jis"),
    ],
)
def test_a_web_page_is_read_in_the_encoding_that_it_names(encoding: str, label: str) -> None:
    word = {"koi8-r": "гости", "shift_jis": "来客"}.get(
        encoding, "Gäste–€" if encoding != "iso8859-15" else "Gäste€"
    )
    source = f"<html><meta charset='{label}'><p>All {word} sign in.</p>"
    assert quotes(read(source.encode(encoding), filename="a.html")) == [f"All {word} sign in."]


def test_an_xhtml_page_names_its_encoding_in_its_first_line() -> None:
    source = "<?xml version='1.0' encoding='iso-8859-1'?><html><p>Gäste sign in.</p></html>"
    assert quotes(read(source.encode("latin-1"), filename="a.xhtml")) == ["Gäste sign in."]


@pytest.mark.parametrize("label", ["x-klingon", "utf-7", "unicode_escape", "hex", "idna"])
def test_an_encoding_that_no_browser_knows_is_refused(label: str) -> None:
    source = f"<html><meta charset={label}><p>Guests sign in.</p>"
    with pytest.raises(UnreadableError, match=r"names an encoding that is not known; save it"):
        read(source.encode(), filename="a.html")


def test_letters_that_are_not_of_the_named_encoding_are_refused() -> None:
    with pytest.raises(UnreadableError, match=r"Byte 27 .* not valid shift_jis"):
        read(b"<meta charset=shift_jis><p>\x81", filename="a.html")
    with pytest.raises(UnreadableError, match=r"Byte \d+ in line 1 .* not valid UTF-8"):
        read(b"<html><p>G\xe4ste sign in.", filename="a.html")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_right_to_left_text_is_kept_as_it_is_written(encoding: str) -> None:
    text = "על כל אורח לחתום ביומן. יש ללבוש תג מספר 12."
    document = read(text.encode(encoding), filename="a.txt")
    assert document.text == text
    assert len(document.sentences) == 2
    assert not document.notes


def test_fr_35_the_question_of_a_word_file_comes_out_of_its_process() -> None:
    data = shared_bytes("cases", "files", "fr-35-tracked-changes.docx")
    with pytest.raises(ChoiceNeededError) as here:
        read(data, filename="a.docx")
    with pytest.raises(ChoiceNeededError) as there:
        read_bounded(data, filename="a.docx")
    assert there.value.choice == here.value.choice
    for value, _ in there.value.choice.options:
        choices = {there.value.choice.name: value}
        document = read_bounded(data, filename="a.docx", choices=choices)
        assert document == read(data, filename="a.docx", choices=choices)
        assert document.choices == tuple(choices.items())


def test_a_name_that_plain_text_may_have_is_not_remarked_on() -> None:
    for name in ("rules.txt", "rules.md", "rules.rst"):
        assert read(b"Staff must book early.", filename=name).notes == ()
