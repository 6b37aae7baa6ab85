"""Opens a PDF and takes its pages apart: words with their places, shapes, and what is unread.

Only the modules `pdf_page`, `pdf_runs` and `pdf_shapes` know pypdfium2. It is not safe
to use from two threads at once; `documents.read` gives every file its own process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from documents.errors import UnreadableError
from documents.limits import Limits, check_pages
from documents.pdf_runs import MARKS, Run, read_runs
from documents.pdf_shapes import Frame, Shapes, read_shapes

# A page has no more bullets than this.
_MAX_DOTS = 200


@dataclass(slots=True)
class Page:
    """One page. `lost` counts letters without text; `unread` names what lies on the page.

    `recognized` is true where the words over a scanned picture were taken for its text.
    """

    number: int
    width: float
    height: float
    runs: list[Run]
    lost: int
    shapes: Shapes
    unread: list[str] = field(default_factory=list)
    recognized: bool = False

    @property
    def is_picture(self) -> bool:
        """True where a picture covers most of the page, as in a scan."""
        return any(box.area > 0.5 * self.width * self.height for box in self.shapes.pictures)

    def show_recognized(self) -> None:
        """Take the invisible text over a scan for what it is: the words recognised in it."""
        if self.is_picture:
            for run in self.runs:
                if run.hidden == "invisible":
                    run.hidden = ""
                    self.recognized = True


class PdfFile:
    """An open PDF. `pages` reads one page after the other, so that memory stays small."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        """Raises UnreadableError for a locked or damaged file, LimitError for too many pages."""
        try:
            self._document = pdfium.PdfDocument(data)
            count = len(self._document)
        except pdfium.PdfiumError as error:
            raise _refusal(error) from error
        if not count:
            raise _damaged()
        check_pages(count, limits)
        self.count = count

    @property
    def title(self) -> str:
        """The title that its maker wrote into it, with blanks collapsed; '' where there is none."""
        title = " ".join(self._document.get_metadata_value("Title").split())
        return "".join(one for one in title if one.isprintable() and one not in MARKS)

    @property
    def has_scripts(self) -> bool:
        return bool(raw.FPDFDoc_GetJavaScriptActionCount(self._document) > 0)

    @property
    def attachments(self) -> int:
        return int(raw.FPDFDoc_GetAttachmentCount(self._document))

    def pages(self) -> Iterator[Page]:
        """Each page in turn. Raises UnreadableError naming a page that cannot be read."""
        for index in range(self.count):
            try:
                page = self._document[index]
                words = page.get_textpage()
                read = _read_page(index + 1, page, words)
                words.close()
                page.close()
            except pdfium.PdfiumError as error:
                raise UnreadableError(
                    f"Page {index + 1:,} of this PDF is damaged; print the document to a new PDF "
                    "and upload that."
                ) from error
            yield read

    def close(self) -> None:
        self._document.close()


def _refusal(error: pdfium.PdfiumError) -> UnreadableError:
    code = raw.FPDF_GetLastError()
    if code == raw.FPDF_ERR_PASSWORD or "password" in str(error).lower():
        return UnreadableError(
            "This file needs a password; remove the password (print it to a new PDF) and upload "
            "it again."
        )
    if code == raw.FPDF_ERR_SECURITY or "security" in str(error).lower():
        return UnreadableError(
            "This PDF is locked in a way that is not understood; print it to a new PDF and upload "
            "that."
        )
    return _damaged()


def _damaged() -> UnreadableError:
    return UnreadableError(
        "This PDF is damaged and cannot be opened; print the document to a new PDF and upload that."
    )


def _read_page(number: int, page: pdfium.PdfPage, words: pdfium.PdfTextPage) -> Page:
    left, bottom, right, top = page.get_mediabox()
    frame = Frame(left, bottom, right, top, page.get_rotation())
    shapes = read_shapes(page, frame)
    runs, lost = read_runs(words, frame, frame.box(*page.get_cropbox()), shapes)
    width, height = page.get_size()
    result = Page(number, width, height, runs, lost, shapes)
    _add_drawn_bullets(result)
    _find_unread(page, result)
    return result


def _add_drawn_bullets(page: Page) -> None:
    """Take small drawn dots right before a line for what they are: browsers draw bullets so."""
    dots = [
        shape
        for shape in page.shapes.boxes
        if 2 <= shape.right - shape.left <= 7 and 2 <= shape.top - shape.bottom <= 7
    ]
    if len(dots) > _MAX_DOTS:
        return  # a drawing
    lines = [run for run in page.runs if run.angle == 0 and not run.hidden] if dots else []
    for dot in dots:
        middle = (dot.bottom + dot.top) / 2
        level = [run for run in lines if run.baseline < middle < run.baseline + 0.8 * run.size]
        right = [run for run in level if 0 < run.left - dot.right < 2 * run.size]
        if right and all(run.left > dot.right for run in level):
            first = min(right, key=lambda run: run.left)
            text = "•" if dot.filled else "◦"
            page.runs.append(Run(text, dot.left, dot.right, first.baseline, first.size, False))


def _find_unread(page: pdfium.PdfPage, result: Page) -> None:
    """Name what lies on the page as notes or form fields, which are not part of its text."""
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        one = raw.FPDFPage_GetAnnot(page, index)
        kind = raw.FPDFAnnot_GetSubtype(one)
        raw.FPDFPage_CloseAnnot(one)
        if kind in _UNREAD:
            result.unread.append(_UNREAD[kind])


_UNREAD = {
    raw.FPDF_ANNOT_TEXT: "a comment",
    raw.FPDF_ANNOT_FREETEXT: "a typed note",
    raw.FPDF_ANNOT_STRIKEOUT: "struck out words",
    raw.FPDF_ANNOT_WIDGET: "a form field",
    raw.FPDF_ANNOT_CARET: "a suggested insertion",
    raw.FPDF_ANNOT_REDACT: "a mark for redaction",
}
