"""The rows and cells of a Word table, with the cells that reach over columns and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from documents.docx_changes import Changes
from documents.docx_package import is_on, number, value
from documents.docx_styles import Styles

# A cell that claims to cover more columns is read as covering this many.
_MAX_COLUMNS = 100


@dataclass(slots=True)
class GridCell:
    """A cell and how many columns and rows it covers."""

    element: Element
    columns: int
    rows: int = 1


@dataclass(slots=True)
class GridRow:
    """The cells that begin in a row; `is_header` where the author repeats it on each page."""

    is_header: bool
    is_hidden: bool
    cells: list[GridCell] = field(default_factory=list)


def find_grid(table: Element, changes: Changes) -> list[GridRow]:
    """The rows of a table that the answer on tracked changes leaves."""
    rows: list[GridRow] = []
    above: dict[int, GridCell] = {}
    for row in _inside(table, "tr"):
        properties = row.find("trPr")
        if changes.row_is_gone(properties):
            continue
        found = GridRow(bool(is_on(properties, "tblHeader")), bool(is_on(properties, "hidden")))
        column = number(value(properties, "gridBefore"))
        reached: dict[int, GridCell] = {}
        for cell in _inside(row, "tc"):
            own = cell.find("tcPr")
            if changes.row_is_gone(own):
                continue
            columns = min(max(number(value(own, "gridSpan"), 1), 1), _MAX_COLUMNS)
            merge = own.find("vMerge") if own is not None else None
            goes_on = merge is not None and merge.get("val", "continue") == "continue"
            if goes_on and column in above:
                above[column].rows += 1
                reached[column] = above[column]
            else:
                one = GridCell(cell, columns)
                found.cells.append(one)
                if merge is not None:
                    reached[column] = one
            column += columns
        above = reached
        rows.append(found)
    return rows


def has_header(table: Element, grid: Sequence[GridRow], styles: Styles) -> bool:
    """True where the first row is set off as a header: by the table's style, or in bold."""
    if len(grid) < 2 or any(row.is_header for row in grid):
        return False
    properties = table.find("tblPr")
    if _looks(properties, "firstRow", 0x20) and styles.formats(
        value(properties, "tblStyle"), "firstRow"
    ):
        return True
    runs = [
        (paragraph.find("pPr"), run.find("rPr"))
        for cell in grid[0].cells
        for paragraph in cell.element.iter("p")
        for run in paragraph.iter("r")
        if any((text.text or "").strip() for text in run.iter("t"))
    ]
    below = [run for cell in grid[1].cells for run in cell.element.iter("r")]
    bold = bool(runs) and all(styles.is_on(around, run, "b") for around, run in runs)
    return bold and not all(styles.is_on(None, run.find("rPr"), "b") for run in below)


def has_row_headers(table: Element, styles: Styles) -> bool:
    """True where the table's style sets off the first column."""
    properties = table.find("tblPr")
    style = value(properties, "tblStyle")
    return _looks(properties, "firstColumn", 0x80) and styles.formats(style, "firstCol")


def _looks(properties: Element | None, name: str, bit: int) -> bool:
    """True where the author wants a part of the table's style, told by name or by a bit."""
    look = properties.find("tblLook") if properties is not None else None
    if look is None:
        return False
    named = look.get(name)
    return (
        named in ("1", "true", "on") if named else bool(int(_hex(look.get("val", "0")), 16) & bit)
    )


def _inside(parent: Element, tag: str) -> Iterator[Element]:
    """The rows of a table or cells of a row, also those in a content control."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in ("sdt", "sdtContent", "customXml", "ins", "del"):
            yield from _inside(child, tag)


def _hex(text: str) -> str:
    return (
        text
        if text and len(text) <= 8 and all(c in "0123456789abcdefABCDEF" for c in text)
        else "0"
    )
