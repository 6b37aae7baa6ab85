"""Finds what stands at the same place of page after page: running headers, footers, numbers.

They would cut sentences that go over the end of a page. They are left out, and a
remark quotes each, since nothing of a document is lost in silence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from documents.pdf_layout import Line, make_line, make_rows
from documents.pdf_page import Page, Run

# As many pages must hold a line for it to be a running one.
_LEAST_PAGES = 3
# How many rows from the top and the bottom of a page may be running ones.
_DEPTH = 3

_NUMBER = re.compile(r"\d+")
_HEADING = re.compile(
    r"\W*(?:article|section|chapter|clause|part|annex|appendix|schedule|rule|§)\s*\d+\W*$",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(r"\W*(?:page|p\.)?\s*(\d+)(?:\s*(?:of|/)\s*(\d+))?\W*", re.IGNORECASE)


def take_repeated(pages: Sequence[Page]) -> list[tuple[str, int, int]]:
    """Remove running lines from the pages' runs; each as words, first page, number of pages."""
    places: dict[tuple[str, int], list[tuple[int, Line, list[Run]]]] = defaultdict(list)
    for at, page in enumerate(pages):
        for row in _outer_rows(page):
            line = make_line(row, page.number)
            key = _NUMBER.sub("#", line.text.casefold()), round(line.baseline / 4)
            places[key].append((at, line, row))
    taken: list[tuple[str, int, int]] = []
    used: set[tuple[str, int]] = set()
    for key in sorted(places, key=lambda one: places[one][0][0]):
        if key in used:
            continue
        # The same height may fall to either side of a rounding.
        group = [one for step in (-1, 0, 1) for one in places.get((key[0], key[1] + step), [])]
        if not _is_running(group, len(pages)):
            continue
        used |= {(key[0], key[1] + step) for step in (-1, 0, 1)}
        for at, _, row in group:
            gone = set(map(id, row))
            pages[at].runs = [run for run in pages[at].runs if id(run) not in gone]
        first = min(group, key=lambda one: one[0])[1]
        taken.append((first.text, first.page, len(group)))
    return taken


def _outer_rows(page: Page) -> list[list[Run]]:
    rows = make_rows(run for run in page.runs if not run.hidden and run.angle == 0)
    if len(rows) <= 2 * _DEPTH:
        return rows
    return rows[:_DEPTH] + rows[-_DEPTH:]


def _is_running(group: Sequence[tuple[int, Line, list[Run]]], pages: int) -> bool:
    lines = {at: line for at, line, _ in group}
    texts = {line.text for line in lines.values()}
    if len(lines) >= _LEAST_PAGES and len(texts) == 1:
        return True
    numbers = {line.page: list(map(int, _NUMBER.findall(line.text))) for line in lines.values()}
    counts = {len(found) for found in numbers.values()}
    if counts == {0} or len(counts) != 1 or any(map(_HEADING.match, texts)):
        return False
    is_number = all(_PAGE_NUMBER.fullmatch(text) for text in texts)
    if len(lines) < (2 if is_number and pages > 1 else _LEAST_PAGES):
        return is_number and pages == 1 and _says_page_one_of_one(texts)
    # One of the numbers counts the pages, all others stay the same.
    for place in range(counts.pop()):
        follows = len({found[place] - page for page, found in numbers.items()}) == 1
        rest = {(*found[:place], *found[place + 1 :]) for found in numbers.values()}
        if follows and len(rest) == 1:
            return True
    return False


def _says_page_one_of_one(texts: set[str]) -> bool:
    found = _PAGE_NUMBER.fullmatch(next(iter(texts)))
    return bool(found and found[1] == "1" and found[2] == "1")
