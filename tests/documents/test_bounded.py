"""The process that reads a file: same document, and no file takes more than its limits."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import subprocess
import sys
import time
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import DEFAULT_LIMITS, Limits, UnreadableError, pack, read, read_bounded, unpack
from documents.errors import LimitError
from documents.zipped import Zipped, check_safe_xml
from tests.documents.pdf_writer import PdfWriter
from tests.documents.reference import shared_bytes

ROOT = Path(__file__).resolve().parents[2]
TEXT = "# Visits\n\nA visit is allowed if:\n\n- the host agrees; and\n- a badge is free.\n"


def run(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "documents.read", *arguments],
        input=data,
        capture_output=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )


def test_the_process_reads_what_the_function_reads() -> None:
    data = TEXT.encode()
    assert read_bounded(data, filename="visits.md") == read(data, filename="visits.md")


def test_a_pdf_and_its_notes_come_through() -> None:
    writer = PdfWriter(script="x")
    writer.page().text(60, 700, "Guests wear a badge.")
    document = read_bounded(writer.data(), filename="visits.pdf")
    assert document == read(writer.data(), filename="visits.pdf")
    assert document.notes


def test_the_owners_abbreviations_come_through() -> None:
    data = b"Ask the Abt. Leiter first."
    assert len(read_bounded(data, filename="a.txt").sentences) == 2
    given_one = read_bounded(data, filename="a.txt", abbreviations=["Abt."])
    assert len(given_one.sentences) == 1


def test_a_refusal_comes_through_as_the_same_sentence() -> None:
    for data in (b"", b"\x89PNG\r\n\x1a\n123", b"bad \xff utf", b"---\n"):
        with pytest.raises(UnreadableError) as here:
            read(data, filename="a.txt")
        with pytest.raises(UnreadableError) as there:
            read_bounded(data, filename="a.txt")
        assert str(there.value) == str(here.value)


def test_a_limit_comes_through_with_its_name() -> None:
    with pytest.raises(LimitError, match="more than 2 sentences") as caught:
        read_bounded(b"One. Two. Three.", filename="a.txt", limits=Limits(sentences=2))
    assert caught.value.limit == "sentences"


def test_time_is_limited() -> None:
    text = "".join(f"Rule {n} applies to item {n} of list {n}.\n\n" for n in range(100_000))
    before = time.monotonic()
    with pytest.raises(LimitError, match=r"took longer than 0\.5 seconds") as caught:
        read_bounded(text.encode(), filename="a.txt", limits=Limits(seconds=0.5))
    assert caught.value.limit == "seconds"
    assert time.monotonic() - before < 5


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by Linux")
def test_memory_is_limited() -> None:
    text = "".join(f"Rule {n} applies to item {n} of list {n}.\n\n" for n in range(100_000))
    with pytest.raises(LimitError, match="more than 120 MB of memory") as caught:
        read_bounded(text.encode(), filename="a.txt", limits=Limits(memory=120_000_000))
    assert caught.value.limit == "memory"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by Linux")
def test_a_pdf_that_grows_without_end_is_stopped() -> None:
    stream = zlib.compress(b"BT /F1 9 Tf (Guests sign in.) Tj ET\n" * 15_000_000, 9)
    writer = PdfWriter()
    writer.page().text(60, 700, "Guests wear a badge.")
    plain = writer.data()
    start, end = plain.index(b"stream\n", plain.index(b"/FlateDecode")), plain.rindex(b"endstream")
    data = plain[: start + 7] + stream + b"\n" + plain[end:]
    assert len(data) < 4_000_000
    before = time.monotonic()
    with pytest.raises(UnreadableError, match=r"memory|longer"):
        read_bounded(data, filename="a.pdf", limits=Limits(seconds=20, memory=400_000_000))
    assert time.monotonic() - before < 25


def test_the_environment_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}
    original = subprocess.run

    def spy(*arguments: object, **options: object) -> object:
        seen.update(options["env"])  # type: ignore[call-overload]
        return original(*arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setenv("POLICYWRIGHT_SECRET_KEY", "hush")
    monkeypatch.setattr("documents.bounded.subprocess.run", spy)
    read_bounded(b"Guests sign in.", filename="a.txt")
    assert "POLICYWRIGHT_SECRET_KEY" not in seen
    assert set(seen) <= set(os.environ)


def test_the_command_prints_one_document_for_each_file(tmp_path: Path) -> None:
    good, empty = tmp_path / "good.md", tmp_path / "empty.txt"
    good.write_text(TEXT)
    empty.write_bytes(b"")
    done = run(str(good), str(empty))
    assert done.returncode == 2
    first, second = done.stdout.decode().splitlines()
    assert unpack(first) == read(TEXT.encode(), filename="good.md")
    assert json.loads(second) == {"error": done.stderr.decode().strip()}
    assert "empty" in done.stderr.decode()


def test_the_command_reads_a_pipe_and_names_a_missing_file() -> None:
    done = run("-", "--name", "a.md", data=TEXT.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert unpack(done.stdout.decode()).media_type == "text/markdown"
    missing = run("no-such-file.txt")
    assert missing.returncode == 2
    assert missing.stderr.decode() == "The file cannot be opened: No such file or directory.\n"


def test_only_the_reader_that_is_needed_is_loaded() -> None:
    code = (
        "import sys, documents\n"
        "documents.read(b'Guests sign in.', filename='a.txt')\n"
        "heavy = {'pypdfium2', 'pdfplumber', 'lxml', 'docx', 'mammoth', 'selectolax', 'PIL'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().strip() == "[]"


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=300))
def test_packing_and_unpacking_is_the_identity(text: str) -> None:
    try:
        document = read(f"# {text}\n\n- a (b) {text}\n".encode(errors="ignore"), filename="a.md")
    except UnreadableError:
        return
    assert unpack(pack(document)) == document


@pytest.mark.parametrize("change", ["{}", "[]", "[1]", "null", '"a"', "nonsense"])
def test_what_is_no_document_is_not_unpacked(change: str) -> None:
    with pytest.raises(ValueError, match=r"expected|Expecting"):
        unpack(change)


def test_a_document_with_wrong_values_is_not_unpacked() -> None:
    packed = json.loads(pack(read(TEXT.encode(), filename="a.md")))
    for place, value in [(0, 7), (1, None), (4, [["heading"]]), (5, 3), (5, [[0, "1"]])]:
        wrong = [*packed[:place], value, *packed[place + 1 :]]
        with pytest.raises(ValueError, match="expected"):
            unpack(json.dumps(wrong))


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_fr_40_a_file_that_announces_much_is_refused_before_it_is_unpacked() -> None:
    data = shared_bytes("cases", "files", "fr-40-expands-64-mib.docx")
    before = time.process_time()
    with pytest.raises(LimitError, match="more than 50,000,000 bytes when it is unpacked"):
        Zipped(data, DEFAULT_LIMITS)
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (replace(DEFAULT_LIMITS, unpacked=3_000_000, ratio=10_000), "unpacked"),
        (replace(DEFAULT_LIMITS, ratio=100), "ratio"),
    ],
)
def test_fr_40_each_limit_of_an_archive_is_held(limits: Limits, limit: str) -> None:
    with pytest.raises(LimitError) as caught:
        Zipped(zipped({"word/document.xml": b" " * 5_000_000}), limits)
    assert caught.value.limit == limit


def test_fr_40_what_an_archive_announces_is_not_believed() -> None:
    data = zipped({"word/document.xml": b" " * 60_000_000})
    size = (60_000_000).to_bytes(4, "little")
    assert data.count(size) == 2, "the size stands in both headers"
    before = time.process_time()
    lying = Zipped(data.replace(size, (9_000).to_bytes(4, "little")), DEFAULT_LIMITS)
    with pytest.raises(UnreadableError, match="damaged"):
        lying.read("word/document.xml")
    assert time.process_time() - before < 1, "no more is unpacked than was announced"


def test_fr_40_all_files_inside_count_together() -> None:
    limits = replace(DEFAULT_LIMITS, unpacked=2_500_000)
    archive = Zipped(zipped({f"{n}": os.urandom(800_000) for n in range(3)}), limits)
    small = replace(limits, unpacked=2_000_000)
    with pytest.raises(LimitError, match="2,000,000 bytes"):
        Zipped(zipped({f"{n}": os.urandom(800_000) for n in range(3)}), small)
    archive.read("0")
    archive.read("1")
    archive.read("2")
    with pytest.raises(LimitError, match="2,500,000 bytes"):
        archive.read("0")


def test_too_many_files_inside_are_refused() -> None:
    with pytest.raises(LimitError, match="packed from 6 files, and 5 are the most"):
        Zipped(zipped({str(n): b"" for n in range(6)}), replace(DEFAULT_LIMITS, entries=5))


def test_fr_40_entities_are_refused_and_not_expanded() -> None:
    bomb = b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    with pytest.raises(UnreadableError, match="declares entities"):
        check_safe_xml(bomb, DEFAULT_LIMITS)


def test_deep_and_wide_xml_is_refused() -> None:
    deep = b"<a>" * 201 + b"</a>" * 201
    with pytest.raises(LimitError, match="deeper than 200 levels"):
        check_safe_xml(deep, DEFAULT_LIMITS)
    wide = b"<a>" + b"<b/>" * 50 + b"</a>"
    with pytest.raises(LimitError, match="more than 50 elements"):
        check_safe_xml(wide, replace(DEFAULT_LIMITS, xml_nodes=50))
    with pytest.raises(UnreadableError, match="damaged"):
        check_safe_xml(b"<a><b></a>", DEFAULT_LIMITS)


def test_a_broken_archive_is_refused() -> None:
    for data in (b"PK\x03\x04 nothing", zipped({"a": b"x" * 500})[:-30]):
        with pytest.raises(UnreadableError, match="damaged"):
            Zipped(data, DEFAULT_LIMITS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_damage_to_a_pdf_ends_otherwise_than_in_a_sentence(seed: int) -> None:
    rng = random.Random(seed)
    writer = PdfWriter(title="Visits")
    page = writer.page()
    page.text(60, 760, "Guests sign in.")
    page.grid(60, 700, [100, 100], 20, [["Guest", "Days"], ["Auditor", "3"], ["Host", "5"]])
    whole = writer.data()
    for _ in range(25):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 4, 30])):
            at = rng.randrange(len(data))
            if rng.random() < 0.5:
                data[at] = rng.randrange(256)
            else:
                del data[at : at + rng.randrange(60)]
        # Anything but a document or an UnreadableError fails the test.
        with contextlib.suppress(UnreadableError):
            assert read_bounded(bytes(data), filename="a.pdf", limits=Limits(seconds=30)).text
