"""Finds what stands at the same place of page after page: running headers, footers, numbers.

They would cut sentences that go over the end of a page. They are left out, and a
remark quotes each, since nothing of a document is lost in silence.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence

from documents.pdf_layout import Line, make_line, make_rows
from documents.pdf_page import Page
from documents.pdf_runs import Run

# As many pages must hold a line for it to be a running one; in a document of two pages
# both, and the line must be small.
_LEAST_PAGES = 3
# The share of a page's height at its top, and at its bottom, where they stand.
_MARGIN = 0.15
# No more rows than this run at the top, or at the bottom; pages that are alike are not emptied.
_DEPTH = 3

_NUMBER = re.compile(r"\d{1,9}")
# The words of a line in which its page number stands: the first, or the last but 'of 9'.
_EDGE = re.compile(
    r"^\W*(?:page\s+)?\d{1,5}\b|\b\d{1,5}(?:\s*(?:of|/)\s*\d{1,5})?\W*$", re.IGNORECASE
)
_HEADING = re.compile(
    r"\W*(?:article|section|chapter|clause|part|annex|appendix|schedule|rule|§)\s*\d+\W*$",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(
    r"\W*(?:page|p\.)?\s*(\d{1,5})(?:\s*(?:of|/)\s*(\d{1,5}))?\W*", re.IGNORECASE
)


def take_repeated(
    pages: Sequence[Page], kept: Container[int] = frozenset()
) -> list[tuple[str, int, int]]:
    """Remove running lines from the pages' runs; each as words, first page, number of pages.

    `kept` are the `id`s of runs that are none, such as the words of tables.
    """
    sizes: Counter[float] = Counter()
    for page in pages:
        for run in page.runs:
            sizes[round(run.size, 1)] += len(run.text)
    size = sizes.most_common(1)[0][0]
    taken: list[tuple[str, int, int]] = []
    for from_top in (True, False):
        outer = [_outer_rows(page, kept, from_top=from_top) for page in pages]
        # A line can only be a running one if all lines further out are.
        while found := _find_running([rows[0] for rows in outer if rows], len(pages), size):
            taken.append((found[0][1].text, found[0][0].number, len(found)))
            for page, _, row in found:
                gone = set(map(id, row))
                page.runs = [run for run in page.runs if id(run) not in gone]
                rows = outer[page.number - pages[0].number]
                rows.pop(0)
    return taken


_Row = tuple[Page, Line, list[Run]]


def _outer_rows(page: Page, kept: Container[int], *, from_top: bool) -> list[_Row]:
    """The rows near the top or the bottom of a page, the outermost first."""
    runs = [run for run in page.runs if not run.hidden and run.angle == 0 and id(run) not in kept]
    rows = [(page, make_line(row, page.number), row) for row in make_rows(runs)]
    if from_top:
        outer = [one for one in rows if one[1].baseline > (1 - _MARGIN) * page.height]
    else:
        outer = [one for one in reversed(rows) if one[1].baseline < _MARGIN * page.height]
    return outer[:_DEPTH]


def _find_running(rows: Sequence[_Row], pages: int, size: float) -> list[_Row]:
    """The rows of one running line among the outermost ones, in order of pages; [] for none."""
    places: dict[tuple[str, int], list[_Row]] = defaultdict(list)
    for one in rows:
        line = one[1]
        places[(_NUMBER.sub("#", line.text.casefold()), round(line.baseline / 4))].append(one)
    for words, height in places:
        # The same height may fall to either side of a rounding.
        near = [one for step in (-1, 0, 1) for one in places.get((words, height + step), [])]
        small = all(line.size < 0.9 * size for _, line, _ in near)
        texts = {page.number: line.text for page, line, _ in near}
        if _is_repeated(texts, pages, small=small):
            return sorted(near, key=lambda one: one[0].number)
        large = any(line.size > 1.1 * size for _, line, _ in near)
        offset = None if large else _counted_from(texts, pages)
        if offset is not None:
            # A running line may name each chapter; its page number gives it away.
            like = [
                one
                for one in rows
                if abs(round(one[1].baseline / 4) - height) <= 1
                and _has_number(one[1].text, one[0].number + offset)
            ]
            return sorted(like, key=lambda one: one[0].number)
    return []


def _is_repeated(texts: Mapping[int, str], pages: int, *, small: bool) -> bool:
    """True where the texts, by page, are the same on every or every second page of a stretch.

    What is only now and then at the same place is text.
    """
    if len(set(texts.values())) > 1 or not _is_dense(texts):
        return False
    return len(texts) >= (2 if pages == 2 and small else _LEAST_PAGES)


def _is_dense(texts: Mapping[int, str]) -> bool:
    return len(texts) * 2 >= max(texts) - min(texts) + 1


def _counted_from(texts: Mapping[int, str], pages: int) -> int | None:
    """What the page number in each text is more than its page; None where it is none."""
    only_number = all(_PAGE_NUMBER.fullmatch(text) for text in texts.values())
    if any(map(_HEADING.match, texts.values())) or not (only_number or _is_dense(texts)):
        return None
    if pages == 1:
        return 0 if only_number and _says_page_one_of_one(texts) else None
    if len(texts) < (2 if only_number else _LEAST_PAGES):
        return None
    numbers = {page: list(map(int, _NUMBER.findall(text))) for page, text in texts.items()}
    # One of the numbers counts the pages, all others stay the same.
    for place in range(min(map(len, numbers.values()))):
        offsets = {found[place] - page for page, found in numbers.items()}
        rest = {(*found[:place], *found[place + 1 :]) for found in numbers.values()}
        if len(offsets) == 1 and len(rest) == 1:
            return offsets.pop()
    return None


def _has_number(text: str, number: int) -> bool:
    """True where a text begins or ends with a page's number, and is no heading."""
    shown = {int(found) for edge in _EDGE.findall(text) for found in _NUMBER.findall(edge)}
    return number in shown and not _HEADING.match(text)


def _says_page_one_of_one(texts: Mapping[int, str]) -> bool:
    found = [_PAGE_NUMBER.fullmatch(text) for text in texts.values()]
    return all(one is not None and one[1] == "1" and one[2] == "1" for one in found)
