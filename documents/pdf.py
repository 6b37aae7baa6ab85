"""Reads a PDF that holds text: its words in reading order, with pages, headings and tables.

What nobody sees, what is printed on every page and what is a picture is not read,
and a remark says so. Nothing inside the file is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from documents.errors import UnreadableError
from documents.limits import Limits
from documents.parts import Part, Reading, Remark
from documents.pdf_blocks import (
    Builder,
    PageItems,
    all_lines,
    find_body,
    heading_styles,
    take_footnotes,
)
from documents.pdf_hyphens import Vocabulary
from documents.pdf_layout import Line, Table, read_order
from documents.pdf_page import Page, PdfFile
from documents.pdf_repeats import take_repeated
from documents.pdf_runs import Run, plain_text
from documents.pdf_shapes import Box
from documents.pdf_tables import find_tables, inside
from documents.structure import BlockKind, NoteKind

MEDIA_TYPE = "application/pdf"

_OCR = "run text recognition (OCR) on the file and upload the result"
_NO_TITLE = re.compile(r"(?:untitled|about:blank|.*\.(?:docx?|pdf|indd|html?))?", re.IGNORECASE)
_MAX_QUOTE = 80
# So large a share of letters without text makes a page unreadable.
_MAX_LOST = 0.2
# A picture of this share of the page may hold words.
_PICTURE_SHARE = 0.1


def read_pdf(data: bytes, limits: Limits) -> Reading:
    """Read the bytes of a PDF.

    Raises UnreadableError for a file that is locked, damaged or has no text, and
    LimitError for one of too many pages.
    """
    file = PdfFile(data, limits)
    try:
        pages = list(file.pages())
        _refuse_without_text(pages)
        remarks = [*_file_remarks(file), *_page_remarks(pages)]
        title = file.title
    finally:
        file.close()
    tables = {page.number: find_tables(page) for page in pages}
    celled = {id(run) for page in pages for run in _in_tables(page.runs, tables.get(page.number))}
    running = take_repeated(pages, celled)
    remarks += [(NoteKind.LEFT_OUT, _running_message(*one), 0) for one in running]
    items = _lay_out(pages, tables, remarks)
    parts = _build(items)
    first = next((one for one in parts if one.kind is BlockKind.HEADING), None)
    if _NO_TITLE.fullmatch(title):
        is_first = first is not None and first.level == 1 and first.page == 1
        title = " ".join(first.text.split()) if first and is_first else ""
    return Reading(MEDIA_TYPE, title, parts, tuple(_placed(remarks, parts)))


def _refuse_without_text(pages: Sequence[Page]) -> None:
    count = len(pages)
    if any(_has_text(page) for page in pages):
        return
    if any(run.hidden for page in pages for run in page.runs):
        raise UnreadableError(
            "This PDF holds only text that nobody sees; print what you see to a new PDF and "
            "upload that."
        )
    if any(page.lost for page in pages):
        raise UnreadableError(
            "The fonts of this PDF do not say which letters they show, so its text cannot be "
            f"read; {_OCR}."
        )
    which = "Page 1 of 1 has no text" if count == 1 else f"None of the {count:,} pages has text"
    raise UnreadableError(f"{which}, and this PDF looks scanned; {_OCR}.")


def _has_text(page: Page) -> bool:
    _show_recognized(page)
    letters = sum(len(run.text) for run in page.runs if not run.hidden)
    return letters > 0 and page.lost <= _MAX_LOST * (letters + page.lost)


def _show_recognized(page: Page) -> None:
    """Take the invisible text over a scanned page for what it is: the words recognised in it."""
    if page.is_picture:
        for run in page.runs:
            if run.hidden == "invisible":
                run.hidden = ""
                page.recognized = True


def _file_remarks(file: PdfFile) -> Iterable[tuple[NoteKind, str, int]]:
    if file.has_scripts:
        yield NoteKind.MACRO, "This PDF holds scripts; they were not run and are not read.", 0
    if file.attachments:
        message = f"This PDF carries {_count(file.attachments, 'attached file')} that was not read."
        yield NoteKind.LEFT_OUT, message.replace("s that was", "s that were"), 0


def _page_remarks(pages: Sequence[Page]) -> Iterable[tuple[NoteKind, str, int]]:
    empty = [
        page.number for page in pages if not _has_text(page) and (page.shapes.pictures or page.lost)
    ]
    if empty:
        message = (
            f"{_pages(empty)} of {len(pages):,} {_verb(empty, 'has', 'have')} no text and "
            f"{_verb(empty, 'looks', 'look')} scanned; what stands there was not read. To read it, "
            f"{_OCR}."
        )
        yield NoteKind.PICTURE, message, empty[0]
    recognized = [page.number for page in pages if page.recognized]
    if recognized:
        message = (
            f"{_pages(recognized)} {_verb(recognized, 'is a picture', 'are pictures')} with "
            "recognised text; compare it with the picture, since recognition makes mistakes."
        )
        yield NoteKind.PICTURE, message, recognized[0]
    for page in pages:
        yield from _hidden_remarks(page)
        if page.lost and page.number not in empty:
            message = (
                f"Page {page.number:,} shows {_count(page.lost, 'letter')} whose font does not say "
                "which they are; they are missing in the text."
            )
            yield NoteKind.LEFT_OUT, message, page.number
        large = [
            b for b in page.shapes.pictures if b.area > _PICTURE_SHARE * page.width * page.height
        ]
        if large and page.number not in (*empty, *recognized):
            message = f"Page {page.number:,} holds a picture; words in it are not read."
            yield NoteKind.PICTURE, message, page.number
        if page.shapes.crowded:
            message = (
                f"Page {page.number:,} is drawn with very many lines; a table on it is read as "
                "text, so check its order."
            )
            yield NoteKind.COLUMNS, message, page.number
        for what in sorted(set(page.unread)):
            message = f"Page {page.number:,} holds {what}, which is not part of the text."
            yield NoteKind.COMMENT, message, page.number


_WHY = {
    "invisible": "written to be invisible",
    "white": "written in white on white",
    "outside": "outside the page",
    "tiny": "too small to be read",
}


def _hidden_remarks(page: Page) -> Iterable[tuple[NoteKind, str, int]]:
    hidden = [run for run in page.runs if run.hidden and run.text.strip()]
    for why, runs in groupby(hidden, key=lambda run: run.hidden):
        message = (
            f"Page {page.number:,} holds hidden text, {_WHY[why]}, that was left out: "
            f"{_quote(plain_text(list(runs)))}."
        )
        yield NoteKind.HIDDEN_TEXT, message, page.number


def _running_message(text: str, first: int, count: int) -> str:
    return (
        f"{_quote(text)} stands at the same place of {_count(count, 'page')}, from page "
        f"{first:,} on, and was left out as a running line."
    )


def _quote(text: str) -> str:
    return f"`{text if len(text) <= _MAX_QUOTE else f'{text[:_MAX_QUOTE]}...'}`"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _verb(numbers: Sequence[int], one: str, more: str) -> str:
    return one if len(numbers) == 1 else more


def _pages(numbers: Sequence[int]) -> str:
    """'Page 3' or 'Pages 2, 4 to 6'."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    shown = [f"{one[0]:,}" if len(one) == 1 else f"{one[0]:,} to {one[-1]:,}" for one in ranges]
    return f"{'Page' if len(numbers) == 1 else 'Pages'} {', '.join(shown)}"


