"""Documents: how long and how much memory it takes to read one of 274 pages, of each format.

The text is ours and the same each time: 500 words a page in sections with clauses,
lists and a table. Each file is read by `python -m documents.read` in a process of its
own, as the server does; then it is unpacked and cut into spans. Lengths of a quarter,
a half and the whole show whether the cost is linear in pages.

    python -m benchmarks.documents [--runs N] [FORMAT...]
"""

from __future__ import annotations

import argparse
import html
import io
import os
import random
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from documents import spans, unpack
from tests.documents.pdf_writer import PdfPage, PdfWriter

PAGES = (68, 137, 274)
WORDS_A_PAGE = 455
ROOT = Path(__file__).resolve().parent.parent

_WHO = (
    "employee",
    "contractor",
    "manager",
    "visitor",
    "auditor",
    "supplier",
    "applicant",
    "member",
    "trainee",
    "host",
)
_WHAT = (
    "request",
    "claim",
    "trip",
    "badge",
    "order",
    "report",
    "invoice",
    "room",
    "device",
    "contract",
    "permit",
    "record",
)
_DOES = (
    "submits",
    "approves",
    "keeps",
    "returns",
    "checks",
    "signs",
    "closes",
    "records",
    "announces",
    "renews",
)
_WHEN = (
    "before the end of the month",
    "within 14 days of the decision",
    "at least 30 days in advance",
    "unless the amount is below EUR 1,000.00",
    "if a line manager has agreed in writing",
    "where section 4.2(b) does not say otherwise",
    "once the period of 6 months, e.g. from May to October, is over",
)


@dataclass(frozen=True)
class Section:
    """One section of a made document: a title, paragraphs, items and a table."""

    number: int
    paragraphs: list[str]
    items: list[str]
    rows: list[list[str]]

    @property
    def title(self) -> str:
        return f"{self.number} Rules on each {_WHAT[self.number % len(_WHAT)]}"


def make_sections(pages: int) -> list[Section]:
    """Sections of about a page each."""
    rng = random.Random(274)
    return [_make_section(rng, number) for number in range(1, pages + 1)]


def _make_section(rng: random.Random, number: int) -> Section:
    rows = [["Item", "Limit", "Who decides"]]
    if number % 3 == 0:
        rows += [[f"{_WHAT[at].capitalize()} {number}", f"{at * 50 + 5} EUR", rng.choice(_WHO)]
                 for at in range(5)]  # fmt: skip
    items = [_sentence(rng).rstrip(".") + (";" if at < 3 else ".") for at in range(4)]
    paragraphs: list[str] = []
    words = sum(len(" ".join(row).split()) for row in rows) + sum(len(i.split()) for i in items)
    while words < WORDS_A_PAGE:
        paragraphs.append(" ".join(_sentence(rng) for _ in range(rng.randint(2, 5))))
        words += len(paragraphs[-1].split())
    return Section(number, paragraphs, items, rows if len(rows) > 1 else [])


def _sentence(rng: random.Random) -> str:
    clause = (
        f"the {rng.choice(_WHO)} who {rng.choice(_DOES)} a {rng.choice(_WHAT)} must name the "
        f"{rng.choice(_WHAT)} and the {rng.choice(_WHO)} {rng.choice(_WHEN)}"
    )
    return f"{clause[0].upper()}{clause[1:]}."


def make_text(sections: list[Section]) -> bytes:
    pieces: list[str] = []
    for one in sections:
        pieces += [one.title, *(textwrap.fill(text, 78) for text in one.paragraphs)]
        pieces.append("All of these hold:\n" + "\n".join(_lettered(one.items)))
        pieces += [", ".join(row) + "." for row in one.rows]
    return "\n\n".join(pieces).encode()


def make_markdown(sections: list[Section]) -> bytes:
    pieces: list[str] = []
    for one in sections:
        pieces += [f"# {one.title}", *one.paragraphs, "All of these hold:"]
        pieces.append("\n".join(f"- {item}" for item in one.items))
        if one.rows:
            rule = ["---"] * len(one.rows[0])
            rows = [one.rows[0], rule, *one.rows[1:]]
            pieces.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    return "\n\n".join(pieces).encode()


def make_html(sections: list[Section]) -> bytes:
    pieces = ["<!doctype html><title>Rules</title>"]
    for one in sections:
        pieces.append(f"<h2>{html.escape(one.title)}</h2>")
        pieces += [f"<p>{html.escape(text)}</p>" for text in one.paragraphs]
        pieces.append("<p>All of these hold:</p><ol type=a>")
        pieces += [f"<li>{html.escape(item)}</li>" for item in one.items]
        pieces.append("</ol>")
        if one.rows:
            rows = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in one.rows[1:])
            pieces.append(f"<table><tr><th>{'</th><th>'.join(one.rows[0])}</th></tr>{rows}</table>")
    return "\n".join(pieces).encode()


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_LINKS = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)


