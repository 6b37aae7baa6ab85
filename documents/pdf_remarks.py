"""What a person must know of a PDF beside its text, page by page: one sentence for each kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from documents.pdf_page import Page
from documents.pdf_runs import plain_text
from documents.saying import quote
from documents.structure import NoteKind

OCR = "run text recognition (OCR) on the file and upload the result"

# So large a share of letters without text makes a page unreadable.
_MAX_LOST = 0.2
# With fewer letters than this a page that is one picture is a scan, stamped with a number.
_FEW_LETTERS = 100
# A picture of this share of the page may hold words.
_PICTURE_SHARE = 0.1

# What is said of pages: the kind of note, what one page does, what several do, what to do.
_OF_PAGES = {
    "scan": (
        NoteKind.PICTURE,
        "has no text and looks scanned",
        "have no text and look scanned",
        f"; what stands there was not read. To read it, {OCR}",
    ),
    "stamped": (
        NoteKind.PICTURE,
        "is a picture with few words and looks scanned",
        "are pictures with few words and look scanned",
        f"; what the picture says was not read. To read it, {OCR}",
    ),
    "recognized": (
        NoteKind.PICTURE,
        "is a picture with recognised text",
        "are pictures with recognised text",
        "; compare it with the picture, since recognition makes mistakes",
    ),
    "picture": (
        NoteKind.PICTURE,
        "holds a picture",
        "hold pictures",
        "; words in a picture are not read",
    ),
    "lost": (
        NoteKind.LEFT_OUT,
        "shows letters whose font does not say which they are",
        "show letters whose font does not say which they are",
        "; they are missing in the text",
    ),
    "crowded": (
        NoteKind.COLUMNS,
        "is drawn with very many lines",
        "are drawn with very many lines",
        "; a table there is read as text, so check its order",
    ),
    "contents": (
        NoteKind.LEFT_OUT,
        "holds a table of contents",
        "hold a table of contents",
        "; its titles stand in the text, so it was left out",
    ),
    "columns": (
        NoteKind.COLUMNS,
        "has columns",
        "have columns",
        "; they are read one after the other, from left to right",
    ),
    "doubtful": (
        NoteKind.COLUMNS,
        "seems to have columns",
        "seem to have columns",
        "; check the order of the text",
    ),
    "loose table": (
        NoteKind.COLUMNS,
        "holds a table without lines",
        "hold tables without lines",
        "; check the rows and cells",
    ),
    "sideways": (
        NoteKind.COLUMNS,
        "holds text that is turned sideways",
        "hold text that is turned sideways",
        "; it is read after the rest of the page",
    ),
}


def letters_on(page: Page) -> int:
    """How many letters of a page are seen; 0 where too many others have no text."""
    letters = sum(len(run.text.strip()) for run in page.runs if not run.hidden)
    return letters if page.lost <= _MAX_LOST * (letters + page.lost) else 0


@dataclass(slots=True)
class PageRemarks:
    """Collects remarks on pages, and gives each kind as one sentence that lists its pages."""

    pages: int
    _found: dict[str, list[int]] = field(default_factory=dict)
    _single: list[tuple[NoteKind, str, int]] = field(default_factory=list)

    def add(self, what: str, page: int) -> None:
        """`what` is a key of the table above, or something unread that lies on the page."""
        numbers = self._found.setdefault(what, [])
        if page not in numbers[-1:]:
            numbers.append(page)

    def add_message(self, kind: NoteKind, message: str, page: int = 0) -> None:
        self._single.append((kind, message, page))

    def look_at(self, page: Page) -> None:
        """Remark on what is on a page beside its text."""
        letters = letters_on(page)
        area = page.width * page.height
        if not letters:
            if page.shapes.pictures or page.lost:
                self.add("scan", page.number)
        elif page.recognized:
            self.add("recognized", page.number)
        elif page.is_picture and letters < _FEW_LETTERS:
            self.add("stamped", page.number)
        elif any(box.area > _PICTURE_SHARE * area for box in page.shapes.pictures):
            self.add("picture", page.number)
        if letters and page.lost:
            self.add("lost", page.number)
        if page.shapes.crowded:
            self.add("crowded", page.number)
        for what in page.unread:
            self.add(what, page.number)
        for message in _hidden(page):
            self.add_message(NoteKind.HIDDEN_TEXT, message, page.number)

    def messages(self) -> Iterator[tuple[NoteKind, str, int]]:
        """Kind, sentence and first page of each remark, in order of pages."""
        grouped = [(*self._message(what), numbers[0]) for what, numbers in self._found.items()]
        yield from sorted([*self._single, *grouped], key=lambda one: one[2])

    def _message(self, what: str) -> tuple[NoteKind, str]:
        numbers = self._found[what]
        kind, one, several, rest = _OF_PAGES.get(
            what,
            (NoteKind.COMMENT, f"holds {what}", f"hold {what}", ", which is not part of the text"),
        )
        return kind, f"{_list(numbers, self.pages)} {one if len(numbers) == 1 else several}{rest}."


_WHY = {
    "invisible": "written to be invisible",
    "white": "written in white on white",
    "outside": "outside the page",
    "tiny": "too small to be read",
}


def _hidden(page: Page) -> Iterator[str]:
    hidden = [run for run in page.runs if run.hidden and run.text.strip()]
    for why, runs in groupby(sorted(hidden, key=lambda run: run.hidden), lambda run: run.hidden):
        yield (
            f"Page {page.number:,} holds hidden text, {_WHY[why]}, that was left out: "
            f"{quote(plain_text(list(runs)))}."
        )


def say_running(text: str, first: int, count: int) -> str:
    """The sentence on a running line that stands on `count` pages from page `first` on."""
    pages = "1 page" if count == 1 else f"{count:,} pages"
    return (
        f"A running line such as {quote(text)} stands at the same place of {pages}, from page "
        f"{first:,} on, and was left out."
    )


def _list(numbers: Sequence[int], pages: int) -> str:
    """'Page 3 of 9' or 'Pages 2, 4 to 6 of 9'."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    shown = [f"{one[0]:,}" if len(one) == 1 else f"{one[0]:,} to {one[-1]:,}" for one in ranges]
    return f"{'Page' if len(numbers) == 1 else 'Pages'} {', '.join(shown)} of {pages:,}"
