"""The lines and tables of a PDF page: what runs become before they are put in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from documents.pdf_runs import Run, is_right_to_left

# The mark of a footnote in a text: its label between these two, see `documents.pdf_runs.MARKS`.
NOTE_OPEN, NOTE_CLOSE = "\ufdd1", "\ufdd2"

_NOTE_LABEL = re.compile(r"\d{1,3}|[*†‡§¶]{1,3}|[a-z]")
_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(slots=True)
class Line:
    """A line of text, in points. `bold` is true where all of it is.

    `column` are the left and right edge of the column it stands in.
    """

    text: str
    left: float
    right: float
    baseline: float
    size: float
    bold: bool
    page: int
    column: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class TableCell:
    """A cell: its lines of text, and how many columns and rows it covers."""

    lines: list[str]
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Table:
    """A table. `header` is true where its first row names the columns; `ruled` where it has lines.

    A cell that reaches down stands only in its first row.
    """

    rows: list[list[TableCell]]
    header: bool
    left: float
    right: float
    top: float
    bottom: float
    page: int
    ruled: bool = True


def make_rows(runs: Iterable[Run]) -> list[list[Run]]:
    """Runs that stand on one line, from the top down, each from left to right."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda one: (-one.baseline, one.left)):
        for row in reversed(rows[-3:]):
            main = max(row, key=lambda one: one.size)
            overlap = min(main.top, run.top) - max(main.bottom, run.bottom)
            if overlap > 0.5 * min(main.top - main.bottom, run.top - run.bottom):
                row.append(run)
                break
        else:
            rows.append([run])
    for row in rows:
        row.sort(key=lambda one: one.left)
    rows.sort(key=lambda row: -max(row, key=lambda one: one.size).baseline)
    return rows


def make_line(row: Sequence[Run], page: int, column: tuple[float, float] = (0.0, 0.0)) -> Line:
    """One line of the runs of one row."""
    main = max(row, key=lambda one: (one.size, len(one.text)))
    letters = [letter for run in row for letter in run.text if letter.isalpha()]
    turned = sum(map(is_right_to_left, letters)) * 2 > len(letters)
    ordered = sorted(row, key=lambda one: -one.right) if turned else row
    pieces: list[str] = []
    for number, run in enumerate(ordered):
        text = _raised(run, main, number) or run.text
        if number:
            before = ordered[number - 1]
            gap = before.left - run.right if turned else run.left - before.right
            if gap > 0.15 * main.size:
                pieces.append(" ")
        pieces.append(text)
    text = " ".join("".join(pieces).split())
    if _is_hollow_bullet(row):
        text = f"◦{text[1:]}"
    worded = [run for run in row if any(map(str.isalpha, run.text))] or row
    return Line(
        text=text,
        left=min(run.left for run in row),
        right=max(run.right for run in row),
        baseline=main.baseline,
        size=main.size,
        bold=all(run.bold for run in worded),
        page=page,
        column=column,
    )


def _is_hollow_bullet(row: Sequence[Run]) -> bool:
    """True where a row begins with an 'o' of Courier that stands apart: so Word writes bullets."""
    if len(row) < 2 or row[0].text.strip() != "o" or not row[0].mono:
        return False
    return row[1].left - row[0].right > 0.6 * row[0].size


def _raised(run: Run, main: Run, number: int) -> str:
    """A small raised label as a footnote's mark; '' for any other run."""
    label = run.text.strip()
    is_raised = run.size < 0.85 * main.size and run.baseline > main.baseline + 0.15 * main.size
    if not (number and is_raised and _NOTE_LABEL.fullmatch(label)):
        return ""
    space = " " if run.text.endswith(" ") else ""
    return f"{NOTE_OPEN}{label}{NOTE_CLOSE}{space}"


def show_raised(label: str) -> str:
    """A raised label that leads to no footnote, as text: 'm²' must not become 'm2'."""
    return label.translate(_DIGITS)
