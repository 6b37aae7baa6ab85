"""Reads a PDF that holds text: its words in reading order, with pages, headings and tables.

What nobody sees, what is printed on every page and what is a picture is not read,
and a remark says so. Nothing inside the file is run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from documents.errors import UnreadableError
from documents.limits import Limits
from documents.parts import Part, Reading, Remark
from documents.pdf_blocks import Builder
from documents.pdf_body import PageItems, all_lines, find_body, take_footnotes
from documents.pdf_headings import heading_styles
from documents.pdf_hyphens import Vocabulary
from documents.pdf_layout import Line, Table
from documents.pdf_order import read_order, take_contents
from documents.pdf_page import Page, PdfFile
from documents.pdf_remarks import OCR, PageRemarks, letters_on, say_running
from documents.pdf_repeats import take_repeated
from documents.pdf_runs import Run
from documents.pdf_shapes import Box
from documents.pdf_tables import find_tables, inside
from documents.structure import BlockKind, NoteKind

MEDIA_TYPE = "application/pdf"

# What programs write into a title that nobody gave.
_NO_TITLE = re.compile(r"(?:untitled|about:blank|.*\.(?:docx?|pdf|indd|html?))?", re.IGNORECASE)


def read_pdf(data: bytes, limits: Limits) -> Reading:
    """Read the bytes of a PDF.

    Raises UnreadableError for a file that is locked, damaged or has no text, and
    LimitError for one of too many pages.
    """
    file = PdfFile(data, limits)
    pages: list[Page] = []
    tables: dict[int, list[Table]] = {}
    remarks = _remark_on(file)
    try:
        for page in file.pages():
            page.show_recognized()
            remarks.look_at(page)
            tables[page.number] = find_tables(page)
            page.shapes.forget_lines()
            pages.append(page)
        title = file.title
    finally:
        file.close()
    _refuse_without_text(pages)
    celled = {id(run) for page in pages for run in _in_tables(page.runs, tables[page.number])}
    for running in take_repeated(pages, celled):
        remarks.add_message(NoteKind.LEFT_OUT, say_running(*running))
    _refuse_without_text(pages)
    parts = _build(_lay_out(pages, tables, remarks))
    if _NO_TITLE.fullmatch(title):
        title = _first_heading(parts)
    return Reading(MEDIA_TYPE, title, parts, tuple(_placed(remarks, parts)))


def _remark_on(file: PdfFile) -> PageRemarks:
    remarks = PageRemarks(file.count)
    if file.has_scripts:
        message = "This PDF holds scripts; they were not run and are not read."
        remarks.add_message(NoteKind.MACRO, message)
    if file.attachments:
        message = f"This PDF carries other files ({file.attachments:,}); they were not read."
        remarks.add_message(NoteKind.LEFT_OUT, message)
    return remarks


def _refuse_without_text(pages: Sequence[Page]) -> None:
    count = len(pages)
    if any(letters_on(page) for page in pages):
        return
    if any(run.hidden for page in pages for run in page.runs):
        raise UnreadableError(
            "This PDF holds only text that nobody sees; print what you see to a new PDF and "
            "upload that."
        )
    if any(page.lost for page in pages):
        raise UnreadableError(
            "The fonts of this PDF do not say which letters they show, so its text cannot be "
            f"read; {OCR}."
        )
    which = "Page 1 of 1 has no text" if count == 1 else f"None of the {count:,} pages has text"
    raise UnreadableError(f"{which}, and this PDF looks scanned; {OCR}.")


def _lay_out(
    pages: Sequence[Page], tables: Mapping[int, Sequence[Table]], remarks: PageRemarks
) -> list[PageItems]:
    """The lines and tables of each page in reading order."""
    result: list[PageItems] = []
    for page in pages:
        if not letters_on(page):
            continue
        runs = [run for run in page.runs if not run.hidden and run.text.strip()]
        items: list[Line | Table] = []
        for angle in sorted({run.angle for run in runs}):
            turned = [run for run in runs if run.angle == angle]
            placed = tables[page.number] if angle == 0 else []
            celled = set(map(id, _in_tables(turned, placed)))
            loose = [run for run in turned if id(run) not in celled]
            order = read_order(loose, placed, page.number)
            items += order.items
            if order.columns > 1:
                remarks.add("columns", page.number)
            if order.doubtful:
                remarks.add("doubtful", page.number)
            if any(isinstance(item, Table) and not item.ruled for item in order.items):
                remarks.add("loose table", page.number)
            if angle and len(turned) < len(runs):
                remarks.add("sideways", page.number)
        items, has_contents = take_contents(items)
        if has_contents:
            remarks.add("contents", page.number)
        result.append(PageItems(page.number, items))
    return result


def _in_tables(runs: Sequence[Run], tables: Iterable[Table]) -> list[Run]:
    boxes = [Box(one.left, one.bottom, one.right, one.top) for one in tables]
    return [run for box in boxes for run in inside(runs, box) if run.angle == 0]


def _build(pages: Sequence[PageItems]) -> tuple[Part, ...]:
    lines = list(all_lines(pages))
    cells = [
        text
        for page in pages
        for item in page.items
        if isinstance(item, Table)
        for row in item.rows
        for cell in row
        for text in cell.lines
    ]
    words = Vocabulary([*(line.text for line in lines), *cells])
    body = find_body(lines)
    for page in pages:
        take_footnotes(page, body)
    builder = Builder(body, words, heading_styles(pages, body))
    for at, page in enumerate(pages):
        builder.add(page, next((one for after in pages[at + 1 :] for one in after.items), None))
    return builder.finish()


def _first_heading(parts: Sequence[Part]) -> str:
    """The document's title where it is printed: a heading of the first level on the first page."""
    first = next((part for part in parts if part.kind is BlockKind.HEADING), None)
    is_title = first is not None and first.level == 1 and first.page == 1
    return " ".join(first.text.split()) if first is not None and is_title else ""


def _placed(remarks: PageRemarks, parts: Sequence[Part]) -> Iterable[Remark]:
    """Each remark before the first part of its page."""
    reached = list(accumulate((part.page for part in parts), max))
    for kind, message, page in remarks.messages():
        yield Remark(kind, message, bisect_left(reached, page))