def make_docx(sections: list[Section]) -> bytes:
    pieces: list[str] = []
    for one in sections:
        heading = '<w:pPr><w:pStyle w:val="Heading1"/><w:outlineLvl w:val="0"/></w:pPr>'
        pieces.append(_word_paragraph(one.title, heading))
        pieces += [_word_paragraph(text) for text in one.paragraphs]
        pieces.append(_word_paragraph("All of these hold:"))
        pieces += [_word_paragraph(item) for item in _lettered(one.items)]
        rows = "".join(
            f"<w:tr>{''.join(f'<w:tc>{_word_paragraph(cell)}</w:tc>' for cell in row)}</w:tr>"
            for row in one.rows
        )
        pieces.append(f"<w:tbl>{rows}</w:tbl>" if rows else "")
    body = f'<w:document xmlns:w="{_WORD}"><w:body>{"".join(pieces)}</w:body></w:document>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _LINKS)
        archive.writestr("word/document.xml", body)
    return buffer.getvalue()


def _word_paragraph(text: str, properties: str = "") -> str:
    """A paragraph in runs of five words, as Word cuts them where people edit."""
    words = text.split()
    pieces = [" ".join(words[at : at + 5]) for at in range(0, len(words), 5)]
    runs = "".join(
        f'<w:r><w:rPr><w:lang w:val="en-GB"/></w:rPr><w:t xml:space="preserve">'
        f"{html.escape(piece)} </w:t></w:r>"
        for piece in pieces
    )
    return f"<w:p>{properties}{runs}</w:p>"


def _lettered(items: list[str]) -> list[str]:
    return [f"({'abcd'[at]}) {item}" for at, item in enumerate(items)]


# The lowest line of a page, so that about 500 words stand above it.
_FOOT = 272


class _Sheets:
    """The pages of a PDF while it is set: a running header, a page number, lines of text."""

    def __init__(self) -> None:
        self.writer = PdfWriter(title="Rules")
        self.page = self._begin()

    def _begin(self) -> PdfPage:
        page = self.writer.page()
        page.text(60, 810, "Rules, in the edition of this year", size=8)
        page.text(480, 25, f"Page {len(self.writer.pages)}", size=8)
        self.page, self.y = page, 785.0
        return page

    def lines(
        self, lines: list[str], x: float = 60, size: float = 9, font: str = "Courier"
    ) -> None:
        for line in lines:
            if self.y < _FOOT:
                self._begin()
            self.page.text(x, self.y, line, size=size, font=font)
            self.y -= 11
        self.y -= 6

    def grid(self, rows: list[list[str]]) -> None:
        if self.y < _FOOT + 18 * len(rows):
            self._begin()
        self.page.grid(60, self.y, [120, 100, 120], 18, rows)
        self.y -= 18 * len(rows) + 22


def make_pdf(sections: list[Section]) -> bytes:
    sheets = _Sheets()
    for one in sections:
        sheets.lines([one.title], size=13, font="Helvetica-Bold")
        for text in one.paragraphs:
            sheets.lines(textwrap.wrap(text, 90))
        sheets.lines(["All of these hold:"])
        for item in _lettered(one.items):
            sheets.lines(textwrap.wrap(item, 84), x=75)
        if one.rows:
            sheets.grid(one.rows)
    return sheets.writer.data()


MAKERS: dict[str, Callable[[list[Section]], bytes]] = {
    "txt": make_text,
    "md": make_markdown,
    "html": make_html,
    "docx": make_docx,
    "pdf": make_pdf,
}


def measure(path: Path) -> tuple[float, float, float, int]:
    """Seconds to read, megabytes at the peak, seconds to unpack and cut, sentences."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-m", "documents.read", str(path)], cwd=ROOT, stdout=out
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{path.name} was not read")
        out.seek(0)
        packed = out.read().decode()
    start = time.perf_counter()
    document = unpack(packed)
    spans(document)
    return seconds, usage.ru_maxrss / 1_000, time.perf_counter() - start, len(document.sentences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", default=list(MAKERS), metavar="FORMAT")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    print("| format | pages | KB | sentences | read s | MB | unpack and split s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.formats:
            for pages in PAGES:
                data = MAKERS[name](make_sections(pages))
                path = Path(folder) / f"rules-{pages}.{name}"
                path.write_bytes(data)
                runs = [measure(path) for _ in range(given.runs)]
                read_s, memory, split_s, sentences = (
                    statistics.median(column) for column in zip(*runs, strict=True)
                )
                print(
                    f"| {name} | {pages} | {len(data) // 1_000:,} | {sentences:,.0f} | "
                    f"{read_s:.2f} | {memory:.0f} | {split_s:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