def _lay_out(
    pages: Sequence[Page],
    tables: Mapping[int, Sequence[Table]],
    remarks: list[tuple[NoteKind, str, int]],
) -> list[PageItems]:
    """The lines and tables of each page in reading order."""
    result: list[PageItems] = []
    for page in pages:
        runs = [run for run in page.runs if not run.hidden and run.text.strip()]
        if not _has_text(page):
            continue
        items: list[Line | Table] = []
        for angle in sorted({run.angle for run in runs}):
            turned = [run for run in runs if run.angle == angle]
            placed = tables.get(page.number, []) if angle == 0 else []
            celled = set(map(id, _in_tables(turned, placed)))
            loose = [run for run in turned if id(run) not in celled]
            order = read_order(loose, placed, page.number)
            items += order.items
            remarks += _layout_remarks(order.items, page.number, order.columns, order.doubtful)
            if angle and len(turned) < len(runs):
                message = (
                    f"Page {page.number:,} holds text that is turned sideways; it is read after "
                    "the rest of the page."
                )
                remarks.append((NoteKind.COLUMNS, message, page.number))
        result.append(PageItems(page.number, items))
    return result


def _in_tables(runs: Sequence[Run], tables: Iterable[Table] | None) -> list[Run]:
    boxes = [Box(one.left, one.bottom, one.right, one.top) for one in tables or ()]
    return [run for box in boxes for run in inside(runs, box) if run.angle == 0]


def _layout_remarks(
    items: Sequence[Line | Table], page: int, columns: int, doubtful: bool
) -> Iterable[tuple[NoteKind, str, int]]:
    if columns > 1:
        message = f"Page {page:,} has columns; they are read one after the other, left to right."
        yield NoteKind.COLUMNS, message, page
    if doubtful:
        message = f"Page {page:,} seems to have columns; check the order of its text."
        yield NoteKind.COLUMNS, message, page
    if any(isinstance(item, Table) and not item.ruled for item in items):
        message = f"Page {page:,} holds a table without lines; check its rows and cells."
        yield NoteKind.COLUMNS, message, page


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
        after = pages[at + 1].items[:1] if at + 1 < len(pages) else []
        builder.add(page, next((one for one in after if isinstance(one, Line)), None))
    return builder.finish()


def _placed(
    remarks: Sequence[tuple[NoteKind, str, int]], parts: Sequence[Part]
) -> Iterable[Remark]:
    """Each remark before the first part of its page."""
    for kind, message, page in sorted(remarks, key=lambda one: one[2]):
        at = next((at for at, part in enumerate(parts) if part.page >= page), len(parts))
        yield Remark(kind, message, at)
